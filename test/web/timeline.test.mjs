// The time line in a real browser: moving in it, asking for calls, searching, following links.

import assert from "node:assert/strict";
import { test } from "node:test";
import { atRest, texts, until } from "./browser.mjs";
import { RANKS, factsOf, link, measured, numbers, open, rowsBox, settled } from "./known_run.mjs";

test("keys zoom and move, and the link follows", () =>
  open("run", {}, async (page) => {
    await page.locator(".panes").focus();
    for (let i = 0; i < 4; ++i) await page.keyboard.press("w");
    const [from, to] = await settled(page);
    const span = 0.6 ** 4;
    const whole = Math.max(...measured.map((row) => row.at(-1).end + 1000));
    assert.ok(Math.abs((to - from) / whole - span) < 0.001, `${from} to ${to}`);
    await page.keyboard.press("d");
    const [later] = await settled(page);
    assert.ok(Math.abs((later - from) / (to - from) - 0.2) < 0.001);
    await page.keyboard.press("0");
    await atRest(page);
    assert.equal(await numbers(page), undefined);
  }));

test("the wheel with Ctrl zooms where the mouse is, a drag moves", () =>
  open("run", {}, async (page) => {
    const seen = await rowsBox(page);
    await page.mouse.move(seen.x + 0.25 * seen.width, seen.y + 40);
    await page.keyboard.down("Control");
    for (let i = 0; i < 6; ++i) await page.mouse.wheel(0, -120);
    await page.keyboard.up("Control");
    const [from, to] = await settled(page);
    const whole = Math.max(...measured.map((row) => row.at(-1).end + 1000));
    assert.ok((to - from) / whole < 0.1);
    assert.ok(Math.abs((0.25 * whole - from) / (to - from) - 0.25) < 0.01);
    await page.mouse.down();
    await page.mouse.move(seen.x + 0.5 * seen.width, seen.y + 40, { steps: 5 });
    await page.mouse.up();
    const [moved] = await settled(page);
    assert.ok(Math.abs((from - moved) / (to - from) - 0.25) < 0.01);
  }));

test("a click on a call shows its facts, its match, its wait and who caused it", () =>
  open("run", {}, async (page) => {
    // The last rank is late from the middle on: rank 0, its right neighbour, waits for its message.
    const call = 3 * 30 + 1;
    const receive = measured[0][call];
    assert.equal(receive.operation, 2);
    await page.evaluate(([a, b]) => (location.hash = `#timeline?t=${a},${b}`), [receive.begin - 40000, receive.end + 40000]);
    await atRest(page);
    const rows = await rowsBox(page);
    const part = ((receive.begin + receive.end) / 2 - receive.begin + 40000) / (receive.end - receive.begin + 80000);
    await page.mouse.click(rows.x + part * rows.width, rows.y + (0.5 / RANKS) * rows.height);
    await page.locator(".details dd >> text=late sender").waitFor();
    assert.match(await page.locator(".details h3").innerText(), /^MPI_Recv on rank 0/);
    const facts = await factsOf(page);
    const us = (ns) => `${(ns / 1000).toPrecision(4)} us`;
    assert.equal(facts.duration, us(receive.end - receive.begin));
    assert.equal(facts.bytes, "8.0 KiB");
    assert.equal(facts.peer, `rank ${RANKS - 1}`);
    assert.ok(facts["wait state"].startsWith("late sender") && facts["wait state"].includes(us(receive.waitLength)), facts["wait state"]);
    assert.equal(facts["waiting for"], `rank ${RANKS - 1}`);
    await page.locator(".details").getByRole("button", { name: `rank ${RANKS - 1}` }).last().click();
    await page.locator(".details h3 >> text=MPI_Send").waitFor();
    await page.locator(".details dt >> text=received by").waitFor();
    assert.match((await factsOf(page))["received by"], /^rank 0, MPI_Recv/);
  }));

test("of a collective all ranks that took part are known, and which came last", () =>
  open("run", { hash: link({ rank: 2, call: 3 * 30 + 2 }) }, async (page) => {
    await page.locator(".details dt >> text=participants").waitFor();
    const calls = measured.map((row, rank) => ({ rank, ...row[3 * 30 + 2] })).sort((a, b) => a.begin - b.begin);
    const together = (await factsOf(page))["participants"];
    assert.match(together, new RegExp(`^${RANKS} ranks; first in: rank ${calls[0].rank}; last in: rank ${calls.at(-1).rank} `));
  }));

test("a link to a place opens it", () =>
  open("run", { hash: "#timeline?t=200000,400000&r=2,5&colour=waiting&call=3.10" }, async (page) => {
    await page.locator(".details").waitFor();
    assert.match(await page.locator(".details h3").innerText(), /rank 3/);
    assert.match((await factsOf(page)).call, /^no. 10 on rank 3$/);
    assert.equal(await page.getByRole("button", { name: "Waiting" }).first().getAttribute("aria-pressed"), "true");
    assert.match(await page.locator(".status").innerText(), /ranks 2 to 5/);
  }));

test("search lights up what matches and goes from one to the next", () =>
  open("run", {}, async (page) => {
    await page.keyboard.press("/");
    await page.keyboard.type("late sender");
    await page.keyboard.press("Enter");
    await page.locator(".details dd >> text=late sender").waitFor();
    const first = await page.locator(".details").innerText();
    await page.locator(".find input").press("Enter");
    await until(page, (text) => document.querySelector(".details").innerText !== text, first);
    await page.keyboard.press("Escape");
    assert.equal(await page.locator(".details").count(), 0);
  }));

test("measured and predicted are switched, and stand above each other on one axis", () =>
  open("run", {}, async (page) => {
    const choice = page.getByRole("button", { name: "both" });
    assert.equal(await page.locator(".rows").count(), 1);
    await choice.click();
    assert.deepEqual(await texts(page, ".run-name"), ["measured", "predicted"]);
    const boxes = await Promise.all([0, 1].map((i) => page.locator(".rows").nth(i).boundingBox()));
    assert.equal(boxes[0].x, boxes[1].x);
    assert.equal(boxes[0].width, boxes[1].width);
    await page.getByRole("button", { name: "predicted" }).click();
    const predicted = await rowsBox(page);
    await page.mouse.click(predicted.x + 0.3 * predicted.width, predicted.y + 10);
    await page.locator(".details").waitFor();
    assert.match(await page.locator(".details h3").innerText(), /, predicted$/);
  }));

/** Frames, timers and what is read come only after `release` is called: a machine that is busy with something else. */
function holdEffects() {
  const read = Response.prototype.arrayBuffer;
  const come = new Promise((done) => (window.come = done));
  Response.prototype.arrayBuffer = function () {
    return document.querySelector("h1") ? come.then(() => read.call(this)) : read.call(this);
  };
  const held = [];
  const [frame, timer] = [requestAnimationFrame.bind(window), setTimeout.bind(window)];
  let released = false;
  window.requestAnimationFrame = (f) => (released ? frame(f) : held.push(() => frame(f)));
  window.setTimeout = (f, ...rest) => (released ? timer(f, ...rest) : held.push(() => timer(f, ...rest)));
  window.release = () => {
    released = true;
    window.come();
    for (const go of held) go();
  };
}

test("keys, links and scrolling are heard as soon as the page is seen", () =>
  open("run", { init: holdEffects }, async (page) => {
    const status = await page.locator(".status").innerText();
    await page.evaluate(() => {
      document.querySelector(".panes").dispatchEvent(new KeyboardEvent("keydown", { key: "w", bubbles: true }));
    });
    await until(page, (text) => document.querySelector(".status").innerText !== text, status);
    await page.evaluate(() => (location.hash = "#timeline?r=4,5&only=4,5"));
    await until(page, () => document.querySelector(".status").innerText.includes("ranks 4 to 5"));
    await page.evaluate(() => {
      scrollTo({ top: document.documentElement.scrollHeight, behavior: "instant" });
      dispatchEvent(new Event("scroll"));
    });
    await until(page, () => document.querySelector(".docked"));
    await page.evaluate(() => window.release());
    await page.locator(".status >> text=ranks 4 to 5").waitFor();
  }));

test("a link that is followed while the view is being written down is not lost", () =>
  open("run", {}, async (page) => {
    await page.locator(".panes").focus();
    // The view is written down 250 ms after it changed; the link is followed just then, and the page is busy.
    await page.evaluate(async () => {
      document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "w", bubbles: true }));
      const until = (ms) => new Promise((done) => setTimeout(done, ms));
      await until(150);
      location.hash = "#timeline?r=4,5&only=4,5";
      const busy = performance.now() + 200;
      while (performance.now() < busy);
    });
    await page.locator(".status >> text=ranks 4 to 5").waitFor();
    await atRest(page);
    assert.match(await page.evaluate(() => location.hash), /only=4,5/);
  }));
