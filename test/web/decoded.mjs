// The calls of a page by the page's own reader, and those of 'slackline print' for the same trace.

import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { inflateSync } from "node:zlib";

const web = process.env.SLACKLINE_WEB;
const esbuild = createRequire(join(web, "package.json"))("esbuild");
const { outputFiles } = esbuild.buildSync({ entryPoints: [join(web, "src/timeline/decode.ts")], bundle: true, format: "esm", write: false });
const { decodeChunk } = await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString("base64")}`);

/** The report of a page, and its blobs by number. */
export function partsOf(html) {
  const [, attributes, text] = /<script type="application\/json" id="report"([^>]*)>([\s\S]*?)<\/script>/.exec(html);
  const report = JSON.parse(attributes.includes("deflate") ? inflateSync(Buffer.from(text, "base64")).toString("utf8") : text);
  const blob = (number) => {
    const [, body] = new RegExp(`id="blob-${number}">([^<]*)<`).exec(html);
    return inflateSync(Buffer.from(body, "base64"));
  };
  return { report, blob };
}

export const timelineOf = (report) => report.sections.flatMap(({ items }) => items).find(({ kind }) => kind === "timeline");

/** By rank the calls of the first run: begin and end in ns, operation, peer (null: none, -2: any or null), bytes. */
export async function callsOf(timeline, blob) {
  const [run] = timeline.runs;
  const { ranks, regions, classes, functions = false, ipc = false, tick_ns } = timeline;
  const calls = Array.from({ length: ranks }, () => []);
  for (const ref of run.chunks) {
    const chunk = decodeChunk(await blob(ref.blob), ref, { ranks, regions: regions.length, classes, functions, ipc }, null);
    for (let rank = 0; rank < ranks; ++rank) {
      for (let i = chunk.start[rank]; i < chunk.start[rank + 1]; ++i) {
        const peer = chunk.details.peer[i];
        calls[rank][chunk.first[rank] + i - chunk.start[rank]] = {
          begin: chunk.begin[i] * tick_ns, end: chunk.end[i] * tick_ns, operation: timeline.operations[chunk.operation[i]].toLowerCase(),
          peer: peer === -1 ? null : peer, bytes: chunk.details.bytes[i],
        };
      }
    }
  }
  return calls;
}

const NO_CALLS = new Set(["compute", "counted", "enter", "leave", "parallel", "pause", "recording", "sample", "stop"]);

/** By rank what 'print' says. */
export function printedCalls(trace) {
  const text = execFileSync(process.env.SLACKLINE_BINARY, ["print", trace], { maxBuffer: 2 ** 30, encoding: "utf8" });
  const calls = [];
  let own = null;
  for (const line of text.split("\n")) {
    const rank = /^rank (\d+)/.exec(line);
    if (rank) own = calls[Number(rank[1])] = [];
    const call = /^ \s*(?:@(\d+) )?(?:\+(\d+) )?(\w+)((?: .*)?)$/.exec(line);
    if (!call || NO_CALLS.has(call[3])) continue;
    const begin = Number(call[1] ?? 0);
    const given = Object.fromEntries([...call[4].matchAll(/ (\w+)=(\S+)/g)].map(([, key, value]) => [key, value]));
    const peer = given.to ?? given.from ?? given.root ?? given.target ?? given.peer;
    own.push({
      begin, end: begin + Number(call[2] ?? 0), operation: `mpi_${call[3]}`, bytes: Number(given.bytes ?? 0),
      peer: peer === undefined || peer === "none" ? null : /^\d+$/.test(peer) ? Number(peer) : -2,
    });
  }
  return calls;
}

/** What differs first between both, or ""; without `tick` whatever the times. Page times are rounded to ticks once, and count from the first rank's start. */
export function difference(page, printed, tick) {
  let zero = null;
  for (let rank = 0; rank < printed.length; ++rank) {
    const [own, wanted] = [page[rank] ?? [], printed[rank] ?? []];
    if (own.length !== wanted.length) return `rank ${rank}: ${own.length} calls instead of ${wanted.length}`;
    for (let i = 0; i < own.length; ++i) {
      const [a, b] = [own[i], wanted[i]];
      if (a.operation !== b.operation || a.bytes !== b.bytes || a.peer !== b.peer) return `rank ${rank} call ${i}: ${JSON.stringify(a)} instead of ${JSON.stringify(b)}`;
      if (!tick) continue;
      // Where a tick is longer than 1 ns, the start of the run is known to a tick only.
      zero ??= tick === 1 ? b.begin - a.begin : 0;
      if (Math.abs(b.begin - zero - a.begin) > tick / 2 - (tick === 1 ? 0.5 : 0) || Math.abs(b.end - zero - a.end) > tick / 2 - (tick === 1 ? 0.5 : 0)) {
        return `rank ${rank} call ${i}: ${JSON.stringify(a)} instead of ${JSON.stringify(b)}, zero ${zero}`;
      }
    }
  }
  return "";
}
