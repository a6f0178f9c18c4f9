// Runs of many ranks: the program's own pages, from a trace of 84 steps that is written here. Whatever the number of ranks, single
// calls can be seen, of the predicted run, too.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { atRest, texts, withFile } from "./browser.mjs";
import { ringTrace } from "./made_traces.mjs";

const STEPS = 84;
const MANY = 2000;
let directory;

const page = (ranks) => join(directory, `${ranks}.html`);

before(() => {
  directory = mkdtempSync(join(tmpdir(), "slackline-ranks-"));
  for (const ranks of [4, 64, MANY]) {
    const text = join(directory, `${ranks}.txt`);
    writeFileSync(text, ringTrace(ranks, STEPS));
    execFileSync(process.env.SLACKLINE_BINARY, ["report", text, "-q", "-o", page(ranks)]);
  }
});

after(() => rmSync(directory, { recursive: true }));

const secondsOf = (text) => {
  const [, value, unit] = /([\d.]+)\s(ns|us|ms|s)$/.exec(text);
  return Number(value) * { ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1 }[unit];
};

for (const ranks of [4, 64, MANY]) {
  test(`${ranks} ranks: zooming in ends at single calls, of the measured and of the predicted run`, () =>
    withFile(page(ranks), {}, async (p) => {
      await p.getByRole("button", { name: "both" }).click();
      await p.locator(".panes").focus();
      for (let i = 0; i < 30; ++i) await p.keyboard.press("w");
      await atRest(p);
      const status = await p.locator(".status").innerText();
      assert.match(status, /single calls/);
      // What is seen at last is no longer than a few calls, and a tick is not wider than a pixel.
      const [, seen] = /\(([^)]*)\)/.exec(status);
      assert.ok(secondsOf(seen) < 1e-3, status);
      const rounding = /±\s([\d.]+\s\w+)/.exec(status);
      const width = await p.locator(".rows").first().evaluate((rows) => rows.clientWidth);
      if (rounding) assert.ok(2 * secondsOf(rounding[1]) <= secondsOf(seen) / width, status);
      for (const run of ["measured", "predicted"]) {
        await p.getByRole("button", { name: new RegExp(`^${run}`) }).click();
        await p.keyboard.press("Escape");
        await p.locator(".find input").fill("MPI_Allreduce");
        await p.locator(".find input").press("Enter");
        await p.locator(".details h3 >> text=MPI_Allreduce").waitFor();
        if (rounding) assert.match((await texts(p, ".details dd"))[0], /±/);
        await p.locator(`.details dd:has-text("${ranks} ranks; first in")`).waitFor();
      }
    }));
}

test("of 2,000 ranks the next match of a search is another call", (t) =>
  withFile(page(MANY), {}, async (p) => {
    const box = p.locator(".find input");
    await box.fill("wait at NxN");
    await box.press("Enter");
    await p.locator(".details").waitFor();
    await atRest(p);
    // The search itself, without the test's own way to the browser and back. Half a second is wanted on an idle machine.
    const took = await p.evaluate(async () => {
      const begin = performance.now();
      const before = document.querySelector(".details dl").innerText;
      document.querySelector(".find input").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
      while (document.querySelector(".details dl").innerText === before) await new Promise(requestAnimationFrame);
      return performance.now() - begin;
    });
    t.diagnostic(`the next match took ${took.toFixed(0)} ms`);
  }));
