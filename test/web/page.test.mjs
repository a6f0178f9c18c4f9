// The report's page in a real browser. Run by CTest (CMakeLists.txt) with the samples' directory in
// SLACKLINE_SAMPLES, web/ in SLACKLINE_WEB and a Chromium in SLACKLINE_CHROMIUM.

import assert from "node:assert/strict";
import { test } from "node:test";
import { isDrawn, texts, withPage } from "./browser.mjs";

test("the first screen has title, sentences and key facts with units", () =>
  withPage("sample", {}, async (page) => {
    assert.equal(await page.title(), "lulesh-64.slk");
    assert.equal(await page.locator("h1").innerText(), "lulesh-64.slk");
    assert.match(await page.locator(".lead").innerText(), /predicted to take 64\.14\sms/);
    const tiles = await texts(page, ".tiles > div");
    assert.equal(tiles.length, 6);
    assert.match(tiles[0], /^makespan\s+64\.14 ms$/);
    assert.match(tiles[1], /^lambda_L\s+371$/);
    assert.match(tiles[2], /^rho_L\s+1\.7 %$/);
    assert.ok((await page.locator(".tiles").boundingBox()).y < 900);
  }));

test("an explanation shows on focus and on hover only", () =>
  withPage("sample", {}, async (page) => {
    const tip = page.locator(".tiles [role=tooltip]").first();
    assert.equal(await tip.isVisible(), false);
    await page.locator(".tiles .hint").first().focus();
    assert.equal(await tip.isVisible(), true);
    await page.keyboard.press("Escape");
    assert.equal(await tip.isVisible(), false);
    await page.locator(".tiles .hint").first().hover();
    assert.equal(await tip.isVisible(), true);
    const { y, height } = await tip.boundingBox();
    assert.ok(y > 0 && height < 150, "it stands beside its word");
  }));

test("findings come gravest first, options are folded", () =>
  withPage("sample", {}, async (page) => {
    const names = await texts(page, ".findings code");
    assert.deepEqual(names, ["unmatched_send", "clock_drift", "wildcard_receive"]);
    const options = page.locator("#provenance .pairs").first();
    assert.equal(await options.isVisible(), false);
    await page.locator("#provenance summary").click();
    assert.equal(await options.isVisible(), true);
    assert.match(await page.locator("#provenance").innerText(), /model\.L\s+3 us/);
  }));

const LATENCY = "[id=makespan-over-latency]";

test("series are drawn as panels with one cursor", () =>
  withPage("sample", {}, async (page) => {
    const canvases = page.locator(`${LATENCY} .panels canvas`);
    assert.equal(await canvases.count(), 3);
    for (const canvas of await canvases.all()) assert.equal(await isDrawn(canvas), true);
    assert.equal(await page.locator(`${LATENCY} .zones li`).count(), 3);
    await page.locator(`${LATENCY} .u-over`).first().hover({ position: { x: 200, y: 50 } });
    const values = await texts(page, `${LATENCY} .panel-head strong`);
    assert.match(values[0], /^6\d\.\d\d ms$/);
    assert.match(values[1], /^\d{3}$/);
    assert.match(values[2], /^\d\.\d %$/);
  }));

test("arrow keys move the cursor from point to point", () =>
  withPage("sample", {}, async (page) => {
    const cursor = page.locator(`${LATENCY} .cursor-at`);
    await page.locator(`${LATENCY} .panels`).focus();
    await page.keyboard.press("Home");
    assert.match(await cursor.innerText(), /latency L\s*0 s/);
    await page.keyboard.press("End");
    assert.match(await cursor.innerText(), /latency L\s*16\.00 us/);
  }));

const SENSITIVITY = "figure[id=sensitivity]";

test("a curve with few points is read between them, by its slope", () =>
  withPage("two-ranks", {}, async (page) => {
    const panels = page.locator(`${SENSITIVITY} .panels`);
    await panels.focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    assert.match(await page.locator(`${SENSITIVITY} .cursor-at`).innerText(), /latency L\s*385 ns/);
    assert.deepEqual(await texts(page, `${SENSITIVITY} .panel-head strong`), ["1.500 us", "1"]);
    const over = page.locator(`${SENSITIVITY} .u-over`).first();
    await over.evaluate((element) => element.scrollIntoView({ block: "center", behavior: "instant" }));
    const plot = await over.boundingBox();
    const at = async (ns) => {
      await page.mouse.move(plot.x + (plot.width * ns) / 1000, plot.y + 20);
      const latency = Number((await page.locator(`${SENSITIVITY} .cursor-at strong`).innerText()).split(" ")[0]);
      const [makespan, lambda] = await texts(page, `${SENSITIVITY} .panel-head strong`);
      return { latency, makespan: 1000 * Number(makespan.split(" ")[0]), lambda };
    };
    const before = await at(200);
    assert.ok(Math.abs(before.latency - 200) < 3, `${before.latency} ns under the mouse`);
    assert.deepEqual([before.makespan, before.lambda], [1500, "0"]);
    const later = await at(500);
    assert.ok(Math.abs(later.makespan - later.latency - 1115) <= 1);
    assert.equal(later.lambda, "1");
  }));

const firstColumn = (page, id) => texts(page, `[id="${id}"] tbody td:first-child`);

test("a table sorts by its columns' values and says so", () =>
  withPage("sample", {}, async (page) => {
    const id = "critical-path-by-rank";
    const original = await firstColumn(page, id);
    assert.deepEqual(original, ["0", "21", "5", "63", "42", "16", "20", "37"]);
    const head = page.locator(`[id="${id}"] th`).first();
    await head.locator("button").click();
    assert.deepEqual(await firstColumn(page, id), ["63", "42", "37", "21", "20", "16", "5", "0"]);
    assert.equal(await head.getAttribute("aria-sort"), "descending");
    await page.keyboard.press("Enter"); // the button has the focus
    assert.deepEqual(await firstColumn(page, id), ["0", "5", "16", "20", "21", "37", "42", "63"]);
    await page.keyboard.press("Enter");
    assert.deepEqual(await firstColumn(page, id), original);
  }));

test("a table copies as CSV, the report as JSON", () =>
  withPage("sample", { permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
    const copied = async (button) => {
      await button.click();
      await button.getByText("Copied").waitFor();
      return page.evaluate(() => navigator.clipboard.readText());
    };
    const csv = await copied(page.locator("[id=tolerance] button.quiet").first());
    assert.match(csv, /^slower_by_ratio,latency_L_ns,above_3_us_ns,makespan_ns\r?\n0\.01,/);
    const json = JSON.parse(await copied(page.locator(".tools button").first()));
    assert.equal(json.schema, "slackline/1");
    assert.equal(json.result.lambda_L, 371);
    assert.equal("sections" in json, false);
  }));

const ground = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

test("light and dark follow the system until the reader chooses", async () => {
  const light = "rgb(255, 255, 255)";
  await withPage("sample", { colorScheme: "light" }, async (page) => {
    assert.equal(await ground(page), light);
    await page.locator("#theme").click();
    assert.notEqual(await ground(page), light);
    assert.equal(await isDrawn(page.locator(`${LATENCY} .panels canvas`).first()), true);
    await page.locator("#theme").click();
    assert.equal(await ground(page), light);
  });
  await withPage("sample", { colorScheme: "dark" }, async (page) => {
    assert.notEqual(await ground(page), light);
  });
});

// The report, the packed script, what unpacks it, and what was unpacked.
const SCRIPTS = 4;

test("hostile names are text and nothing else", () =>
  withPage("hostile", {}, async (page) => {
    const markup = `</script><img src=x onerror="document.title='owned'">`;
    assert.ok((await page.title()).startsWith(markup));
    assert.ok((await page.locator("h1").innerText()).startsWith(markup));
    assert.equal(await page.locator("img").count(), 0);
    assert.equal(await page.locator("script").count(), SCRIPTS);
    assert.doesNotMatch(await page.locator("main").innerText(), /[\x1b\x07\u202e]/);
    await page.locator("#provenance summary").click();
    assert.ok((await page.locator("#provenance").innerText()).includes(markup));
  }));

test("an empty report is a page too", () =>
  withPage("empty", {}, async (page) => {
    assert.match(await page.locator("#findings").innerText(), /No data-quality warnings/);
  }));

test("nothing is wider than a phone", () =>
  withPage("sample", { viewport: { width: 400, height: 800 } }, async (page) => {
    const overflow = () => document.documentElement.scrollWidth - window.innerWidth;
    assert.ok((await page.evaluate(overflow)) <= 0);
  }));

test("without JavaScript the text form is shown", () =>
  withPage("sample", { javaScriptEnabled: false }, async (page) => {
    assert.match(await page.locator("body").innerText(), /makespan\s+64\.14 ms/);
  }));
