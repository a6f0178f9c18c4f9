// Counters, samples and time without a processor on the page, against a trace that is written here: what every rank counts in
// every window follows from it. The page is the program's own.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { atRest, texts, until, withFile } from "./browser.mjs";

const RANKS = 4;
const STEPS = 320;
const STEP = 100_000; // ns: 90 us of computation and MPI_Barrier
const BURST = 90_000;
const SLOW = 2; // this rank has a fourth of the instructions per cycle in the second half
const CYCLES = 180_000; // of a burst
const SPAN = STEPS * STEP;
let directory;

const ipcOf = (rank, step) => (rank === SLOW && step >= STEPS / 2 ? 0.5 : 2);
const switchesOf = (rank, step) => (rank === 1 && step % 4 === 0 ? 3 : 0);

function trace() {
  const rows = Array.from({ length: RANKS }, (_, rank) => {
    const lines = [`rank ${rank}`];
    for (let step = 0; step < STEPS; ++step) {
      const begin = step * STEP;
      lines.push(` counted ${ipcOf(rank, step) * CYCLES} ${CYCLES} ${switchesOf(rank, step)}`);
      if (rank === 1) lines.push(` @${begin + 1000} +45000 pause no_processor`);
      if (rank === 3) lines.push(` @${begin + 5000} sample cpu=1000 frame=0 thread=0`);
      lines.push(` @${begin + BURST} +${STEP - BURST} barrier`);
    }
    return lines.join("\n");
  });
  const names = ["PAPI_TOT_INS", "PAPI_TOT_CYC", "ru_nivcsw"].map((name, i) => `counter ${i} "${name}"`);
  return `slackline-trace 1 timed ranks=${RANKS}\n${names.join("\n")}\n${rows.join("\n")}\n`;
}

const report = (path, out) => execFileSync(process.env.SLACKLINE_BINARY, ["report", path, "-q", "-o", out]);
const page = () => join(directory, "counters.html");

before(() => {
  directory = mkdtempSync(join(tmpdir(), "slackline-counters-"));
  writeFileSync(join(directory, "counters.txt"), trace());
  report(join(directory, "counters.txt"), page());
});

after(() => rmSync(directory, { recursive: true }));

/** Each quantity's value in view, by its name. */
async function inView(p) {
  const summary = p.locator(".quantities > summary");
  if (!(await p.locator(".quantities").getAttribute("open").then((open) => open !== null))) await summary.click();
  await p.locator(".quantities .strip").first().waitFor();
  await atRest(p);
  const scale = { "%": 0.01, "k/s": 1e3, "M/s": 1e6, "G/s": 1e9, "/s": 1 };
  return Object.fromEntries((await texts(p, ".quantities .strip-name")).map((text) => {
    const [, name, value, unit] = /^(.*?) in view ([\d.,]+) ?(\S*) \(axis/.exec(text.replace(/\s+/g, " "));
    return [name, Number(value.replaceAll(",", "")) * (scale[unit] ?? 1)];
  }));
}

const near = (a, b, what) => assert.ok(Math.abs(a - b) <= 0.01 * Math.abs(b), `${what}: ${a} is not ${b}`);

test("every counter, samples and time without a processor are over time, of the ranks and the time in view", () =>
  withFile(page(), {}, async (p) => {
    const all = await inView(p);
    // Computation is what is neither MPI nor without a processor.
    const computing = (RANKS * BURST - 45_000) / 1e9;
    const instructions = [0, 1, 2, 3].map((rank) => CYCLES * (rank === SLOW ? 1.25 : 2)).reduce((a, b) => a + b);
    near(all["instructions per cycle"], instructions / (RANKS * CYCLES), "IPC");
    near(all.PAPI_TOT_INS, instructions / computing, "instructions");
    near(all.PAPI_TOT_CYC, (RANKS * CYCLES) / computing, "cycles");
    near(all.ru_nivcsw, 0.75 / computing, "switches");
    near(all["without a processor"], 0.45 / RANKS, "without a processor");
    near(all.samples, 1e9 / STEP / RANKS, "samples");
    near(all.computation, (RANKS * BURST - 45_000) / (RANKS * STEP), "computation");
    await p.getByLabel("Ranks shown").fill(`${SLOW}`);
    await p.getByLabel("Ranks shown").press("Enter");
    await until(p, () => /1 of 4 ranks/.test(document.querySelector(".status").innerText));
    const slow = await inView(p);
    near(slow["instructions per cycle"], 1.25, "IPC of the slow rank");
    assert.equal(slow["without a processor"], 0);
    await p.evaluate(([from, to]) => (location.hash = `#timeline?t=${from},${to}&ranks=2`), [SPAN / 2, SPAN]);
    await until(p, () => /0\.500|0\.5\b/.test(document.querySelector(".quantities .strip-name").innerText));
    near((await inView(p))["instructions per cycle"], 0.5, "IPC of the slow rank in the second half");
  }));

test("efficiency and load balance are of the ranks in view", () =>
  withFile(page(), { hash: "#timeline?ranks=1,3" }, async (p) => {
    await p.locator(".strip").first().waitFor();
    await atRest(p);
    const value = async (name) => {
      const text = await p.locator(".strip", { hasText: name }).first().locator("strong").innerText();
      return parseFloat(text) / 100;
    };
    near(await value("parallel efficiency"), (2 * BURST - 45_000) / (2 * STEP), "parallel efficiency");
    near(await value("load balance"), (2 * BURST - 45_000) / 2 / BURST, "load balance");
    assert.match((await texts(p, ".strip-name")).join(), /serialisation \(all ranks\)/);
  }));

/** The colour of a rank's row at an instant. */
const colourAt = (p, rank, part) =>
  p.evaluate(([rank, part, ranks]) => {
    const rows = document.querySelector(".rows");
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [rows.width, rows.height];
    copy.getContext("2d").drawImage(rows, 0, 0);
    return [...copy.getContext("2d").getImageData(part * rows.width, ((rank + 0.4) / ranks) * rows.height, 1, 1).data].slice(0, 3);
  }, [rank, part, RANKS]);

test("bursts have the colour of their instructions per cycle, from far and from near", async () => {
  // From vermillion at 0 by yellow at 1.5 to blue at 3 and more.
  const [low, middle, high] = [[213, 94, 0], [240, 228, 66], [0, 114, 178]];
  const colour = (ipc) => low.map((_, k) => (ipc < 1.5 ? low[k] + ((middle[k] - low[k]) * ipc) / 1.5 : middle[k] + ((high[k] - middle[k]) * (ipc - 1.5)) / 1.5));
  const like = (got, wanted, what, by) => assert.ok(got.every((c, k) => Math.abs(c - wanted[k]) <= by), `${what}: ${got} is not ${wanted}`);
  const middleStep = STEPS / 2;
  const [from, to] = [(middleStep - 1) * STEP, (middleStep + 1) * STEP]; // the last burst before and the first one after
  await withFile(page(), { hash: `#timeline?t=${from},${to}&colour=ipc` }, async (p) => {
    await atRest(p);
    assert.match(await p.locator(".status").innerText(), /single calls/);
    like(await colourAt(p, SLOW, 0.2), colour(2), "before", 3);
    like(await colourAt(p, SLOW, 0.7), colour(0.5), "after", 3);
    like(await colourAt(p, 0, 0.7), colour(2), "another rank", 3);
    const box = await p.locator(".rows").boundingBox();
    await p.mouse.click(box.x + 0.7 * box.width, box.y + ((SLOW + 0.5) / RANKS) * box.height);
    await p.locator(".details").waitFor();
    const facts = Object.fromEntries(await p.locator(".details dl > div").evaluateAll((rows) => rows.map((row) => [row.children[0].innerText, row.children[1].innerText])));
    assert.equal(facts["instructions per cycle"], "0.5");
    assert.equal(facts.duration, "90.00 us");
  });
  await withFile(page(), { hash: "#timeline?colour=ipc" }, async (p) => {
    await atRest(p);
    const mpi = 1 - BURST / STEP;
    const pale = (wanted) => wanted.map((c) => c + (150 - c) * mpi);
    like(await colourAt(p, SLOW, 0.25), pale(colour(2)), "first half", 24);
    like(await colourAt(p, SLOW, 0.75), pale(colour(0.5)), "second half", 24);
  });
});

test("rows below the calls show one quantity of each rank", () =>
  withFile(page(), {}, async (p) => {
    const shown = p.getByLabel("Quantity below the calls");
    await until(p, () => document.querySelector(".rows-below select")?.value === "without a processor");
    await atRest(p);
    const at = (rank, part) =>
      p.locator(".quantity-rows").evaluate((canvas, [rank, part, ranks]) => {
        const copy = document.createElement("canvas");
        [copy.width, copy.height] = [canvas.width, canvas.height];
        copy.getContext("2d").drawImage(canvas, 0, 0);
        return [...copy.getContext("2d").getImageData(part * copy.width, ((rank + 0.5) / ranks) * copy.height, 1, 1).data].slice(0, 3);
      }, [rank, part, RANKS]);
    assert.deepEqual(await at(0, 0.5), [255, 255, 255]);
    assert.deepEqual(await at(1, 0.5), [213, 94, 0]);
    await shown.selectOption("samples");
    await atRest(p);
    assert.deepEqual(await at(1, 0.5), [255, 255, 255]);
    assert.deepEqual(await at(3, 0.5), [213, 94, 0]);
    await shown.selectOption("");
    assert.equal(await p.locator(".quantity-rows").count(), 0);
  }));

test("a table has every counter by region", () =>
  withFile(page(), {}, async (p) => {
    const table = p.locator("figure[id=counters]");
    const heads = (await table.locator("thead th").allInnerTexts()).map((text) => text.split("\n")[0].trim());
    const cells = await table.locator("tbody tr").first().locator("td, th").allInnerTexts();
    const row = Object.fromEntries(heads.map((name, i) => [name.replace(/[ ?].*$/, ""), cells[i]]));
    const instructions = STEPS * CYCLES * (3 * 2 + 1.25);
    assert.equal(Number(row.PAPI_TOT_INS.replaceAll(",", "")), instructions);
    assert.equal(Number(row.ru_nivcsw.replaceAll(",", "")), (STEPS / 4) * 3);
    near(Number(row.IPC), 7.25 / 4, `IPC of ${JSON.stringify(row)}`);
  }));

// A public trace beside the source tree, or in the folder that SLACKLINE_SHARED names.
const shared = process.env.SLACKLINE_SHARED ?? join(process.env.SLACKLINE_WEB, "..", "..", "shared");
const EPOCH = join(shared, "traces", "epoch", "epoch_4proc.prv.gz");
test("all eight counters of a trace of Extrae's are on its page", { skip: existsSync(EPOCH) ? false : `SKIPPED: ${EPOCH} is not there` }, async () => {
  const out = join(directory, "epoch.html");
  report(EPOCH, out);
  await withFile(out, {}, async (p) => {
    const all = await inView(p);
    for (const name of ["PAPI_TOT_INS", "PAPI_TOT_CYC", "PAPI_L1_DCM", "PAPI_L2_DCM", "PAPI_L3_TCM", "PAPI_BR_INS", "PAPI_BR_MSP", "RESOURCE_STALLS"]) {
      assert.ok(all[name] > 0, name);
    }
    // As 'info' has them: 22.13 G instructions and 11.85 G cycles of the mean rank.
    near(all["instructions per cycle"], 2.213 / 1.185, "IPC");
  });
});
