// A page with a run whose every call is known (made_timeline.mjs), and what several tests do with it.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { atRest, samplePath, texts, withFile } from "./browser.mjs";
import { makeMatrix, makeTimeline, withReport } from "./made_timeline.mjs";

export const RANKS = 8;
export const STEPS = 40;
let directory;
/** The calls of each rank, of the page "run". */
export let measured;

export function write(name, change, from = "sample") {
  const path = join(directory, `${name}.html`);
  writeFileSync(path, withReport(readFileSync(samplePath(from), "utf8"), change));
  return path;
}

export function withTimeline(report, options) {
  const made = makeTimeline({ ranks: RANKS, steps: STEPS, ...options });
  report.sections.push({ id: "time-line", title: "Time line", items: [made.item], children: [] });
  return made;
}

before(() => {
  directory = mkdtempSync(join(tmpdir(), "slackline-page-"));
  write("run", (report) => {
    const made = withTimeline(report, {});
    measured = made.measured;
    for (const { items } of report.sections) {
      for (const item of items) if (item.kind === "series") item.now = 3000;
    }
    const ring = makeMatrix("matrix-bytes", "Bytes", RANKS, (i, j) => (j === (i + 1) % RANKS ? 8192 * STEPS : 0), made.blobs);
    report.sections.push({ id: "matrices", title: "Matrices", items: [ring], children: [] });
    return made.blobs;
  });
});

after(() => rmSync(directory, { recursive: true }));

export const open = (name, options, look) => withFile(join(directory, `${name}.html`), options, look);

export const numbers = (page) =>
  page.evaluate(() => new URLSearchParams(location.hash.split("?")[1] ?? "").get("t")?.split(",").map(Number));

/** The fragment is written a moment after the view has changed. */
export async function settled(page) {
  await atRest(page);
  return numbers(page);
}

/** The colour in the middle of a call, as it is on the screen. */
export async function colourAt(page, rank, ns, span) {
  return page.evaluate(
    ([rank, part, ranks]) => {
      const rows = document.querySelector(".rows");
      const copy = document.createElement("canvas");
      [copy.width, copy.height] = [rows.width, rows.height];
      const context = copy.getContext("2d");
      context.drawImage(rows, 0, 0);
      const y = ((rank + 0.4) / ranks) * rows.height;
      return [...context.getImageData(part * rows.width, y, 1, 1).data].slice(0, 3);
    },
    [rank, ns / span, RANKS],
  );
}

/** Where the first run's rows are, in sight of the mouse. What arrives above them would move them. */
export async function rowsBox(page) {
  await atRest(page);
  const rows = page.locator(".rows").first();
  await rows.evaluate((element) => element.scrollIntoView({ block: "center", behavior: "instant" }));
  return rows.boundingBox();
}

export const link = (call) => `#timeline?call=${call.rank}.${call.call}`;

/** Facts by their names. */
export async function factsOf(page) {
  const names = await texts(page, ".details dt");
  const values = await texts(page, ".details dd");
  return Object.fromEntries(names.map((name, i) => [name, values[i].replace(/\s+/g, " ")]));
}
