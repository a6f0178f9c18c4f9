// The calls of a page as JSON, read by the page's own decoder: for each run of the timeline [rank, first call, begins, ends]
// in nanoseconds, and of the first run each rank's computation and the times of all between two times from its start, as the
// page's statistics sum them up. Usage: node page_calls.mjs WEB PAGE.html FROM_NS TO_NS
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { inflateSync } from "node:zlib";

const [, , web, page, from, to] = process.argv;
const { build } = createRequire(join(web, "package.json"))("esbuild");

const source = (name) => `export * from ${JSON.stringify(join(web, "src/timeline", name))};`;
const bundle = await build({
  stdin: { contents: source("decode.ts") + source("statistics.ts"), resolveDir: web }, bundle: true, write: false, format: "esm", platform: "node",
});
const decoder = await import(`data:text/javascript;base64,${Buffer.from(bundle.outputFiles[0].text).toString("base64")}`);

const text = readFileSync(page, "utf8");
const [, attributes, body] = /<script type="application\/json" id="report"([^>]*)>(.*?)<\/script>/s.exec(text);
const report = JSON.parse(attributes.includes("deflate") ? inflateSync(Buffer.from(body, "base64")).toString() : body);
const blob = (number) => {
  const [, base64] = new RegExp(`<script type="text/plain" id="blob-${number}"[^>]*>([^<]*)<`).exec(text);
  return new Uint8Array(inflateSync(Buffer.from(base64, "base64")));
};

function* timelines(value) {
  if (Array.isArray(value)) for (const v of value) yield* timelines(v);
  else if (value && typeof value === "object") {
    if (value.kind === "timeline") yield value;
    for (const v of Object.values(value)) yield* timelines(v);
  }
}

const runs = [];
for (const t of timelines(report)) {
  const context = {
    ranks: t.ranks, regions: t.regions.length, classes: t.classes, functions: t.functions, ipc: t.ipc ?? false, pauses: t.pauses ?? false,
    threads: t.threads ?? false,
  };
  const firstRun = decoder.emptyFirstRun(t.ranks);
  const chunks = new Map();
  t.runs.forEach((run, which) => {
    const ranks = Array.from({ length: t.ranks }, () => ({ begin: [], end: [] }));
    for (const ref of run.chunks) {
      const chunk = decoder.decodeChunk(blob(ref.blob), ref, context, which === 0 ? null : firstRun);
      if (which === 0) decoder.noteFirstRun(firstRun, chunk);
      chunks.set(ref, chunk);
      ranks.forEach((rank, r) => {
        for (let i = chunk.start[r]; i < chunk.start[r + 1]; ++i) {
          const number = chunk.first[r] + i - chunk.start[r];
          rank.begin[number] = chunk.begin[i] * t.tick_ns;
          rank.end[number] = chunk.end[i] * t.tick_ns;
        }
      });
    }
    runs.push({ id: run.id, tick_ns: t.tick_ns, ranks });
  });
  if (from !== undefined && t.runs[0].chunks.length > 0) {
    const ranks = Array.from({ length: t.ranks }, (_, rank) => rank);
    const extent = { from: from / t.tick_ns, to: to / t.tick_ns, ranks };
    const store = { timeline: t, chunkNow: (_, ref) => chunks.get(ref) };
    const { computation, paused, operations, patterns, lived } = await decoder.statisticsOf(store, t.runs[0], extent, null);
    const sum = (values) => values.reduce((a, b) => a + b, 0) * t.tick_ns;
    runs[0].statistics = {
      computation_ns: Array.from(computation, (ticks) => ticks * t.tick_ns), paused_ns: paused.map((ticks) => ticks * t.tick_ns),
      calls_ns: sum(operations.map(({ time }) => time)), waiting_ns: sum(patterns), lived_ns: lived * t.tick_ns,
    };
  }
}
process.stdout.write(JSON.stringify(runs));
