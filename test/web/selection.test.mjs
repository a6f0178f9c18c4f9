// Statistics of an interval on some ranks, against sums over the known calls; and what a reader can take along: calls as CSV,
// pictures, bookmarks with notes.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { texts, until } from "./browser.mjs";
import { measured, open, RANKS, rowsBox, settled, withTimeline, write } from "./known_run.mjs";

const FROM = 300_000;
const TO = 700_000;
const FIRST = 2;
const LAST = 5;
const NAMES = ["computation", "MPI_Send", "MPI_Recv", "MPI_Allreduce"];
const hash = `#timeline?t=${FROM},${TO}&r=${FIRST},${LAST}&statistics=`;
const downloads = { acceptDownloads: true };

const inside = (begin, end) => Math.max(0, Math.min(end, TO) - Math.max(begin, FROM));
const rows = () => measured.slice(FIRST, LAST + 1);

async function download(page, press) {
  const [file] = await Promise.all([page.waitForEvent("download"), press()]);
  return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
}

/** Rows of a file of comma-separated values, by the names of its columns. */
function parsed(bytes) {
  const [head, ...lines] = bytes.toString("utf8").trim().split(/\r?\n/).map((line) => line.split(","));
  return lines.map((line) => Object.fromEntries(head.map((name, i) => [name, line[i]])));
}

const tableOf = async (page, name) => {
  const table = page.locator(`figure[id=timeline-statistics-${name}]`);
  await table.waitFor();
  return parsed((await download(page, () => table.getByRole("button", { name: "Save" }).click())).bytes);
};

test("time by operation, wait time and efficiency of an interval on some ranks are those of its calls", () =>
  open("run", { ...downloads, hash }, async (page) => {
    const operations = await tableOf(page, "operations");
    for (const [operation, name] of NAMES.entries()) {
      const all = rows().flat().filter((c) => c.operation === operation);
      const row = operations.find((r) => r.operation === name);
      const mpi = rows().flat().reduce((sum, c) => sum + inside(c.begin, c.end), 0);
      const wanted = operation === 0 ? rows().length * (TO - FROM) - mpi : all.reduce((sum, c) => sum + inside(c.begin, c.end), 0);
      assert.equal(Number(row.time_ns), wanted, name);
      const begun = all.filter((c) => c.begin >= FROM && c.begin < TO);
      assert.equal(Number(row.calls), begun.length, name);
      assert.equal(Number(row.bytes_bytes), begun.reduce((sum, c) => sum + c.bytes, 0), name);
      const whole = measured.flat().filter((c) => c.operation === operation);
      if (operation > 0) assert.equal(Number(row.whole_run_ns), whole.reduce((sum, c) => sum + c.end - c.begin, 0), name);
    }
    const waits = await tableOf(page, "waits");
    const waiting = rows().flat().filter((c) => c.wait).reduce((sum, c) => sum + inside(c.begin, c.begin + c.waitLength), 0);
    assert.equal(waits.reduce((sum, r) => sum + Number(r.time_ns), 0), waiting);
    const computing = rows().map((row) => TO - FROM - row.reduce((sum, c) => sum + inside(c.begin, c.end), 0));
    const [parallel, balance] = await tableOf(page, "efficiency");
    const mean = computing.reduce((a, b) => a + b) / computing.length;
    assert.ok(Math.abs(Number(parallel.selection_ratio) - mean / (TO - FROM)) < 1e-9);
    assert.ok(Math.abs(Number(balance.selection_ratio) - mean / Math.max(...computing)) < 1e-9);
    const [size] = await tableOf(page, "sizes");
    assert.equal(size.size, "8.0 KiB to below 16.0 KiB");
  }));

test("a filter keeps the calls that it names, and they are saved with their waits", () =>
  open("run", { ...downloads, hash: `${hash}${encodeURIComponent("mpi_recv dur>5us wait=late")}` }, async (page) => {
    const button = page.getByRole("button", { name: "Save calls as CSV" });
    await button.waitFor();
    const { name, bytes } = await download(page, () => button.click());
    assert.equal(name, "calls-measured.csv");
    const begins = (c) => c.begin >= FROM && c.begin < TO;
    const wanted = measured.flatMap((row, rank) => row.map((c, call) => ({ ...c, rank, call })))
      .filter((c) => c.rank >= FIRST && c.rank <= LAST && begins(c) && c.operation === 2 && c.end - c.begin > 5000 && c.wait === 1);
    const saved = parsed(bytes);
    const order = (a, b) => a.rank - b.rank || a.call - b.call;
    const got = saved.map((r) => ({ rank: Number(r.rank), call: Number(r.call), wait: Number(r.wait_ns), cause: Number(r.waiting_for) })).sort(order);
    assert.deepEqual(got, wanted.sort(order).map((c) => ({ rank: c.rank, call: c.call, wait: c.waitLength, cause: c.cause })));
    for (const column of ["wait_pattern", "region", "peer", "size_bytes", "collective"]) assert.ok(column in (saved[0] ?? { [column]: 0 }), column);
    await page.getByLabel("Filter of calls").fill("nonsense=3");
    await page.locator("[role=alert] >> text=Not understood: nonsense=3").waitFor();
  }));

test("bookmarks with notes are in the link", async () => {
  const note = "late, \"here\" & <there>";
  let link = "";
  await open("run", { hash: `#timeline?t=${FROM},${TO}&r=1,3` }, async (page) => {
    await page.getByLabel("Note for a bookmark").fill(note);
    await page.getByRole("button", { name: "Bookmark", exact: true }).click();
    await until(page, () => location.hash.includes("mark="));
    link = await page.evaluate(() => location.hash);
  });
  await open("run", { hash: link }, async (page) => {
    await page.locator(".bookmark").waitFor();
    assert.deepEqual(await texts(page, ".bookmark .link"), [note]);
    await page.locator(".panes").focus();
    await page.keyboard.press("0");
    await page.locator(".bookmark .link").click();
    assert.deepEqual(await settled(page), [FROM, TO]);
  });
});

test("the time line, curves and matrices are saved as PNG and SVG", () =>
  open("run", downloads, async (page) => {
    for (const host of [".timeline", ".chart:has(.save-picture)", ".matrices"]) {
      const buttons = page.locator(host).first().locator(".save-picture button");
      const png = await download(page, () => buttons.nth(0).click());
      assert.equal(png.bytes.subarray(1, 4).toString(), "PNG", host);
      assert.ok(png.bytes.length > 5000, host);
      const svg = (await download(page, () => buttons.nth(1).click())).bytes.toString("utf8");
      assert.match(svg, /^<svg xmlns[^]*<image[^]*data:image\/png[^]*<text[^]*<\/svg>$/, host);
    }
  }));

test("ranks are grouped by host and by similarity, collapsed to a representative and expanded", () =>
  open("run", {}, async (page) => {
    const rows = async () => Number(/rows 0 to ([\d,]+)/.exec(await page.locator(".status").innerText())[1]) + 1;
    await page.getByRole("button", { name: "host", exact: true }).click();
    await page.locator(".status >> text=rows 0 to 1").waitFor();
    assert.deepEqual(await texts(page, ".group"), ["▸ left: 4", "▸ right: 4"]);
    await page.locator(".group", { hasText: "right" }).click();
    assert.equal(await rows(), 5);
    await until(page, () => location.hash.includes("group=host"));
    await page.getByRole("button", { name: "Collapse all" }).click();
    assert.equal(await rows(), 2);
    // The last rank computes three times as long from the middle on, and is like no other.
    await page.getByRole("button", { name: "similarity" }).click();
    await page.locator(".group").first().waitFor();
    assert.ok((await texts(page, ".group")).some((name) => /: 1$/.test(name)), `${await texts(page, ".group")}`);
    await page.getByRole("button", { name: "none", exact: true }).click();
    await page.locator(".status >> text=ranks 0 to 7").waitFor();
  }));

/** Drags with Shift from the middle of one row to that of another, over parts of the time in view. */
async function mark(page, [first, last], [from, to]) {
  const box = await rowsBox(page);
  const y = (rank) => box.y + ((rank + 0.5) / RANKS) * box.height;
  await page.keyboard.down("Shift");
  await page.mouse.move(box.x + from * box.width, y(first));
  await page.mouse.down();
  await page.mouse.move(box.x + to * box.width, y(last), { steps: 4 });
  assert.ok((await page.locator(".mark").boundingBox()).height < box.height);
  await page.mouse.up();
  await page.keyboard.up("Shift");
}

const near = (a, b, what = "") => assert.ok(Math.abs(a - b) <= 1e-3 * Math.max(a, b), `${what} ${a} is not ${b}`);

test("a rectangle of ranks and time is what the rows, statistics and trees show", () =>
  open("run", { ...downloads, hash: "#timeline?t=200000,1000000" }, async (page) => {
    await mark(page, [2, 4], [0.25, 0.5]);
    const [from, to] = await settled(page);
    assert.ok(Math.abs(from - 400_000) < 2000 && Math.abs(to - 600_000) < 2000, `${from} ${to}`);
    assert.match(await page.locator(".status").innerText(), /, ranks 2 to 4;/);
    await page.getByRole("button", { name: "Statistics of this view" }).click();
    const operations = await tableOf(page, "operations");
    await page.locator(".metric-trees > summary").click();
    const metrics = await treeOf(page, "Metric");
    near(metrics.time, 3 * (to - from), "time");
    const time = operations.reduce((sum, r) => sum + Number(r.time_ns), 0);
    near(time, 3 * (to - from), "time of the statistics");
    const inMpi = (rank) => measured[rank].reduce((sum, c) => sum + Math.max(0, Math.min(c.end, to) - Math.max(c.begin, from)), 0);
    near(metrics.MPI, inMpi(2) + inMpi(3) + inMpi(4), "MPI");
    const ranks = await treeOf(page, "System");
    near(ranks.left, 2 * (to - from), "ranks 2 and 3");
    near(ranks.right, to - from, "rank 4");
  }));

test("a drag along the rows selects time of all of them, a drag across them ranks at all times", () =>
  open("run", { hash: "#timeline?t=200000,1000000" }, async (page) => {
    const box = await rowsBox(page);
    await mark(page, [1, 3], [0.5, 0.502]);
    assert.deepEqual(await settled(page), [200_000, 1_000_000]);
    assert.match(await page.locator(".status").innerText(), /, ranks 1 to 3;/);
    await page.keyboard.down("Shift");
    await page.mouse.move(box.x + box.width / 4, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2 + 3, { steps: 3 });
    await page.mouse.up();
    await page.keyboard.up("Shift");
    const [from, to] = await settled(page);
    assert.ok(Math.abs(from - 400_000) < 2000 && Math.abs(to - 600_000) < 2000, `${from} ${to}`);
    assert.match(await page.locator(".status").innerText(), /, ranks 1 to 3;/);
  }));

test("a set of ranks is a filter: rows, statistics and trees have these alone, and the link keeps them", async () => {
  let link = "";
  await open("run", { ...downloads, hash: `#timeline?t=${FROM},${TO}` }, async (page) => {
    await page.getByLabel("Ranks shown").fill("1,6-7, 6");
    await page.getByLabel("Ranks shown").press("Enter");
    await page.locator(".status >> text=3 of 8 ranks").waitFor();
    await page.locator(".metric-trees > summary").click();
    const ranks = await treeOf(page, "System");
    near(ranks["all ranks"], 3 * (TO - FROM));
    near(ranks.left, TO - FROM);
    near(ranks.right, 2 * (TO - FROM));
    await until(page, () => location.hash.includes("ranks=1,6-7"));
    link = await page.evaluate(() => location.hash);
    // By the name of a group.
    await page.getByLabel("Ranks shown").fill("right");
    await page.getByLabel("Ranks shown").press("Enter");
    await page.locator(".status >> text=4 of 8 ranks").waitFor();
    await page.getByLabel("Ranks shown").fill("0-99");
    await page.getByLabel("Ranks shown").press("Enter");
    await page.locator("[role=alert] >> text=0-99").waitFor();
    await page.locator(".status >> text=4 of 8 ranks").waitFor();
  });
  await open("run", { ...downloads, hash: link }, async (page) => {
    await page.getByRole("button", { name: "Statistics of this view" }).click();
    const operations = await tableOf(page, "operations");
    const sends = operations.find((r) => r.operation === "MPI_Send");
    const wanted = [1, 6, 7].flatMap((rank) => measured[rank]).filter((c) => c.operation === 1);
    assert.equal(Number(sends.time_ns), wanted.reduce((sum, c) => sum + inside(c.begin, c.end), 0));
    // A click in the second row selects a call of rank 6.
    const box = await rowsBox(page);
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await page.locator(".details h3 >> text=rank 6").waitFor();
  });
});

/** Inclusive values of one of the three trees in nanoseconds or as counts, by the names of their nodes. */
async function treeOf(page, title) {
  const rows = page.locator(`.severity-tree[aria-label="${title}"] tbody tr`);
  await rows.first().waitFor();
  const scale = { s: 1e9, ms: 1e6, us: 1e3, ns: 1 };
  return Object.fromEntries((await rows.allInnerTexts()).map((text) => {
    const [name, inclusive] = text.split("\t").map((part) => part.replace(/[▸▾]/, "").trim());
    const [, value, unit] = /^([\d.,]+)\s?(\w*)/.exec(inclusive);
    return [name, Number(value.replaceAll(",", "")) * (scale[unit] ?? 1)];
  }));
}

test("the trees of metrics, call paths and ranks hold the sums of the calls in view, and a press leads to them", () =>
  open("run", { hash: `#timeline?t=${FROM},${TO}` }, async (page) => {
    await page.locator(".metric-trees > summary").click();
    const near = (a, b) => assert.ok(Math.abs(a - b) <= 1e-3 * b, `${a} is not ${b}`);
    const timeIn = (calls) => calls.reduce((sum, c) => sum + inside(c.begin, c.end), 0);
    const waitIn = (calls) => calls.filter((c) => c.wait).reduce((sum, c) => sum + inside(c.begin, c.begin + c.waitLength), 0);
    const metrics = await treeOf(page, "Metric");
    near(metrics.time, measured.length * (TO - FROM));
    near(metrics.MPI, timeIn(measured.flat()));
    near(metrics.waiting, waitIn(measured.flat()));
    near(metrics.computation, metrics.time - metrics.MPI);
    assert.equal(metrics.calls, measured.flat().filter((c) => c.begin >= FROM && c.begin < TO).length);
    await page.locator(".severity-tree .link", { hasText: /^waiting$/ }).click();
    const paths = await treeOf(page, "Call path");
    near(paths.MPI_Recv, waitIn(measured.flat().filter((c) => c.operation === 2)));
    await page.locator(".severity-tree .link", { hasText: "MPI_Recv" }).click();
    await page.getByRole("button", { name: "Open left" }).click();
    const ranks = await treeOf(page, "System");
    near(ranks["rank 0"], waitIn(measured[0].filter((c) => c.operation === 2)));
    await page.locator(".severity-tree .link", { hasText: "rank 0" }).click();
    await until(page, () => location.hash.includes("only=0,0"));
    // The phases of the run are halves of it, in ticks of a nanosecond.
    const table = page.locator("figure[id=timeline-phase-severity]");
    assert.equal(await table.locator("tbody tr").count(), 2);
  }));

test("the critical path is a metric of the trees, and the flame graph shows the metric that was chosen", () =>
  open("run", { hash: `#timeline?t=${FROM},${TO}` }, async (page) => {
    await page.locator(".metric-trees > summary").click();
    const near = (a, b) => assert.ok(Math.abs(a - b) <= 1e-3 * b, `${a} is not ${b}`);
    // The path of this run is the life of its last rank.
    const last = measured.at(-1);
    const metrics = await treeOf(page, "Metric");
    near(metrics["critical path"], TO - FROM);
    await page.locator(".severity-tree .link", { hasText: "critical path" }).click();
    const ranks = await treeOf(page, "System");
    assert.deepEqual(Object.keys(ranks), ["all ranks", "right"]); // the host of the last rank
    near(ranks.right, TO - FROM);
    const width = async (name) => {
      const frame = page.locator(".flame-graph .frame", { has: page.locator(`xpath=self::*[starts-with(@aria-label, "${name}:")]`) });
      return parseFloat((await frame.first().getAttribute("style")).match(/width: ?([\d.]+)%/)[1]) / 100;
    };
    near(await width("program"), 1);
    const reduced = last.filter((c) => c.operation === 3).reduce((sum, c) => sum + inside(c.begin, c.end), 0);
    near(await width("MPI_Allreduce"), reduced / (TO - FROM));
    await page.locator(".flame-graph .frame[aria-label^='MPI_Allreduce:']").first().press("Enter");
    await page.locator(".severity-tree .link[aria-pressed=true]", { hasText: "MPI_Allreduce" }).waitFor({ state: "attached" });
  }));

test("the call path of a rank over time has its calls where they are", async () => {
  write("over-time", (report) => withTimeline(report, { functions: true }).blobs);
  const rank = 2;
  const calls = measured[rank].slice(3, 9);
  const [from, to] = [calls[0].begin, calls.at(-1).end];
  await open("over-time", { hash: `#timeline?t=${from},${to}&r=${rank},${rank}` }, async (page) => {
    await page.locator(".metric-trees > summary").click();
    const graph = page.locator(".flame-graph", { hasText: "Call path over time: rank 2" });
    await graph.locator(".frame").first().waitFor();
    const frames = await graph.locator(".frame").evaluateAll((all) => all.map((frame) => {
      const [left, width] = ["left", "width"].map((name) => parseFloat(frame.style[name]) / 100);
      return { name: frame.getAttribute("aria-label").split(":")[0], depth: Math.round(parseFloat(frame.style.top) / 1.35), left, width };
    }));
    const place = (tick) => (tick - from) / (to - from);
    for (const c of calls.filter((c) => (c.end - c.begin) / (to - from) > 0.005)) {
      const found = frames.find((f) => f.name === NAMES[c.operation] && Math.abs(f.left - place(c.begin)) < 1e-4);
      assert.ok(found, `${NAMES[c.operation]} at ${place(c.begin)} among ${JSON.stringify(frames)}`);
      near(found.width, place(c.end) - place(c.begin));
      assert.equal(found.depth, 2); // main, main/norm or main/halo, the call
    }
    assert.deepEqual(frames.filter(({ name }) => name === "main").map(({ left, width }) => [Math.round(left), Math.round(width)]), [[0, 1]]);
    await graph.locator(".frame[aria-label^='MPI_Allreduce:']").first().press("Enter");
    const reduce = calls.find((c) => c.operation === 3);
    await until(page, (t) => location.hash.includes(`t=${t}`), `${reduce.begin},`);
  });
});

test("functions are call paths of the tree: what runs and waits in each", async () => {
  write("functions", (report) => withTimeline(report, { functions: true }).blobs);
  await open("functions", {}, async (page) => {
    await page.locator(".metric-trees > summary").click();
    await treeOf(page, "Call path");
    await page.getByRole("button", { name: "Open main", exact: true }).click();
    const paths = await treeOf(page, "Call path");
    const long = (calls) => calls.reduce((sum, c) => sum + c.end - c.begin, 0);
    const near = (a, b) => assert.ok(Math.abs(a - b) <= 1e-3 * b, `${a} is not ${b}`);
    near(paths.norm, long(measured.flat().filter((c) => c.operation === 3)));
    near(paths.halo, long(measured.flat().filter((c) => c.operation !== 3)));
    near(paths.main, paths.program);
  });
});
