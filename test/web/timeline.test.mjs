// The time line and the matrices in a real browser, on a run whose every call is known
// (made_timeline.mjs).

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, samplePath, texts, withFile } from "./browser.mjs";
import { makeMatrix, makeTimeline, withReport } from "./made_timeline.mjs";

const RANKS = 8;
const STEPS = 40;
let directory;
let measured;

function write(name, change, from = "sample") {
  const path = join(directory, `${name}.html`);
  writeFileSync(path, withReport(readFileSync(samplePath(from), "utf8"), change));
  return path;
}

function withTimeline(report, options) {
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

const open = (name, options, look) => withFile(join(directory, `${name}.html`), options, look);

const numbers = (page) =>
  page.evaluate(() => new URLSearchParams(location.hash.split("?")[1] ?? "").get("t")?.split(",").map(Number));

/** The fragment is written a moment after the view has changed. */
async function settled(page) {
  await page.waitForTimeout(400);
  return numbers(page);
}

/** The colour in the middle of a call, as it is on the screen. */
async function colourAt(page, rank, ns, span) {
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

/** Where the first run's rows are, in sight of the mouse. */
async function rowsBox(page) {
  const rows = page.locator(".rows").first();
  await rows.evaluate((element) => element.scrollIntoView({ block: "center", behavior: "instant" }));
  return rows.boundingBox();
}

const link = (call) => `#timeline?call=${call.rank}.${call.call}`;

/** Facts by their names. */
async function factsOf(page) {
  const names = await texts(page, ".details dt");
  const values = await texts(page, ".details dd");
  return Object.fromEntries(names.map((name, i) => [name, values[i].replace(/\s+/g, " ")]));
}

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
    await page.waitForTimeout(400);
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
    await page.waitForTimeout(300);
    const rows = await rowsBox(page);
    const part = ((receive.begin + receive.end) / 2 - receive.begin + 40000) / (receive.end - receive.begin + 80000);
    await page.mouse.click(rows.x + part * rows.width, rows.y + (0.5 / RANKS) * rows.height);
    await page.locator(".details dd >> text=late sender").waitFor();
    assert.match(await page.locator(".details h3").innerText(), /^MPI_Recv on rank 0/);
    const facts = await factsOf(page);
    const us = (ns) => `${(ns / 1000).toPrecision(4)} us`;
    assert.equal(facts.lasts, us(receive.end - receive.begin));
    assert.equal(facts.bytes, "8.0 KiB");
    assert.equal(facts.peer, `rank ${RANKS - 1}`);
    assert.ok(facts.waits.startsWith(us(receive.waitLength)), facts.waits);
    assert.equal(facts["because of"], `rank ${RANKS - 1}`);
    await page.locator(".details").getByRole("button", { name: `rank ${RANKS - 1}` }).last().click();
    await page.locator(".details h3 >> text=MPI_Send").waitFor();
    await page.locator(".details dt >> text=is received by").waitFor();
    assert.match((await factsOf(page))["is received by"], /^rank 0, MPI_Recv/);
  }));

test("of a collective all ranks that took part are known, and which came last", () =>
  open("run", { hash: link({ rank: 2, call: 3 * 30 + 2 }) }, async (page) => {
    await page.locator(".details dt >> text=together with").waitFor();
    const calls = measured.map((row, rank) => ({ rank, ...row[3 * 30 + 2] })).sort((a, b) => a.begin - b.begin);
    const together = (await factsOf(page))["together with"];
    assert.match(together, new RegExp(`^${RANKS} ranks; rank ${calls[0].rank} came first, rank ${calls.at(-1).rank} last`));
  }));

test("a link to a place opens it", () =>
  open("run", { hash: "#timeline?t=200000,400000&r=2,5&colour=waiting&call=3.10" }, async (page) => {
    await page.locator(".details").waitFor();
    assert.match(await page.locator(".details h3").innerText(), /rank 3/);
    assert.match((await factsOf(page)).call, /^number 10 of rank 3$/);
    assert.equal(await page.getByRole("button", { name: "Waiting" }).first().getAttribute("aria-pressed"), "true");
    assert.match(await page.locator(".status").innerText(), /ranks 2 to 5/);
  }));

test("what is waiting, computing and sending has the colours of the legend", () =>
  open("run", {}, async (page) => {
    const span = Math.max(...measured.map((row) => row.at(-1).end + 1000));
    const wait = measured[1][3 * 30 + 2];
    const near = (a, b) => a.every((v, i) => Math.abs(v - b[i]) < 12);
    await page.waitForTimeout(300);
    const keys = async () =>
      page.locator(".legend .key").evaluateAll((all) =>
        all.map((e) => getComputedStyle(e).backgroundColor.match(/\d+/g).map(Number)),
      );
    const computing = await colourAt(page, RANKS - 1, wait.begin + 1000, span);
    assert.ok(near(computing, (await keys())[0]), `${computing}`);
    await page.getByRole("button", { name: "Waiting" }).first().click();
    await page.waitForTimeout(300);
    const waiting = await colourAt(page, 1, wait.begin + wait.waitLength / 2, span);
    assert.ok(near(waiting, (await keys())[3]), `${waiting}`);
  }));

test("search lights up what matches and goes from one to the next", () =>
  open("run", {}, async (page) => {
    await page.keyboard.press("/");
    await page.keyboard.type("late sender");
    await page.keyboard.press("Enter");
    await page.locator(".details dd >> text=late sender").waitFor();
    const first = await page.locator(".details").innerText();
    await page.locator(".find input").press("Enter");
    await page.waitForFunction((text) => document.querySelector(".details").innerText !== text, first);
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
    await page.waitForTimeout(400);
    assert.match(await page.evaluate(() => location.hash), /only=4,5/);
  }));

/** The page does not take a WebGL that is software: here it is not told. */
function hideSoftware() {
  const original = WebGLRenderingContext.prototype.getExtension;
  WebGLRenderingContext.prototype.getExtension = function (name) {
    return name === "WEBGL_debug_renderer_info" ? null : original.call(this, name);
  };
}

test("WebGL and the canvas draw the same", async () => {
  const pixels = {};
  for (const [name, init] of [["WebGL", hideSoftware], ["Canvas", undefined]]) {
    await open("run", { init }, async (page) => {
      await page.locator(`.status >> text=${name}`).waitFor();
      await page.waitForTimeout(300);
      const places = [0, 3, 7].flatMap((rank) => [0.11, 0.42, 0.73].map((part) => [rank, part]));
      pixels[name] = await Promise.all(places.map(([rank, part]) => colourAt(page, rank, part, 1)));
    });
  }
  assert.deepEqual(pixels.WebGL, pixels.Canvas);
});

test("without any WebGL it is the canvas", async () => {
  const plain = await launch("--disable-gpu", "--disable-3d-apis");
  try {
    await open("run", { browser: plain }, async (page) => {
      await page.locator(".status >> text=Canvas").waitFor();
      const [r, g, b] = await colourAt(page, 0, 5000, 1e6);
      assert.ok(r + g + b > 0 && r + g + b < 3 * 255);
    });
  } finally {
    await plain.close();
  }
});

test("a page without single calls says so and still zooms", async () => {
  write("levels", (report) => withTimeline(report, { complete: false }).blobs);
  await open("levels", {}, async (page) => {
    assert.match(await page.locator(".timeline").innerText(), /Single calls are not in this page/);
    await page.locator(".panes").focus();
    for (let i = 0; i < 12; ++i) await page.keyboard.press("w");
    assert.match(await page.locator(".status").innerText(), /mixed colours/);
    const rows = await rowsBox(page);
    await page.mouse.click(rows.x + 0.5 * rows.width, rows.y + 10);
    await page.locator(".details").waitFor();
    assert.ok((await factsOf(page)).mostly.length > 0);
    await page.locator("summary >> text=50 longest waits").click();
    const longest = measured.flat().reduce((most, c) => Math.max(most, c.waitLength ?? 0), 0);
    const table = page.locator("[id=timeline-waits]");
    const first = (await table.locator("tbody tr").first().innerText()).split(/\s+/);
    assert.equal(Number(first[2]), Number((longest / 1000).toFixed(3)));
    await table.locator("tbody a").first().click();
    await page.waitForFunction((rank) => location.hash.includes(`only=${rank},${rank}`), first[0]);
  });
});

test("hostile names in a time line are text and nothing else", async () => {
  const evil = `</script><img src=x onerror="document.title='owned'">\u202e`;
  write("evil", (report) => {
    const made = withTimeline(report, {
      names: { operations: ["computation", evil, evil, evil], patterns: ["", evil, evil], phase: evil },
    });
    made.item.title = made.item.id = evil;
    made.item.runs[1].name = evil;
    return made.blobs;
  });
  await open("evil", { hash: `#${encodeURIComponent(evil)}` }, async (page) => {
    await page.getByRole("button", { name: "both" }).click();
    const rows = await rowsBox(page);
    await page.mouse.click(rows.x + 0.5 * rows.width, rows.y + 10);
    await page.locator(".details").waitFor();
    assert.equal(await page.locator("img").count(), 0);
    assert.notEqual(await page.title(), "owned");
    assert.ok((await page.locator(".legend").innerText()).includes("<img"));
  });
});

test("runs without ranks and without length, and files that are cut off, are told in words", async () => {
  const change = (edit) => (report) => {
    const made = withTimeline(report, {});
    edit(made.item);
    return made.item.keep ?? made.blobs;
  };
  write("no-length", change((item) => Object.assign(item, { span: 0 })));
  write("no-ranks", change((item) => Object.assign(item, { ranks: 0, runs: [] })));
  write("cut", change((item) => Object.assign(item, { keep: [] })));
  await open("no-length", {}, async (page) => {
    assert.match(await page.locator("main").innerText(), /This run has no length/);
  });
  await open("no-ranks", {}, async (page) => {
    assert.match(await page.locator("main").innerText(), /No ranks to draw/);
  });
  await open("cut", {}, async (page) => {
    await page.locator(".status >> text=Cannot read all of it").waitFor();
  });
});

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

test("it prints to a PDF", async () => {
  await open("run", {}, async (page) => {
    const pdf = await page.pdf({ format: "A4" });
    assert.equal(pdf.subarray(0, 5).toString(), "%PDF-");
    assert.ok(pdf.length > 20_000);
  });
});

test("with the time line nothing is wider than a phone either", () =>
  open("run", { viewport: { width: 400, height: 800 } }, async (page) => {
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    assert.ok(overflow <= 0, `${overflow} pixels too wide`);
  }));
