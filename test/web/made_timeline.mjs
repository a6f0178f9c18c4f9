// A time line whose every call is known, written into a page as doc/formats/page.md says: an
// independent writer, so that the page's reader is tested against the description and not against
// the program's own writer.
//
// The run: in each step a rank computes, sends to its right neighbour, receives from the left one,
// and all meet in MPI_Allreduce. The last rank computes three times as long from the middle on.

import { deflateSync, inflateSync } from "node:zlib";

const SEND = 1;
const RECV = 2;
const ALLREDUCE = 3;
const LATE_SENDER = 1;
const WAIT_AT_NXN = 2;
const LATENCY = 500;
const BYTES = 8192;

export const OPERATIONS = ["computation", "MPI_Send", "MPI_Recv", "MPI_Allreduce"];
/** With functions, main computes and calls these two. */
const FUNCTIONS = ["", "main", "main/norm", "main/halo"];
const GAP_PATH = 1;
export const PATTERNS = ["", "late sender", "wait at NxN"];

/** calls[rank] = [{begin, end, operation, peer, bytes, wait, waitLength, cause, source, send, collective}] */
export function program(ranks, steps, { slow = 1 } = {}) {
  const calls = Array.from({ length: ranks }, () => []);
  const now = new Array(ranks).fill(1000);
  for (let step = 0; step < steps; ++step) {
    const sent = now.map((at, rank) => {
      const late = rank === ranks - 1 && step >= steps / 2 ? 3 : 1;
      const begin = at + Math.round(slow * late * (20000 + 137 * ((rank * 7 + step) % 11)));
      calls[rank].push({ begin, end: begin + 300, operation: SEND, peer: (rank + 1) % ranks, bytes: BYTES });
      return { begin, call: calls[rank].length - 1 };
    });
    const arrived = sent.map(({ begin }, rank) => {
      const source = (rank + ranks - 1) % ranks;
      const entered = begin + 400;
      const late = Math.max(0, sent[source].begin - entered);
      const end = Math.max(entered + 200, sent[source].begin + LATENCY);
      const message = { peer: source, bytes: BYTES, source, send: sent[source].call };
      const wait = late > 0 ? { wait: LATE_SENDER, waitLength: late, cause: source } : {};
      calls[rank].push({ begin: entered, end, operation: RECV, ...message, ...wait });
      return end + 100;
    });
    const last = Math.max(...arrived);
    const cause = arrived.indexOf(last);
    arrived.forEach((begin, rank) => {
      const wait = begin < last ? { wait: WAIT_AT_NXN, waitLength: last - begin, cause } : {};
      calls[rank].push({ begin, end: last + LATENCY, operation: ALLREDUCE, bytes: 8, collective: step + 1, ...wait });
      now[rank] = last + LATENCY;
    });
  }
  return calls;
}

class Writer {
  constructor() {
    this.bytes = [];
  }
  u8(value) {
    this.bytes.push(value);
  }
  varint(value) {
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.bytes.push((rest % 128) + 128);
    this.bytes.push(rest);
  }
  zigzag(value) {
    this.varint(value >= 0 ? 2 * value : -2 * value - 1);
  }
  split(values) {
    values.forEach((value) => this.u8(value % 256));
    values.forEach((value) => this.varint(Math.floor(value / 256)));
  }
}

const zigzagOf = (value) => (value >= 0 ? 2 * value : -2 * value - 1);

class Blobs {
  constructor() {
    this.texts = [];
  }
  add(bytes) {
    this.texts.push(deflateSync(Uint8Array.from(bytes)).toString("base64"));
    return { blob: this.texts.length - 1, bytes: bytes.length };
  }
}

const fifteenths = (x) => (x > 0 ? Math.max(1, Math.min(15, Math.round(15 * x))) : 0);

/** Ticks of each bucket that each operation fills (by columns), and that are spent waiting. */
function fill(row, width, buckets) {
  const time = new Float64Array(buckets * OPERATIONS.length);
  const waiting = new Float64Array(buckets);
  const pattern = new Uint8Array(buckets);
  const spread = (begin, end, add) => {
    for (let b = Math.floor(begin / width); b * width < end; ++b) {
      add(b, Math.min(end, (b + 1) * width) - Math.max(begin, b * width));
    }
  };
  for (const c of row) {
    spread(c.begin, c.end, (b, ticks) => (time[b * OPERATIONS.length + c.operation] += ticks));
    if (!c.wait) continue;
    spread(c.begin, c.begin + c.waitLength, (b, ticks) => {
      waiting[b] += ticks;
      pattern[b] = c.wait;
    });
  }
  return { time, waiting, pattern };
}

function level(calls, span, width, blobs, pathOf) {
  const buckets = Math.ceil(span / width);
  const rows = calls.map((row) => fill(row, width, buckets));
  const slice = Math.max(64, Math.floor(65536 / calls.length));
  const refs = [];
  for (let from = 0; from < buckets; from += slice) {
    const count = Math.min(slice, buckets - from);
    const cells = Array.from({ length: pathOf ? 4 : 3 }, () => new Uint8Array(calls.length * count));
    rows.forEach(({ time, waiting, pattern }, rank) => {
      for (let b = 0; b < count; ++b) {
        const of = [...time.subarray((from + b) * OPERATIONS.length, (from + b + 1) * OPERATIONS.length)];
        const mpi = of.reduce((sum, ticks) => sum + ticks, 0);
        of[0] = width - mpi;
        cells[0][rank * count + b] = of.indexOf(Math.max(...of));
        cells[1][rank * count + b] = fifteenths(mpi / width) * 16 + fifteenths(waiting[from + b] / width);
        cells[2][rank * count + b] = pattern[from + b];
      }
    });
    refs.push({ ...blobs.add(Buffer.concat(cells)), from, count });
  }
  return { width, buckets, blobs: refs };
}

/** `firstRun`: the calls of the run that describes these; none: this is it. */
function chunk(calls, from, to, firstRun, blobs, pathOf) {
  const w = new Writer();
  const rows = calls.map((row) => {
    const start = row.findIndex((c) => c.end >= from);
    const kept = start < 0 ? [] : row.slice(start).filter((c) => c.begin < to);
    return { start: start < 0 ? row.length : start, kept };
  });
  const all = rows.flatMap(({ kept, start }, rank) => kept.map((c, i) => ({ ...c, rank, number: start + i })));
  rows.forEach(({ kept }) => w.varint(kept.length));
  rows.forEach(({ start }) => w.varint(start));
  if (!firstRun) {
    all.forEach((c) => w.u8(c.operation));
    all.forEach((c) => w.varint(c.source === undefined ? 0 : 1));
    const received = all.filter((c) => c.source !== undefined);
    received.forEach((c) => w.zigzag(c.source - c.rank));
    received.forEach((c) => w.zigzag(c.send - c.number));
    const last = new Map();
    all.forEach((c) => {
      if (c.collective === undefined) return w.varint(0);
      w.varint(1 + zigzagOf(c.collective - (last.get(c.rank) ?? 0)));
      last.set(c.rank, c.collective);
    });
  }
  const sorted = (calls) => OPERATIONS.flatMap((_, operation) => calls.filter((c) => c.operation === operation));
  const gapBefore = (row, number) => row[number].begin - row[number - 1].end;
  w.split(sorted(all).map((c) => {
    const isFirst = c.number === rows[c.rank].start;
    if (isFirst) return zigzagOf(c.begin - from);
    return zigzagOf(gapBefore(calls[c.rank], c.number) - (firstRun ? gapBefore(firstRun[c.rank], c.number) : 0));
  }));
  const isHere = ({ rank, number }) => all.some((c) => c.rank === rank && c.number === number);
  const expected = all.map((c) => {
    if (c.collective !== undefined) {
      const before = all.filter((o) => o.collective === c.collective && o.rank < c.rank).pop();
      return before?.end ?? c.begin;
    }
    const known = c.source !== undefined && c.source < c.rank && isHere({ rank: c.source, number: c.send });
    return known ? Math.max(c.begin, calls[c.source][c.send].begin) : c.begin;
  });
  all.forEach((c, i) => (c.expected = expected[i]));
  w.split(sorted(all).map((c) => zigzagOf(c.end - c.expected)));
  if (!firstRun) {
    all.forEach((c) => w.varint(c.peer === undefined ? 0 : 2 + zigzagOf(c.peer - c.rank)));
    all.forEach((c) => w.varint(c.bytes ?? 0));
    all.forEach((c) => w.u8(c.wait ?? 0));
    const waits = sorted(all.filter((c) => c.wait));
    waits.forEach((c) => w.zigzag(c.end - c.begin - c.waitLength));
    waits.forEach((c) => w.varint(1 + (c.operation === ALLREDUCE ? c.cause : zigzagOf(c.cause - c.rank))));
    if (pathOf) {
      all.forEach((c) => w.varint(pathOf(c)));
      all.forEach(() => w.varint(GAP_PATH));
      rows.forEach(() => w.varint(GAP_PATH));
    }
  }
  return { ...blobs.add(w.bytes), from, to, calls: all.length };
}

/** The last rank's computation and its collectives: what the makers of this run know it is. */
function path(calls, blobs) {
  const rank = calls.length - 1;
  const w = new Writer();
  const segments = [];
  let last = 0;
  calls[rank].forEach((c, call) => {
    segments.push({ begin: last, end: c.begin, operation: 0, call });
    segments.push({ begin: c.begin, end: c.end, operation: c.operation, call });
    last = c.end;
  });
  segments.forEach((_, i) => w.zigzag(i === 0 ? rank : 0));
  segments.forEach((s, i) => w.varint(s.begin - (segments[i - 1]?.end ?? 0)));
  segments.forEach((s) => w.varint(s.end - s.begin));
  segments.forEach((s) => w.u8(s.operation));
  segments.forEach((s, i) => w.zigzag(s.call - (segments[i - 1]?.call ?? 0)));
  return { ...blobs.add(w.bytes), count: segments.length };
}

/** The longest first. */
function waits(calls, blobs) {
  const all = calls.flatMap((row, rank) => row.map((c, call) => ({ ...c, rank, call }))).filter((c) => c.wait);
  all.sort((a, b) => b.waitLength - a.waitLength);
  const w = new Writer();
  const top = all.slice(0, 50);
  top.forEach((c) => w.varint(c.rank));
  top.forEach((c) => w.varint(c.begin));
  top.forEach((c) => w.varint(c.waitLength));
  top.forEach((c) => w.u8(c.wait));
  top.forEach((c) => w.u8(c.operation));
  top.forEach((c) => w.varint(c.call));
  top.forEach((c) => w.varint(1 + c.cause));
  top.forEach((c) => w.varint(c.send === undefined ? 0 : 1 + c.send));
  return { ...blobs.add(w.bytes), count: top.length };
}

function run(id, calls, firstRun, complete, blobs, pathOf) {
  const first = !firstRun;
  const ends = calls.map((row) => row[row.length - 1].end + 1000);
  const span = Math.max(...ends);
  const levels = [];
  for (let width = 32768; ; width *= 2) {
    levels.push(level(calls, span, width, blobs, pathOf));
    if (span / width <= 512) break;
  }
  const chunks = [];
  const number = calls.reduce((sum, row) => sum + row.length, 0);
  const length = Math.ceil(span / Math.max(7, number / 32768));
  for (let from = 0; complete && from < span; from += length) {
    chunks.push(chunk(calls, from, Math.min(from + length, span), firstRun, blobs, pathOf));
  }
  const begins = calls.map(() => 0);
  return {
    id, name: id, span, begins, ends, levels, chunks,
    path: first ? path(calls, blobs) : null,
    waits: first ? waits(calls, blobs) : null,
  };
}

/** The item and its blobs' texts. */
export function makeTimeline({ ranks = 8, steps = 40, complete = true, names = {}, functions = false } = {}) {
  const blobs = new Blobs();
  const measured = program(ranks, steps);
  const pathOf = functions && ((c) => (c.operation === ALLREDUCE ? 2 : 3));
  const runs = [
    run("measured", measured, null, complete, blobs, pathOf),
    run("predicted", program(ranks, steps, { slow: 0.8 }), measured, complete, blobs, pathOf),
  ];
  const span = Math.max(...runs.map((r) => r.span));
  const half = Math.round(span * 0.25);
  const item = {
    kind: "timeline", id: "timeline", title: "Time line", beside: "", tick_ns: 1, span, ranks,
    calls: measured.reduce((sum, row) => sum + row.length, 0), complete,
    note: complete ? "" : "Single calls are not in this page.",
    operations: names.operations ?? OPERATIONS,
    classes: ["compute", "send", "recv", "collective"],
    groupings: [{ name: "host", groups: [
      { name: "left", ranks: [[0, Math.floor(ranks / 2) - 1]] }, { name: "right", ranks: [[Math.floor(ranks / 2), ranks - 1]] },
    ] }],
    regions: functions ? FUNCTIONS : [""], functions, patterns: names.patterns ?? PATTERNS, runs,
    phases: [
      { from: 0, to: half, name: names.phase ?? "first", kind: "computing", phase: 1, explanation: "All alike." },
      { from: half, to: span, name: "second", kind: "imbalance", phase: 2, explanation: "The last rank is late." },
    ],
    strips: [{
      name: "parallel efficiency", unit: "ratio", from: 0, width: Math.ceil(span / 20),
      values: Array.from({ length: 20 }, (_, i) => (i < 5 ? 0.93 : 0.4)), run: "measured", explanation: "Computation of all ranks over their time.",
    }],
  };
  return { item, blobs: blobs.texts, measured };
}

/** A second time line below the first: its blobs come after the first one's. */
export function makeBeside(first, options) {
  const made = makeTimeline(options);
  const moved = JSON.parse(JSON.stringify(made.item), (key, value) => (key === "blob" ? value + first.blobs.length : value));
  Object.assign(moved, { id: "timeline-b", beside: "timeline", phases: [], strips: [] });
  const span = Math.max(first.item.span, moved.span);
  first.item.span = moved.span = span;
  return { item: moved, blobs: [...first.blobs, ...made.blobs], measured: made.measured };
}

/** A square matrix as the page reads it. */
export function makeMatrix(id, title, size, value, blobs) {
  const w = new Writer();
  let total = 0;
  let maximum = 0;
  for (let i = 0; i < size; ++i) {
    for (let j = 0; j < size; ++j) {
      const cell = value(i, j);
      w.varint(cell);
      total += cell;
      maximum = Math.max(maximum, cell);
    }
  }
  blobs.push(deflateSync(Uint8Array.from(w.bytes)).toString("base64"));
  const cells = { blob: blobs.length - 1, bytes: w.bytes.length };
  return {
    kind: "matrix", id, title, explanation: "", rows: "sender", columns: "receiver", unit: "bytes",
    ranks: size, block: 1, size, total, maximum, cells,
  };
}

const REPORT = /(<script type="application\/json" id="report")([^>]*)>([\s\S]*?)<\/script>/;

/** The report of a page, as it lies in it. */
function reportIn(html) {
  const [, , attributes, text] = REPORT.exec(html);
  const plain = !attributes.includes("deflate");
  return JSON.parse(plain ? text : inflateSync(Buffer.from(text, "base64")).toString("utf8"));
}

/** The page with another report in it; `change` gets the report and gives the blobs' texts. */
export function withReport(html, change, { deflate = true } = {}) {
  const report = reportIn(html);
  const blobs = change(report);
  const json = JSON.stringify(report);
  const body = deflate
    ? ` data-encoding="deflate">${deflateSync(Buffer.from(json)).toString("base64")}`
    : `>${json.replace(/[<>&]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`)}`;
  const scripts = blobs.map((text, i) => `<script type="text/plain" id="blob-${i}">${text}</script>`).join("\n");
  return html.replace(REPORT, (_, head) => `${head}${body}</script>\n${scripts}`);
}
