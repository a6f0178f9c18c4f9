// What a reader can do with matrices, curves and tables, and that keys and links reach all of it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { texts } from "./browser.mjs";
import { RANKS, open } from "./known_run.mjs";

test("a cell of a matrix tells its pair and shows it in the time line", () =>
  open("run", {}, async (page) => {
    const canvas = page.locator(".matrix canvas");
    const { width, height } = await canvas.boundingBox();
    const position = { x: (5.5 / RANKS) * width, y: (4.5 / RANKS) * height };
    await canvas.hover({ position }); // waits until it is in sight and stands still
    await page.locator(".matrix-cell >> text=/sender 4, receiver 5: 320\\.0 KiB/").waitFor();
    assert.equal((await texts(page, "[id=matrix-bytes-cells] tbody tr")).length, RANKS);
    await canvas.click({ position });
    await page.waitForFunction(() => location.hash.includes("only=4,5"));
    await page.locator(".status >> text=ranks 4 to 5").waitFor();
  }));

test("a tolerance is asked for by slowdown and by latency", () =>
  open("run", {}, async (page) => {
    const tool = page.locator(".tolerance").first();
    const [percent, latency] = [tool.locator("input[type=number]").nth(0), tool.locator("input[type=number]").nth(1)];
    // T grows by 371 ns for each ns of latency from 3 us on; 1 % of 64.14 ms are 641.4 us.
    await percent.fill("1");
    await percent.press("Tab");
    const at = Number(await latency.inputValue());
    assert.ok(Math.abs(at - (3 + 641.4 / 371)) < 0.001, `${at} us`);
    await latency.fill("3");
    await latency.press("Tab");
    assert.equal(Number(await percent.inputValue()), 0);
  }));

test("a table filters by what its cells show", () =>
  open("run", {}, async (page) => {
    const table = page.locator("[id=matrix-bytes-cells]");
    const rows = table.locator("tbody tr");
    await rows.first().waitFor();
    assert.equal(await rows.count(), RANKS);
    const filter = page.locator("[id=pieces] input[type=search]").first();
    const pieces = page.locator("figure[id=pieces] tbody tr");
    const all = await pieces.count();
    await filter.fill("no such thing");
    assert.equal(await pieces.count(), 0);
    await filter.fill("");
    assert.equal(await pieces.count(), all);
  }));
