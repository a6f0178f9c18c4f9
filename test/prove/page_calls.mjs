// The calls of a page as JSON, read by the page's own decoder: for each run of the timeline [rank, first call, begins, ends]
// in nanoseconds. Usage: node page_calls.mjs WEB PAGE.html
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { inflateSync } from "node:zlib";

const [, , web, page] = process.argv;
const { build } = createRequire(join(web, "package.json"))("esbuild");

const bundle = await build({
  entryPoints: [join(web, "src/timeline/decode.ts")], bundle: true, write: false, format: "esm", platform: "node",
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
  const context = { ranks: t.ranks, regions: t.regions.length, classes: t.classes, functions: t.functions };
  const firstRun = decoder.emptyFirstRun(t.ranks);
  t.runs.forEach((run, which) => {
    const ranks = Array.from({ length: t.ranks }, () => ({ begin: [], end: [] }));
    for (const ref of run.chunks) {
      const chunk = decoder.decodeChunk(blob(ref.blob), ref, context, which === 0 ? null : firstRun);
      if (which === 0) decoder.noteFirstRun(firstRun, chunk);
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
}
process.stdout.write(JSON.stringify(runs));
