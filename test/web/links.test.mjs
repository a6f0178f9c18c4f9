// The links of a simulated run by their use: the page that the program wrote beside the JSON of the same simulation.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { texts, withFile } from "./browser.mjs";

const RANKS = 8;
const BYTES = 1_000_000;
let directory;
const file = (name) => join(directory, name);

// All ranks send to rank 0 at once: the link to its host must be the one that is full.
before(() => {
  directory = mkdtempSync(join(tmpdir(), "slackline-links-"));
  const sender = (rank) => `rank ${rank}\n send to=0 bytes=${BYTES}\n`;
  const senders = Array.from({ length: RANKS - 1 }, (_, i) => i + 1);
  const receives = senders.map((rank) => ` irecv from=${rank} bytes=${BYTES} req=${rank}\n`).join("") + ` waitall reqs=${senders.join(",")}\n`;
  writeFileSync(file("gather.txt"), `slackline-trace 1 untimed ranks=${RANKS}\nrank 0\n${receives}${Array.from({ length: RANKS - 1 }, (_, i) => sender(i + 1)).join("")}`);
});

after(() => rmSync(directory, { recursive: true }));

test("the page of a simulation begins with a sentence and draws every link by its use", () => {
  const platform = process.env.SLACKLINE_PLATFORM;
  const run = (...more) => execFileSync(process.env.SLACKLINE_BINARY, ["simulate", file("gather.txt"), "--platform", platform, "--links", "100", ...more], { encoding: "utf8" });
  const wanted = JSON.parse(run("--format", "json")).result.links;
  run("-q", "-o", file("page.html"));
  return withFile(file("page.html"), {}, async (p) => {
    assert.match((await texts(p, ".summary, header, main p"))[0] ?? "", /Simulated run time: .* messages were delayed by contention.* the total transfer time is \d\.\d\d x that without/s);
    const cells = await p.locator(".links .link-cell[aria-label]").evaluateAll((all) => all.map((cell) => cell.getAttribute("aria-label")));
    assert.equal(cells.length, wanted.length);
    const percent = (text) => Number(text) / 100;
    for (const link of wanted) {
      const told = cells.find((label) => label.startsWith(`${link.name}: `));
      const [, peak, mean] = /peak ([\d.]+) %, mean ([\d.]+) %/.exec(told);
      assert.ok(Math.abs(percent(mean) - link.mean_use) < 0.001, told);
      assert.ok(percent(peak) <= 1.001 && percent(peak) >= percent(mean) - 0.001, told);
    }
    // What all messages go through is the fullest, and carries all.
    const fullest = wanted.reduce((a, b) => (a.mean_use > b.mean_use ? a : b));
    assert.ok(fullest.bytes >= (RANKS - 1) * BYTES, JSON.stringify(fullest));
    const said = await texts(p, ".link-group p");
    assert.ok(said.some((text) => text.includes(fullest.name)), `${said}`);
    await p.getByRole("button", { name: "Contention delay", exact: true }).click();
    assert.equal(await p.locator(".links button[aria-pressed=true]").innerText(), "Contention delay");
  });
});
