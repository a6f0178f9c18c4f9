// Every call of pages that the program wrote, decoded by the page's own reader, is what 'slackline print' says.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { callsOf, difference, partsOf, printedCalls, timelineOf } from "./decoded.mjs";
import { ringTrace } from "./made_traces.mjs";

const examples = join(process.env.SLACKLINE_EXAMPLES, "traces");
// Public traces beside the source tree, or in the folder that SLACKLINE_SHARED names.
const shared = join(process.env.SLACKLINE_SHARED ?? join(process.env.SLACKLINE_WEB, "..", "..", "shared"), "traces");
const PUBLIC = ["epoch/epoch_4proc.prv.gz", "epoch/epoch_8proc.prv.gz", "stencil4d-64/traces.otf2", "sstmacro10/traces.otf2", "pingpong-otf2"];
let directory;

before(() => (directory = mkdtempSync(join(tmpdir(), "slackline-decoded-"))));
after(() => rmSync(directory, { recursive: true }));

async function compare(trace) {
  const out = join(directory, "page.html");
  execFileSync(process.env.SLACKLINE_BINARY, ["report", trace, "-q", "-o", out]);
  const { report, blob } = partsOf(readFileSync(out, "utf8"));
  const timeline = timelineOf(report);
  // Untimed programs have the times of the model.
  const tick = timeline.runs[0].id === "measured" ? timeline.tick_ns : null;
  assert.equal(difference(await callsOf(timeline, blob), printedCalls(trace), tick), "");
  return timeline;
}

for (const name of readdirSync(examples).filter((file) => file.endsWith(".slk"))) {
  test(`the page of ${name} has the calls that 'print' prints`, async () => {
    assert.equal((await compare(join(examples, name))).tick_ns, 1);
  });
}

for (const [ranks, steps] of [[1, 3], [8, 84], [64, 84], [2000, 84]]) {
  test(`the page of ${ranks} ranks has the calls that 'print' prints`, async () => {
    const trace = join(directory, `${ranks}.txt`);
    writeFileSync(trace, ringTrace(ranks, steps));
    const timeline = await compare(trace);
    // Files of long traces are rounded, and say so.
    assert.equal(timeline.tick_ns > 1, timeline.calls > 300_000);
    assert.equal(/rounded to \d+ ns.*view --serve/.test(timeline.note), timeline.tick_ns > 1, timeline.note);
  });
}

for (const name of PUBLIC) {
  const path = join(shared, name);
  test(`the page of ${name} has the calls that 'print' prints`, { skip: existsSync(path) ? false : `SKIPPED: ${path} is not there` }, () => compare(path));
}
