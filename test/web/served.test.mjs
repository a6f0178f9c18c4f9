// A page that the program serves: every call to the nanosecond at any size, SQL, and the end of the server.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { inflateSync } from "node:zlib";
import { atRest, launch, texts, until } from "./browser.mjs";
import { callsOf, difference, partsOf, printedCalls, timelineOf } from "./decoded.mjs";
import { ringTrace } from "./made_traces.mjs";

const RANKS = 64;
const STEPS = 1600; // 307,200 calls, more than a file has to the nanosecond
let directory;
let trace;
let server;
let address;

/** The text of the page, once there is one. */
async function pageOf(address) {
  for (;;) {
    const response = await fetch(address);
    if (response.status === 200) return response.text();
    assert.equal(response.status, 503);
    await new Promise((done) => setTimeout(done, 20));
  }
}

/** Starts 'view --serve'; gives the process and the address that it prints, unless told otherwise once there is a page. */
async function start(options, surroundings = {}, complete = true) {
  const child = spawn(process.env.SLACKLINE_BINARY, ["view", "--serve", ...options], { stdio: ["ignore", "pipe", "inherit"], ...surroundings });
  let said = "";
  for await (const piece of child.stdout) {
    said += piece;
    const found = /http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\//.exec(said);
    if (!found) continue;
    const address = found[0];
    if (complete) await pageOf(address);
    return { child, address };
  }
  throw new Error(`no address: ${said}`);
}

const serve = (...options) => start(["--no-open", ...options, trace]);

async function rows(address, sql) {
  const response = await fetch(`${address}query`, { method: "POST", headers: { "Content-Type": "application/sql" }, body: sql });
  assert.equal(response.status, 200, sql);
  return (await response.json()).result.rows;
}

const ended = (child) => new Promise((done) => (child.exitCode === null && child.signalCode === null ? child.once("exit", (code, signal) => done({ code, signal })) : done({ code: child.exitCode, signal: child.signalCode })));

before(async () => {
  directory = mkdtempSync(join(tmpdir(), "slackline-served-"));
  trace = join(directory, "trace.txt");
  writeFileSync(trace, ringTrace(RANKS, STEPS));
  ({ child: server, address } = await serve("--idle", "30min"));
});

after(() => {
  server.kill();
  rmSync(directory, { recursive: true });
});

test("the served page has every call to the nanosecond", async () => {
  const html = await (await fetch(address)).text();
  assert.match(html, /connect-src 'self'/);
  assert.doesNotMatch(html, /id="blob-/);
  const timeline = timelineOf(partsOf(html).report);
  assert.equal(timeline.tick_ns, 1);
  assert.equal(timeline.note, "");
  const blob = async (number) => inflateSync(Buffer.from(await (await fetch(`${address}blob/${number}`)).arrayBuffer()));
  assert.equal(difference(await callsOf(timeline, blob), printedCalls(trace), 1), "");
});

test("the address is there before the trace has been read, and leads to the page when it is there", async (t) => {
  const shown = await start(["--no-open", "-"], { stdio: ["pipe", "pipe", "inherit"] }, false);
  const waiting = await fetch(shown.address);
  assert.equal(waiting.status, 503);
  assert.match(await waiting.text(), /http-equiv="refresh"/);
  const browser = await launch();
  t.after(() => browser.close());
  const p = await browser.newPage();
  await p.goto(shown.address);
  await p.getByText("The trace is being analysed.").waitFor();
  shown.child.stdin.end(ringTrace(4, 3));
  await p.getByLabel("SQL statement").waitFor();
  shown.child.kill();
});

test("the server gives the tables that the manual describes, and each can be asked", async () => {
  const { tables } = await (await fetch(`${address}tables`)).json();
  const manual = readFileSync(join(process.env.SLACKLINE_EXAMPLES, "..", "doc", "man", "query.md"), "utf8");
  const described = [...manual.matchAll(/^\| (\w+) \| [^:|]*(?:: ([^|]*))? \|$/gm)].slice(1).map(([, name]) => name);
  assert.deepEqual(tables.map(({ name }) => name).sort(), described.sort());
  for (const { name, columns } of tables) {
    await rows(address, `SELECT ${columns.map((column) => `"${column}"`).join(", ")} FROM ${name} LIMIT 1`);
  }
});

test("zooming in a served page ends at single calls, and rows are asked for by SQL", async (t) => {
  const browser = await launch();
  t.after(() => browser.close());
  const p = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
  const complaints = [];
  p.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  p.on("pageerror", (error) => complaints.push(error.message));
  const asked = [];
  p.on("request", (request) => asked.push(request.url()));
  await p.goto(`${address}#timeline?t=30000000,30200000`);
  await p.locator(".status", { hasText: "single calls" }).waitFor();
  await atRest(p);
  assert.doesNotMatch(await p.locator(".status").innerText(), /±/);
  const took = await p.evaluate(async () => {
    const begin = performance.now();
    location.hash = "#timeline?t=90000000,90200000";
    await new Promise(requestAnimationFrame);
    do await new Promise(requestAnimationFrame);
    while (document.querySelector(".rows-host[aria-busy=true]") || !/90\.0.*single calls/.test(document.querySelector(".status").innerText));
    return performance.now() - begin;
  });
  t.diagnostic(`single calls elsewhere after ${took.toFixed(0)} ms`);
  await p.getByText("Tables: calls, ").waitFor();
  const statement = p.getByLabel("SQL statement");
  // By the keyboard, for the reason that followLink gives.
  const run = () => p.getByRole("button", { name: "Run", exact: true }).press("Enter");
  await statement.fill("SELECT count(*) AS n, max(rank) AS most FROM calls");
  await run();
  await p.locator("figure[id=query-rows] tbody tr").waitFor();
  assert.deepEqual((await texts(p, "figure[id=query-rows] tbody td, figure[id=query-rows] tbody th")).map((text) => text.replaceAll(",", "")), [`${3 * RANKS * STEPS}`, `${RANKS - 1}`]);
  await statement.fill("SELECT rank FROM calls");
  await run();
  await p.getByText("Incomplete, 10,000 rows: an answer has at most 10,000 rows and 16.0 MiB.").waitFor();
  assert.deepEqual(complaints, []);
  assert.ok(asked.every((url) => url.startsWith(address)), `${asked}`);
  for (const [wrong, why] of [["SELECT nothing FROM calls", /nothing/], ["VACUUM INTO 'written.db'", /./], ["ATTACH 'written.db' AS x", /./]]) {
    await statement.fill(wrong);
    await run();
    await until(p, () => document.querySelector(".query [role=status]").innerText !== "");
    assert.match(await p.locator(".query [role=status]").innerText(), why);
  }
});

test("the server ends by itself when nobody looks at the page, and with its terminal", async () => {
  const idle = await serve("--idle", "1s");
  assert.deepEqual(await ended(idle.child), { code: 0, signal: null });
  const hungUp = await serve();
  hungUp.child.kill("SIGHUP");
  assert.equal((await ended(hungUp.child)).signal, "SIGHUP");
});

test("the browser is led to the page by a file that only its user can read, and that goes with the server", async (t) => {
  const argument = join(directory, "argument");
  const command = join(directory, "browser.sh");
  writeFileSync(command, `#!/bin/sh\nprintf '%s' "$*" > '${argument}.part'; mv '${argument}.part' '${argument}'\n`, { mode: 0o700 });
  const opened = await start([trace], { env: { ...process.env, BROWSER: command } });
  while (!existsSync(argument)) await new Promise((done) => setTimeout(done, 10));
  const file = readFileSync(argument, "utf8");
  assert.match(file, /^\/[^ ]*\.html$/, "nothing but the file's name");
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(statSync(dirname(file)).mode & 0o777, 0o700);
  const browser = await launch();
  t.after(() => browser.close());
  const p = await browser.newPage();
  await p.goto(`file://${file}`);
  await p.waitForURL(opened.address);
  await p.getByLabel("SQL statement").waitFor();
  opened.child.kill("SIGTERM");
  await ended(opened.child);
  assert.ok(!existsSync(dirname(file)));
});

const emptyRun = (ranks) => `slackline-trace 1 timed ranks=${ranks}\n` + Array.from({ length: ranks }, (_, rank) => `rank ${rank}\n@0 +10 init\n@20 +10 finalize\n`).join("");

test("statements are about the trace that the page shows, whichever is the newest when they are asked", async () => {
  const recording = (name, ranks) => {
    mkdirSync(join(directory, name));
    writeFileSync(join(directory, name, "trace.txt"), emptyRun(ranks));
  };
  recording("slackline-trace-1", 2);
  const shown = await start(["--no-open"], { cwd: directory });
  recording("slackline-trace-2", 3);
  assert.deepEqual(await rows(shown.address, "SELECT count(*) FROM ranks"), [[2]]);
  shown.child.kill();
});

test("--strict is heeded of a served page", async () => {
  const lost = join(directory, "lost.txt");
  writeFileSync(lost, "slackline-trace 1 timed ranks=2\nrank 0\n@0 +10 init\n@20 +5 recv from=1 tag=0 bytes=8\n@50 +10 finalize\nrank 1\n@0 +10 init\n@50 +10 finalize\n");
  for (const [options, code] of [[["--strict"], 1], [[], 0]]) {
    const { child } = await start(["--no-open", "--idle", "1s", ...options, lost]);
    assert.deepEqual(await ended(child), { code, signal: null });
  }
});
