// The three tasks of doc/page.md, step by step as they stand there, on pages that the program writes of traces in which the
// answer is planted.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { atRest, texts, until, withFile } from "./browser.mjs";
import { ringTrace } from "./made_traces.mjs";

let directory;
const file = (name) => join(directory, name);
const slackline = (...arguments_) => execFileSync(process.env.SLACKLINE_BINARY, arguments_, { encoding: "utf8" });

before(() => (directory = mkdtempSync(join(tmpdir(), "slackline-tasks-"))));
after(() => rmSync(directory, { recursive: true }));

const bare = (text) => text.replaceAll(",", "");
const rowsOf = (p, table) => p.locator(`figure[id$="${table}"] tbody tr`).evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.innerText.trim())));

test("the late rank of 2,000 is named first, and two presses show it where it is late", () => {
  const [ranks, late, from, to] = [2000, 1234, 15, 30];
  writeFileSync(file("late.txt"), ringTrace(ranks, 40, (ns, rank, step) => (rank === late && step >= from && step < to ? Math.round(1.4 * ns) : ns)));
  slackline("report", file("late.txt"), "-q", "-o", file("late.html"));
  return withFile(file("late.html"), {}, async (p) => {
    assert.match(bare(await p.locator("main").innerText()), new RegExp(`waiting for rank ${late}`));
    await p.locator("main").getByText(/^between .* and .*$/).first().press("Enter");
    await until(p, () => /t=/.test(location.hash));
    const [, begin, end] = /t=(\d+),(\d+)/.exec(await p.evaluate(() => location.hash)).map(Number);
    const step = 100_000;
    assert.ok(begin > (from - 3) * step && end > begin && end < (to + 3) * step * 1.4, `${begin} to ${end}`);
    await p.locator("main").getByText(`rank ${late}`, { exact: true }).first().press("Enter");
    await until(p, (rank) => location.hash.includes(`only=${rank},${rank}`), late);
    await until(p, ([first, last]) => location.hash.includes(`r=${first},${last}`), [late - 8, late + 8]);
    assert.match(await p.evaluate(() => location.hash), new RegExp(`t=${begin},${end}`), "the time in view stays");
  });
});

/** In the middle third of the steps ranks also "gather", with a fifth of the IPC and many cache misses. */
function countedTrace(ranks, steps) {
  const rows = Array.from({ length: ranks }, (_, rank) => {
    const lines = [`rank ${rank}`];
    let now = 0;
    const burst = (region, ns, ipc, misses, call) => {
      lines.push(` @${now} enter "${region}"`, ` counted ${ns * 3 * ipc} ${ns * 3} ${misses}`, ` @${now + ns} +1000 ${call}`, ` @${now + ns + 1000} leave "${region}"`);
      now += ns + 1000;
    };
    for (let step = 0; step < steps; ++step) {
      const second = step >= steps / 3 && step < (2 * steps) / 3;
      burst("update", 60_000, 2, 100, `send to=${(rank + 1) % ranks} bytes=1024`);
      if (second) burst("gather", 90_000, 0.4, 4500, `recv from=${(rank + ranks - 1) % ranks} bytes=1024`);
      else lines.push(` @${now} +1000 recv from=${(rank + ranks - 1) % ranks} bytes=1024`);
      if (!second) now += 1000;
      lines.push(` @${now} +3000 allreduce bytes=8`);
      now += 3000;
    }
    return lines.join("\n");
  });
  const names = ["PAPI_TOT_INS", "PAPI_TOT_CYC", "PAPI_L3_TCM"].map((name, i) => `counter ${i} "${name}"`);
  return `slackline-trace 1 timed ranks=${ranks}\n${names.join("\n")}\n${rows.join("\n")}\n`;
}

test("three presses show in which region of phase 2 the IPC is low, and which counter rises with it", () => {
  writeFileSync(file("counted.txt"), countedTrace(8, 300));
  slackline("report", file("counted.txt"), "-q", "-o", file("counted.html"));
  return withFile(file("counted.html"), {}, async (p) => {
    await p.locator(".phases button").nth(1).click();
    await until(p, () => /t=/.test(location.hash));
    await p.getByRole("button", { name: "Statistics of this view" }).click();
    await p.locator('figure[id$="statistics-regions"] tbody tr').first().waitFor();
    const regions = Object.fromEntries((await rowsOf(p, "statistics-regions")).map(([name, ...cells]) => [name, cells]));
    const ipc = (name) => regions[name].slice(-3, -1).map(Number);
    assert.ok(Math.abs(ipc("gather")[0] - 0.4) < 1 / 32 && Math.abs(ipc("update")[0] - 2) < 1 / 32, JSON.stringify(regions));
    await p.locator(".quantities > summary").click();
    await p.locator(".quantities .strip").first().waitFor();
    await atRest(p);
    const misses = (await texts(p, ".quantities .strip-name")).find((text) => text.includes("PAPI_L3_TCM")).replace(/\s+/g, " ");
    const [, value] = /in view ([\d.]+) M\/s/.exec(misses);
    // 100 in 60 us and 4,500 in 90 us.
    assert.ok(Math.abs(Number(value) - 4600 / 150) < 0.6, misses);
  });
});

test("the full link of a simulated run is named first, and one press shows it in the network", () => {
  const [ranks, target] = [16, 5];
  // Rank 0 sends to rank 1, and their links are as full, but nothing contends for them.
  const sender = (rank) => (rank === 1 ? "rank 1\n recv from=0 bytes=1000000\n" : `rank ${rank}\n send to=${rank === 0 ? 1 : target} bytes=1000000\n`);
  const others = Array.from({ length: ranks }, (_, rank) => rank).filter((rank) => rank > 1 && rank !== target);
  const receives = others.map((rank) => ` irecv from=${rank} bytes=1000000 req=${rank + 1}\n`).join("") + ` waitall reqs=${others.map((rank) => rank + 1).join(",")}\n`;
  writeFileSync(file("gather.txt"), `slackline-trace 1 untimed ranks=${ranks}\n` + Array.from({ length: ranks }, (_, rank) => (rank === target ? `rank ${rank}\n${receives}` : sender(rank))).join(""));
  slackline("simulate", file("gather.txt"), "--platform", process.env.SLACKLINE_PLATFORM, "--map", "cyclic", "-q", "-o", file("network.html"));
  return withFile(file("network.html"), { hash: "" }, async (p) => {
    const [, link] = /at link (\S+)\.$/m.exec(await p.locator("main").innerText());
    assert.match(link, /_DOWN$/);
    await p.locator("nav a, .contents a").getByText("Links", { exact: true }).press("Enter");
    const words = await p.locator(".network-words").innerText();
    assert.match(words, new RegExp(`^node-${target} \u2013 level 1 switch 0\n${link}: peak 100.0 %`));
    // Every host and switch of the fat tree, and a line for each of its cables, parallel ones together.
    assert.equal(await p.locator(".network .node").count(), 32 + 4 + 2);
    assert.equal(await p.locator(".network .cable").count(), 32 + 4 * 2);
    const widths = await p.locator(".network .cable").evaluateAll((all) => all.map((line) => [parseFloat(getComputedStyle(line).strokeWidth), line.textContent]));
    assert.ok(widths.every(([width, title]) => (width > 30) === title.includes("peak 100.0 %")), JSON.stringify(widths));
    // Another line's words on a press.
    await p.locator(".network .cable", { hasText: "node-7 " }).dispatchEvent("click");
    assert.match(await p.locator(".network-words").innerText(), /^node-7 /);
    for (const [key, isSame] of [["ArrowUp", false], ["ArrowDown", true], ["ArrowDown", false], ["ArrowUp", true]]) {
      await p.locator(".network svg").press(key);
      await until(p, (same) => document.querySelector(".network-words").innerText.startsWith("node-7 ") === same, isSame);
    }
    // A saved picture has the drawing, with letters of its size.
    const [saved] = await Promise.all([p.waitForEvent("download"), p.locator("figure.links").getByRole("button", { name: "SVG" }).click()]);
    const svg = readFileSync(await saved.path(), "utf8");
    assert.ok((svg.match(/<path /g) ?? []).length >= 38 + 40, "every node and line");
    const sizes = [...svg.matchAll(/font-size="([\d.]+)"/g)].map(([, size]) => Number(size));
    assert.ok(sizes.length > 0 && Math.max(...sizes) < 30, `${Math.max(...sizes)}`);
  });
});

test("statistics of a view are those of the report: time without a processor is no computation", () => {
  // Each rank has 100 ms: 30 of computation, 50 without a processor, 15 blocked, 5 in a barrier. A thread of rank 1 is in MPI meanwhile.
  const rank = (more) => `  @30000000 +50000000 pause no_processor\n  @80000000 +15000000 pause blocked\n${more}  @95000000 +5000000 barrier\n`;
  const receive = "  @20000000 +70000000 recv from=0 bytes=8 tag=1 thread=1\n";
  const send = "  @20000 +1000 send to=1 bytes=8 tag=1\n";
  writeFileSync(file("paused.txt"), `slackline-trace 1 timed ranks=2\nrank 0\n${send}${rank("")}rank 1\n${receive}${rank("")}`);
  const { compute, beside } = JSON.parse(slackline("report", file("paused.txt"), "--format", "json")).result.measured.time_shares;
  assert.ok(Math.abs(compute - 0.3) < 1e-4 && Math.abs(beside.no_processor - 0.5) < 1e-9 && Math.abs(beside.blocked - 0.15) < 1e-9);
  slackline("report", file("paused.txt"), "-q", "-o", file("paused.html"));
  return withFile(file("paused.html"), {}, async (p) => {
    await p.getByRole("button", { name: "Statistics of this view" }).click();
    await p.locator('figure[id$="statistics-pauses"] tbody tr').first().waitFor();
    const shares = async (table) => Object.fromEntries((await rowsOf(p, table)).map(([name, , share]) => [name, parseFloat(share)]));
    assert.equal((await shares("statistics-operations"))["computation"], 30);
    assert.deepEqual(await shares("statistics-pauses"), { "no processor": 50, blocked: 15 });
    const factors = Object.fromEntries((await rowsOf(p, "statistics-efficiency")).map(([name, selection]) => [name, parseFloat(selection)]));
    assert.equal(factors["parallel efficiency"], 30);
  });
});
