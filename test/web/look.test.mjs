// How the page looks, by what must be true of a picture whatever the renderer: how much of the time line has
// which colour follows from the run, whose every call is known; and nothing may lie on or beside anything else.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { samplePath, withFile } from "./browser.mjs";
import { makeTimeline, withReport } from "./made_timeline.mjs";

const RANKS = 8;
let directory;
let computing;

before(() => {
  directory = mkdtempSync(join(tmpdir(), "slackline-page-"));
  const html = withReport(readFileSync(samplePath("sample"), "utf8"), (report) => {
    const { item, blobs, measured } = makeTimeline({ ranks: RANKS, steps: 12 });
    for (const run of item.runs) run.path = null; // it would cover what is counted
    item.runs.pop();
    item.span = item.runs[0].span;
    report.sections.push({ id: "time-line", title: "Time line", items: [item], children: [] });
    const inMpi = measured.flat().reduce((sum, call) => sum + call.end - call.begin, 0);
    computing = 1 - inMpi / item.runs[0].ends.reduce((sum, end) => sum + end, 0);
    return blobs;
  });
  writeFileSync(join(directory, "run.html"), html);
});

after(() => rmSync(directory, { recursive: true }));

/** Of the time line as it is on the screen: the share of its rows that has the legend's first colour. */
async function shareOfComputation(page) {
  await page.getByRole("button", { name: "Messages" }).click(); // they would lie above
  await page.waitForTimeout(400);
  const rows = page.locator(".rows").first();
  const png = (await rows.screenshot()).toString("base64");
  return page.evaluate(async (png) => {
    const bytes = Uint8Array.from(atob(png), (c) => c.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const canvas = Object.assign(document.createElement("canvas"), { width: bitmap.width, height: bitmap.height });
    const context = canvas.getContext("2d");
    context.drawImage(bitmap, 0, 0);
    const key = getComputedStyle(document.querySelector(".legend .key")).backgroundColor.match(/\d+/g).map(Number);
    const ground = getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number);
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
    const near = (at, colour) => colour.slice(0, 3).every((v, i) => Math.abs(v - data[at + i]) < 12);
    let [same, drawn] = [0, 0];
    for (let at = 0; at < data.length; at += 4) {
      if (near(at, ground)) continue; // between rows
      ++drawn;
      if (near(at, key)) ++same;
    }
    return same / drawn;
  }, png);
}

/** Pairs of boxes of one kind that lie on each other, and texts that are wider than their boxes. */
function collisions() {
  const found = [];
  const all = [...document.querySelectorAll("h1, h2, h3, .lead li, .tree li, .tile, .toolbar > *, .strip, .legend li")];
  const boxes = all.map((element) => ({ element, box: element.getBoundingClientRect() })).filter(({ box }) => box.width > 0);
  for (const [i, a] of boxes.entries()) {
    for (const b of boxes.slice(i + 1)) {
      if (a.element.contains(b.element) || b.element.contains(a.element)) continue;
      const across = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
      const down = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
      if (across > 1 && down > 1) found.push(`${a.element.innerText} / ${b.element.innerText}`);
    }
  }
  for (const element of document.querySelectorAll("h1, h2, button, .tile, .strip-name, figcaption")) {
    if (element.closest(".phases")) continue; // as long as their phases
    if (element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0) found.push(`cut: ${element.innerText}`);
  }
  return found;
}

for (const width of [1600, 500]) {
  for (const colorScheme of ["light", "dark"]) {
    test(`${width} pixels wide and ${colorScheme}, computation fills as much of the picture as of the run`, () =>
      withFile(join(directory, "run.html"), { viewport: { width, height: 900 }, colorScheme }, async (page) => {
        await page.waitForTimeout(400);
        assert.deepEqual(await page.evaluate(collisions), []);
        const share = await shareOfComputation(page);
        // Names inside of calls, rows' edges and colours that mix at borders cost a few per cent.
        assert.ok(Math.abs(share - computing) < 0.08, `${share} is drawn, ${computing} is true`);
      }));
  }
}
