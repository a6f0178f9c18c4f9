// Five questions of somebody who sees a report for the first time: what limits this run, which rank is late, when
// does it change, how much latency may be added, what did the critical path spend its time on. Each must be answered
// in text that is seen without scrolling or opening anything; of a run that is made up, rightly.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { atRest, followLink, until, withFile } from "./browser.mjs";

const { SLACKLINE_BINARY: binary, SLACKLINE_EXAMPLES: examples, SLACKLINE_SHARED: shared = "" } = process.env;
const QUESTIONS = ["change", "latency", "critical path"];
const SCREEN = { width: 1600, height: 1000 };
let directory;

before(() => {
  directory = mkdtempSync(join(tmpdir(), "slackline-questions-"));
});

after(() => rmSync(directory, { recursive: true }));

const RANKS = 4;
const STEPS = 100;
const LATE_RANK = 2;
const CALL = 10_000;
const COMPUTE = 1_000_000;

/** Ranks compute 1 ms and meet in a barrier; from half of the steps on one computes twice as long. When that begins. */
function writeRun(path) {
  const lines = [`slackline-trace 1 timed ranks=${RANKS}`];
  let changes = 0;
  for (let rank = 0; rank < RANKS; ++rank) {
    lines.push(`rank ${rank}`);
    let now = 0;
    for (let step = 0; step < STEPS; ++step) {
      const late = step >= STEPS / 2;
      if (step === STEPS / 2) changes = now;
      const longest = late ? 2 * COMPUTE : COMPUTE;
      const mine = late && rank === LATE_RANK ? longest : COMPUTE;
      lines.push(`  @${now + mine} +${longest - mine + CALL} barrier`);
      now += longest + CALL;
    }
  }
  writeFileSync(path, lines.join("\n") + "\n");
  return changes;
}

function pageOf(trace, name, ...options) {
  const path = join(directory, `${name}.html`);
  execFileSync(binary, ["report", trace, "-q", "-o", path, ...options]);
  return path;
}

/** The text of what is on the screen as it was opened. */
function seen(page) {
  return page.evaluate((questions) => {
    const inSight = (element) => {
      const { top, bottom, width } = element.getBoundingClientRect();
      return width > 0 && top >= 0 && bottom <= window.innerHeight;
    };
    const answer = (question) => {
      const found = [...document.querySelectorAll(".answers > div")].find((e) => e.querySelector("dt").innerText.includes(question));
      const text = found?.querySelector("dd > p");
      return text && inSight(text) ? text.innerText : "";
    };
    const judgement = (aspect) => {
      const sentence = document.querySelector(`.judgement li.${aspect}`);
      return sentence && inSight(sentence) ? sentence.innerText : "";
    };
    return {
      limit: judgement("limit"),
      cause: judgement("cause"),
      timeline: document.querySelector(".timeline").getBoundingClientRect().top < 900,
      ...Object.fromEntries(questions.map((question) => [question, answer(question)])),
    };
  }, QUESTIONS);
}

test("five questions of a run whose answers are known", async () => {
  const trace = join(directory, "late.txt");
  const changes = writeRun(trace) / 1e6;
  await withFile(pageOf(trace, "late", "-L", "2us", "--degrade", "1%"), { viewport: SCREEN }, async (page) => {
    const answers = await seen(page);
    // Three ranks of four wait for 50 of 151.5 ms: a quarter of all time.
    assert.match(answers.limit, /^Main limitation\s+Limited by load imbalance: \d\d\.\d\s% of rank time is waiting for /);
    assert.match(answers.cause, new RegExp(`root cause: computation on rank ${LATE_RANK} \\((9\\d|100)\\s% of all wait time\\)`));
    assert.ok(answers.timeline, "the time line begins in the first 900 px");
    const [, at] = /^It changes at ([\d.]+)\sms/.exec(answers.change);
    assert.ok(Math.abs(at - changes) < 2, `${at} ms of ${changes}`);
    // A barrier of four is two messages after each other: T = 150 ms + 100 * (2 L + overheads), and 1 % of it is
    // 200 times the latency that may be added.
    const [, more] = /^\+([\d.]+)\sus for 1\s% longer predicted run time/.exec(answers.latency);
    const makespan = 150e6 + 100 * 2 * 2000;
    assert.ok(Math.abs(more * 1000 * 200 - 0.01 * makespan) < 0.02 * 0.01 * makespan, `${more} us`);
    assert.match(answers.latency, /Assumed latency: L = 2\.000\sus/);
    // 150 ms of computation, 1 ms in barriers.
    assert.match(answers["critical path"], /^99\.\d\s% computation.*is on rank 2/);
  });
});

test("an answer leads to its place in the time line", async () => {
  const trace = join(directory, "late.txt");
  writeRun(trace);
  await withFile(pageOf(trace, "late"), { viewport: SCREEN }, async (page) => {
    await followLink(page, page.locator(".summary a.place").first());
    await until(page, (rank) => location.hash.includes(`only=${rank},${rank}`), LATE_RANK);
  });
});

const runs = [["lammps", join(examples, "traces/lammps-melt.slk")], ["stencil2d", join(examples, "traces/stencil2d.slk")]];
for (const name of ["epoch/epoch_8proc.prv.gz", "stencil4d-64/traces.otf2"]) {
  const trace = join(shared, "traces", name);
  if (shared && existsSync(trace)) runs.push([name.split("/")[0], trace]);
}
for (const [name, trace] of runs) {
  test(`five questions of ${name}`, () =>
    withFile(pageOf(trace, name), { viewport: SCREEN }, async (page) => {
      const { timeline, ...answers } = await seen(page);
      assert.ok(timeline, "the time line begins in the first 900 px");
      for (const [question, text] of Object.entries(answers)) assert.ok(text.length > 20, `${question}: "${text}"`);
    }));
}

/** What the page reads of itself once it is seen arrives only when `arrive` is called. */
function holdReading() {
  const original = Response.prototype.arrayBuffer;
  const held = new Promise((done) => (window.arrive = done));
  Response.prototype.arrayBuffer = function () {
    return document.querySelector("h1") ? held.then(() => original.call(this)) : original.call(this);
  };
}

test("a link that is followed before the first view is known is not lost", () =>
  withFile(pageOf(join(examples, "traces/cg.slk"), "cg-early"), { viewport: SCREEN, init: holdReading }, async (page) => {
    await page.evaluate(() => (location.hash = "#timeline?t=325000000,326000000"));
    await page.locator(".status >> text=325.0").waitFor();
    await page.evaluate(() => window.arrive());
    await atRest(page);
    assert.match(await page.locator(".status").innerText(), /325\.\d*\sms to 326\.\d*\sms/);
  }));

test("the time line shows first what lies between MPI_Init and MPI_Finalize, where these take long", () =>
  // MPI_Init takes 320 of cg's 389 ms, and MPI_Finalize 50 of the other 69.
  withFile(pageOf(join(examples, "traces/cg.slk"), "cg"), { viewport: SCREEN }, async (page) => {
    await page.locator(".status >> text=Outside the view: MPI_Init and MPI_Finalize").waitFor();
    const [, from, to] = /([\d.]+)\sms to ([\d.]+)\sms/.exec(await page.locator(".status").innerText());
    assert.ok(from > 300 && to < 345, `${from} to ${to} ms`);
  }));
