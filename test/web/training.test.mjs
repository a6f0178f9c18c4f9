// The page of a training run, whose profiles are written here: rows, single kernels with times and names as in the profile,
// the operator that launched them, and kernels of one collective together.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { atRest, withFile } from "./browser.mjs";

const BASE_US = 1_000_000;
const NCCL = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)";
const GEMM = "void gemm<float>(float const*, int)";

/** Times in microseconds. One GEMM by aten::linear, and one collective to which `late` is how late this rank comes. */
function profile(rank, late) {
  const event = (cat, name, tid, ts, dur, args = {}) => ({ ph: "X", cat, name, pid: tid === 7 ? 0 : 11, tid, ts: BASE_US + ts, dur, args });
  return {
    distributedInfo: { rank, world_size: 2 },
    traceEvents: [
      event("user_annotation", "ProfilerStep#5", 11, 0, 2000),
      event("cpu_op", "aten::linear", 11, 100, 400),
      event("cpu_op", "aten::addmm", 11, 150, 300),
      event("cuda_runtime", "cudaLaunchKernel", 11, 200, 20, { correlation: 1 }),
      event("cpu_op", "c10d::allreduce_", 11, 600, 100),
      event("cuda_runtime", "cudaLaunchKernel", 11, 620, 20, { correlation: 2 }),
      event("kernel", GEMM, 7, 300, 250, { stream: 7, correlation: 1 }),
      event("kernel", NCCL, 7, 700 + late, 1000 - late, { stream: 7, correlation: 2 }),
    ],
  };
}

function writePage() {
  const folder = mkdtempSync(join(tmpdir(), "slackline-training-"));
  [0, 400].forEach((late, rank) => writeFileSync(join(folder, `rank${rank}.json`), JSON.stringify(profile(rank, late))));
  const page = join(folder, "page.html");
  execFileSync(process.env.SLACKLINE_BINARY, ["report", folder, "-o", page]);
  return page;
}

const path = writePage();
const AXIS = 22;
const GUTTER = 118;
const VIEW_US = 1000; // near enough for single calls
const HASH = `#timeline?t=0,${1000 * VIEW_US}`;

async function withTraining(options, look) {
  await withFile(path, { hash: HASH, acceptDownloads: true, ...options }, async (page) => {
    await page.locator(".rows-host").waitFor();
    await atRest(page);
    await look(page);
  });
}

/** Where a row is at a time, in pixels of the picture. */
async function placeOf(page, row, us) {
  const { width, height } = await page.locator(".rows-host").boundingBox();
  return { x: GUTTER + (us / VIEW_US) * (width - GUTTER), y: AXIS + ((row + 0.5) / 6) * (height - AXIS) };
}

test("a rank has rows for its operators, launches and streams", () =>
  withTraining({}, async (page) => {
    assert.match(await page.locator(".status").innerText(), /rows 0 to 5; single calls/);
    const labels = [];
    for (let row = 0; row < 6; ++row) {
      await page.locator(".rows-host").hover({ position: await placeOf(page, row, 990) });
      labels.push((await page.locator(".hair-label").innerText()).split(" · ")[0]);
    }
    const names = ["operators", "launches", "stream 7"];
    assert.deepEqual(labels, [0, 1].flatMap((rank) => names.map((name) => `rank ${rank}, ${name}`)));
    assert.match(await page.locator(".phase").innerText(), /step 5/);
    const legend = await page.locator(".legend").innerText();
    for (const word of ["idle", "computation", "communication", "operator", "launch"]) assert.match(legend, new RegExp(word));
  }));

test("a kernel has the times and the name of the profile, and its operator is told", () =>
  withTraining({ hash: `${HASH}&statistics=` }, async (page) => {
    await page.locator(".rows-host").hover({ position: await placeOf(page, 2, 400) });
    assert.match(await page.locator(".hair-label").innerText(), /^rank 0, stream 7 · gemm in aten::linear · /);
    const press = () => page.getByRole("button", { name: "Save calls as CSV" }).click();
    const [file] = await Promise.all([page.waitForEvent("download"), press()]);
    const lines = readFileSync(await file.path(), "utf8").split(/\r?\n/);
    const found = lines.filter((line) => line.includes("gemm"));
    assert.equal(found.length, 2);
    assert.match(found[0], /^"rank 0, stream 7",0,300000,250000,computation,/);
    assert.ok(found[0].includes(`"aten::linear/${GEMM}"`), found[0]);
    assert.equal(lines.filter((line) => /launch,"rank 1, stream 7"/.test(line)).length, 2, "launches lead to their stream");
  }));

test("kernels of a collective are selected together, with who waited for whom and the launch", () =>
  withTraining({}, async (page) => {
    await page.locator(".rows-host").click({ position: await placeOf(page, 2, 900) });
    const details = page.locator(".details");
    await details.getByText("participants").waitFor();
    const said = await details.innerText();
    assert.match(said, /ncclDevKernel_AllReduce/);
    assert.match(said, /2 rows; first in: rank 0, stream 7; last in: rank 1, stream 7\s+\(\+400\.0 us\)/);
    assert.match(said, /waiting for\s+rank 1, stream 7/);
    assert.match(said, /launched by\s+rank 0, launches/);
    await details.getByRole("button", { name: "rank 0, launches" }).click();
    await details.getByText("cudaLaunchKernel").first().waitFor();
    assert.match(await details.innerText(), /launched\s+rank 0, stream 7, ncclDevKernel_AllReduce/);
  }));

test("groups of rows are ranks, and the search finds ranks and kernels", () =>
  withTraining({}, async (page) => {
    await page.getByLabel("Groups of ranks").getByRole("button", { name: "rank", exact: true }).click();
    await page.getByRole("button", { name: /rank 1: 3/ }).click();
    await page.getByLabel("Search the timeline").fill("gemm");
    await page.keyboard.press("Enter");
    await page.locator(".details").getByText("gemm").first().waitFor();
  }));
