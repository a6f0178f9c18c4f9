// What a reader can do with matrices, curves and tables, and that keys and links reach all of it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { texts, until } from "./browser.mjs";
import { RANKS, open, withTimeline, write } from "./known_run.mjs";
import { makeMatrix } from "./made_timeline.mjs";

test("a cell of a matrix tells its pair and shows it in the time line", () =>
  open("run", {}, async (page) => {
    const canvas = page.locator(".matrix canvas");
    const { width, height } = await canvas.boundingBox();
    const position = { x: (5.5 / RANKS) * width, y: (4.5 / RANKS) * height };
    await canvas.hover({ position }); // waits until it is in sight and stands still
    await page.locator(".matrix-cell >> text=/sender 4, receiver 5: 320\\.0 KiB/").waitFor();
    assert.equal((await texts(page, "[id=matrix-bytes-cells] tbody tr")).length, RANKS);
    await canvas.click({ position });
    await until(page, () => location.hash.includes("only=4,5"));
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

test("? shows the keys and hides them again", () =>
  open("run", {}, async (page) => {
    await page.locator(".panes").focus();
    await page.keyboard.press("?");
    const help = page.locator(".keys");
    for (const words of ["zoom in and out", "the whole run", "search"]) {
      assert.ok((await help.innerText()).includes(words), words);
    }
    await page.keyboard.press("?");
    assert.equal(await help.count(), 0);
  }));

/** A curve with today's latency at 3 us, in sight. */
async function chartOf(page, id) {
  const over = page.locator(`[id="${id}"] .u-over`).first();
  await over.evaluate((element) => element.scrollIntoView({ block: "center", behavior: "instant" }));
  return over.boundingBox();
}

const HIGHEST_US = 16; // latencies of the sample's curve go from 0 to that

test("the mark of a tolerance is dragged, and the answer follows", () =>
  open("run", {}, async (page) => {
    const plot = await chartOf(page, "makespan-over-latency");
    const latency = page.locator("[id=makespan-over-latency] .tolerance input[type=number]").nth(1);
    const place = (us) => plot.x + (plot.width * us) / HIGHEST_US;
    await page.mouse.move(place(Number(await latency.inputValue())), plot.y + 40);
    await page.mouse.down();
    await page.mouse.move(place(8), plot.y + 40, { steps: 4 });
    await page.mouse.up();
    await page.mouse.move(place(12), plot.y + 40); // let go: stays where it is
    const at = Number(await latency.inputValue());
    assert.ok(Math.abs(at - 8) < 0.1, `${at} us`);
  }));

/** The curve with a second scenario that takes 10 ms more, and a measured point. */
function withScenario(report) {
  for (const { items } of report.sections) {
    for (const series of items.filter(({ id }) => id === "makespan-over-latency")) {
      series.now = 3000;
      const [first, lambda] = series.lines;
      series.lines.push({ ...first, name: "T ring", y: first.y.map((y) => y + 1e7) }, { ...lambda, name: "lambda ring" });
      const place = series.x.findIndex((x) => x >= 3000);
      const measured = series.x.map((_, i) => (i === place ? 7e7 : null));
      series.lines.push({ ...first, name: "measured", y: measured, points: true });
    }
  }
}

test("several scenarios and a measured point stand in one plot and are asked together", async () => {
  write("scenarios", (report) => {
    withScenario(report);
    return withTimeline(report, {}).blobs;
  });
  await open("scenarios", {}, async (page) => {
    const chart = page.locator("[id=makespan-over-latency]");
    const head = await chart.locator(".panel-head").first().innerText();
    assert.match(head, /makespan T[^]*T ring[^]*measured[^]*70\.00\sms/);
    const latency = chart.locator(".tolerance input[type=number]").nth(1);
    await latency.fill("3");
    await latency.press("Tab");
    const answers = await texts(page, "[id=makespan-over-latency] .tolerance .answer");
    assert.equal(answers.length, 2);
    assert.match(answers[0], /64\.14\sms/);
    assert.match(answers[1], /T ring 74\.14\sms/);
  });
});

test("clustered, pairs that talk to each other stand beside each other", async () => {
  // Rank i talks to i + 4 alone: in the order of ranks that is far from the diagonal.
  write("pairs", (report) => {
    const made = withTimeline(report, {});
    const half = RANKS / 2;
    const pairs = makeMatrix("matrix-bytes", "Bytes", RANKS, (i, j) => (Math.abs(i - j) === half ? 1024 : 0), made.blobs);
    report.sections.push({ id: "matrices", title: "Matrices", items: [pairs], children: [] });
    return made.blobs;
  });
  await open("pairs", {}, async (page) => {
    const canvas = page.locator(".matrix canvas");
    const { width } = await canvas.boundingBox();
    const side = width / RANKS;
    const beside = async () => {
      let sum = 0;
      for (let i = 0; i < RANKS; i += 2) {
        await canvas.hover({ position: { x: (i + 1.5) * side, y: (i + 0.5) * side } });
        sum += /: 1\.0 KiB|: 1,?024/.test(await page.locator(".matrix-cell").innerText()) ? 1 : 0;
      }
      return sum;
    };
    assert.equal(await beside(), 0);
    await page.getByRole("button", { name: "clustered" }).click();
    assert.equal(await beside(), RANKS / 2);
  });
});

test("a table is saved as a file of comma-separated values", () =>
  open("run", { acceptDownloads: true }, async (page) => {
    const table = page.locator("figure[id=pieces]");
    const [download] = await Promise.all([page.waitForEvent("download"), table.getByRole("button", { name: "Save" }).click()]);
    assert.match(download.suggestedFilename(), /\.csv$/);
    const lines = readFileSync(await download.path(), "utf8").trim().split(/\r?\n/);
    assert.equal(lines.length, 1 + (await table.locator("tbody tr").count()));
  }));

test("a colour of the legend stands out in the time line when it is pressed", () =>
  open("run", {}, async (page) => {
    const key = page.locator(".legend button", { hasText: "MPI_Recv" });
    await key.click();
    assert.equal(await key.getAttribute("aria-pressed"), "true");
    await key.click();
    assert.equal(await key.getAttribute("aria-pressed"), "false");
  }));
