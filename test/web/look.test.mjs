// How the page looks, by what must be true of a picture whatever the renderer: how much of the time line and of a
// matrix has which colour, and where a plot's zones end, follows from the data; and nothing may lie on or beside
// anything else.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { atRest, samplePath, withFile } from "./browser.mjs";
import { makeMatrix, makeTimeline, withReport } from "./made_timeline.mjs";

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
    const ring = (i, j) => (j === (i + 1) % RANKS ? 4096 : i === j ? 64 : 0);
    const matrix = makeMatrix("matrix-bytes", "Bytes", RANKS, ring, blobs);
    report.sections.push({ id: "matrices", title: "Matrices", items: [matrix], children: [] });
    computing = 1 - inMpi / item.runs[0].ends.reduce((sum, end) => sum + end, 0);
    return blobs;
  });
  writeFileSync(join(directory, "run.html"), html);
});

after(() => rmSync(directory, { recursive: true }));

/** What an element looks like on the screen: width, height and the pixels' red, green, blue and alpha. */
async function pixelsOf(page, locator) {
  const png = (await locator.screenshot()).toString("base64");
  const { width, height, text } = await page.evaluate(async (png) => {
    const bytes = Uint8Array.from(atob(png), (c) => c.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const { width, height } = bitmap;
    const context = Object.assign(document.createElement("canvas"), { width, height }).getContext("2d");
    context.drawImage(bitmap, 0, 0);
    const { data } = context.getImageData(0, 0, width, height);
    let text = "";
    for (let at = 0; at < data.length; at += 0x8000) text += String.fromCharCode(...data.subarray(at, at + 0x8000));
    return { width, height, text: btoa(text) };
  }, png);
  return { width, height, data: Buffer.from(text, "base64") };
}

const colourOf = (page, selector) =>
  page.evaluate((selector) => getComputedStyle(document.querySelector(selector)).backgroundColor.match(/\d+/g).map(Number), selector);

const near = ({ data }, at, colour) => colour.slice(0, 3).every((v, i) => Math.abs(v - data[at + i]) < 12);

/** Of the time line as it is on the screen: the share of its rows that has the legend's first colour. */
async function shareOfComputation(page) {
  await page.getByRole("button", { name: "Messages" }).click(); // they would lie above
  await atRest(page);
  const picture = await pixelsOf(page, page.locator(".rows").first());
  const [key, ground] = [await colourOf(page, ".legend .key"), await colourOf(page, "body")];
  let [same, drawn] = [0, 0];
  for (let at = 0; at < picture.data.length; at += 4) {
    if (near(picture, at, ground)) continue; // between rows
    ++drawn;
    if (near(picture, at, key)) ++same;
  }
  return same / drawn;
}

/** Of a matrix: the share of its picture that has the colour of the largest and of the smallest value. */
async function sharesOfCells(page) {
  const picture = await pixelsOf(page, page.locator(".matrix canvas"));
  const scale = await page.locator(".scale span span").evaluateAll((all) =>
    all.map((e) => getComputedStyle(e).backgroundColor.match(/\d+/g).map(Number)),
  );
  const shares = [scale.at(-1), scale[0]].map(() => 0);
  for (let at = 0; at < picture.data.length; at += 4) {
    [scale.at(-1), scale[0]].forEach((colour, i) => (shares[i] += near(picture, at, colour) ? 1 : 0));
  }
  return shares.map((sum) => (4 * sum) / picture.data.length);
}

/** Where the zones of a plot end, as parts of its width: where the colour behind everything changes. */
async function zoneEnds(page, over) {
  const { width, height, data } = await pixelsOf(page, over);
  const row = Math.round(0.06 * height); // above the curve
  const at = (x) => [...data.subarray(4 * (row * width + x), 4 * (row * width + x) + 3)];
  const differ = (a, b) => a.some((v, i) => Math.abs(v - b[i]) > 6);
  const ends = [];
  for (let x = 4; x + 4 < width; ++x) {
    // A zone's edge is a line of its own; grid lines have one colour on both sides.
    if (differ(at(x - 4), at(x + 4)) && (ends.length === 0 || x - ends.at(-1) > 9)) ends.push(x);
  }
  return ends.map((x) => (x + 3) / width);
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
        await atRest(page);
        assert.deepEqual(await page.evaluate(collisions), []);
        const share = await shareOfComputation(page);
        // Names inside of calls, rows' edges and colours that mix at borders cost a few per cent.
        assert.ok(Math.abs(share - computing) < 0.08, `${share} is drawn, ${computing} is true`);
      }));
  }
}

for (const colorScheme of ["light", "dark"]) {
  test(`${colorScheme}, a matrix has as much of each colour as there are such cells`, () =>
    withFile(join(directory, "run.html"), { colorScheme }, async (page) => {
      await page.locator(".matrix canvas").scrollIntoViewIfNeeded();
      const shares = await sharesOfCells(page);
      // A ring: one cell a row has the largest value, and one the smallest.
      for (const share of shares) assert.ok(Math.abs(share - 1 / RANKS) < 0.02, `${shares}`);
    }));

  test(`${colorScheme}, the zones of a plot end where their numbers say`, () =>
    withFile(join(directory, "run.html"), { colorScheme }, async (page) => {
      const chart = page.locator("[id=makespan-over-latency]");
      const over = chart.locator(".u-over").first();
      await over.scrollIntoViewIfNeeded();
      const named = await chart.locator(".zones li").allInnerTexts();
      // The sample's axis goes from 0 to 16 us.
      const wanted = named.map((text) => Number(/to ([\d.]+)\sus/.exec(text)[1]) / 16);
      const ends = await zoneEnds(page, over);
      for (const end of wanted) {
        assert.ok(ends.some((found) => Math.abs(found - end) < 0.01), `${end} is not among ${ends}`);
      }
    }));
}
