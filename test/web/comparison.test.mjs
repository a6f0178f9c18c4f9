// Several runs at once: two traces below each other, and a simulated run beside the others.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { atRest, followLink, samplePath, texts, until, withFile } from "./browser.mjs";
import { makeBeside, makeTimeline, withReport } from "./made_timeline.mjs";

const RANKS = 8;
let directory;

function write(name, change) {
  const html = readFileSync(samplePath("sample"), "utf8");
  writeFileSync(join(directory, `${name}.html`), withReport(html, change));
}

const open = (name, options, look) => withFile(join(directory, `${name}.html`), options, look);

before(() => {
  directory = mkdtempSync(join(tmpdir(), "slackline-page-"));
  write("two", (report) => {
    const a = makeTimeline({ ranks: RANKS, steps: 40 });
    const b = makeBeside(a, { ranks: RANKS, steps: 30 });
    a.item.runs = [{ ...a.item.runs[0], name: "A: before" }];
    b.item.runs = [{ ...b.item.runs[0], name: "B: after" }];
    const ranks = {
      kind: "table", id: "by-rank", title: "By rank",
      columns: [{ name: "rank", unit: "none", explanation: "" }, { name: "A", unit: "ns", explanation: "" }],
      rows: [["5", 1000], ["2", 500]],
    };
    const operations = {
      kind: "table", id: "by-operation", title: "By operation",
      columns: [{ name: "operation", unit: "none", explanation: "" }, { name: "A", unit: "ns", explanation: "" }],
      rows: [["MPI_Recv", 1000]],
    };
    report.sections.push({ id: "timeline", title: "Time lines", items: [a.item, b.item], children: [] });
    report.sections.push({ id: "differences", title: "Differences", items: [ranks, operations], children: [] });
    return b.blobs;
  });
  write("simulated", (report) => {
    const { item, blobs } = makeTimeline({ ranks: RANKS, steps: 40 });
    item.runs.push({ ...item.runs[1], id: "simulated", name: "simulated on torus.toml" });
    item.strips.push({
      name: "link x", unit: "ratio", from: 0, width: 100000, values: [0.5, 1], explanation: "Use.", run: "simulated",
    });
    report.sections.push({ id: "time-line", title: "Time line", items: [item], children: [] });
    return blobs;
  });
});

after(() => rmSync(directory, { recursive: true }));

const axis = (page) => texts(page, ".status");

test("the time lines of two traces have one axis and move together", () =>
  open("two", {}, async (page) => {
    assert.deepEqual(await texts(page, ".run-name"), ["A: before", "B: after"]);
    assert.equal(await page.locator(".toolbar[aria-label='Timeline']").count(), 1);
    const boxes = await Promise.all([0, 1].map((i) => page.locator(".rows").nth(i).boundingBox()));
    assert.equal(boxes[0].x, boxes[1].x);
    assert.equal(boxes[0].width, boxes[1].width);
    await page.locator(".panes").first().focus();
    for (let i = 0; i < 3; ++i) await page.keyboard.press("w");
    const [a, b] = await axis(page);
    assert.equal(a.split(",")[0], b.split(",")[0]);
    assert.match(a, /ranks 0 to 7/);
    // And the other way round.
    await page.locator(".panes").nth(1).focus();
    await page.keyboard.press("d");
    const [c, d] = await axis(page);
    assert.notEqual(c, a);
    assert.equal(c.split(",")[0], d.split(",")[0]);
    await page.getByRole("button", { name: "Waiting" }).click();
    await page.locator(".panes").first().focus();
    await page.keyboard.press("0");
    await atRest(page);
    assert.match(await page.evaluate(() => location.hash), /^#timeline(\?|$)/);
  }));

test("differences lead to their ranks and operations in the time lines", () =>
  open("two", {}, async (page) => {
    await atRest(page);
    await followLink(page, page.locator("[id=by-rank] tbody a").first());
    await until(page, () => location.hash.includes("only=5,5"));
    await followLink(page, page.locator("[id=by-operation] tbody a"));
    await until(page, () => document.querySelector(".find input").value === "MPI_Recv");
    assert.match(await page.locator(".find").innerText(), /MPI_Recv/);
  }));

test("a simulated run stands beside the others from the beginning, with its links below", () =>
  open("simulated", {}, async (page) => {
    assert.deepEqual(await texts(page, ".run-name"), ["measured", "predicted", "simulated on torus.toml"]);
    const strips = await texts(page, ".strip-name");
    assert.deepEqual(strips.map((name) => /^\D+(?=mean of intervals)/.exec(name)[0].trim()), ["parallel efficiency", "link x"]);
    await page.getByRole("button", { name: "simulated on torus.toml" }).click();
    assert.equal(await page.locator(".rows").count(), 1);
    assert.equal(await page.locator(".strip").count(), 1);
    await page.getByRole("button", { name: "measured", exact: true }).click();
    assert.match(await page.locator(".strip").innerText(), /parallel efficiency/);
  }));
