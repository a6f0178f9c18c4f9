// How the time line is drawn, by which renderer, and on what: single calls, levels of detail, hostile and damaged data.

import assert from "node:assert/strict";
import { test } from "node:test";
import { atRest, launch, until } from "./browser.mjs";
import { RANKS, colourAt, factsOf, measured, open, rowsBox, withTimeline, write } from "./known_run.mjs";

test("what is waiting, computing and sending has the colours of the legend", () =>
  open("run", {}, async (page) => {
    const span = Math.max(...measured.map((row) => row.at(-1).end + 1000));
    const wait = measured[1][3 * 30 + 2];
    const near = (a, b) => a.every((v, i) => Math.abs(v - b[i]) < 12);
    await atRest(page);
    const keys = async () =>
      page.locator(".legend .key").evaluateAll((all) =>
        all.map((e) => getComputedStyle(e).backgroundColor.match(/\d+/g).map(Number)),
      );
    const computing = await colourAt(page, RANKS - 1, wait.begin + 1000, span);
    assert.ok(near(computing, (await keys())[0]), `${computing}`);
    await page.getByRole("button", { name: "Waiting" }).first().click();
    await atRest(page);
    const waiting = await colourAt(page, 1, wait.begin + wait.waitLength / 2, span);
    assert.ok(near(waiting, (await keys())[3]), `${waiting}`);
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
      await page.locator(`.status[data-renderer=${name}]`).waitFor();
      await atRest(page);
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
      await page.locator(".status[data-renderer=Canvas]").waitFor();
      await atRest(page);
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
    assert.match(await page.locator(".status").innerText(), /aggregated view/);
    const rows = await rowsBox(page);
    await page.mouse.click(rows.x + 0.5 * rows.width, rows.y + 10);
    await page.locator(".details").waitFor();
    assert.ok((await factsOf(page)).mainly.length > 0);
    await page.locator("summary >> text=50 longest waits").click();
    const longest = measured.flat().reduce((most, c) => Math.max(most, c.waitLength ?? 0), 0);
    const table = page.locator("[id=timeline-waits]");
    const first = (await table.locator("tbody tr").first().innerText()).split(/\s+/);
    assert.equal(Number(first[2]), Number((longest / 1000).toFixed(3)));
    await table.locator("tbody a").first().press("Enter");
    await until(page, (rank) => location.hash.includes(`only=${rank},${rank}`), first[0]);
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
    assert.match(await page.locator("main").innerText(), /Run time is zero: nothing to draw/);
  });
  await open("no-ranks", {}, async (page) => {
    assert.match(await page.locator("main").innerText(), /No ranks to draw/);
  });
  await open("cut", {}, async (page) => {
    await page.locator(".status >> text=Cannot read all of it").waitFor();
  });
});

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
