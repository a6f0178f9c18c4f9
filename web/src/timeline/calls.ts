// Questions about single calls: which one is here, which is its match, who took part. Answers come from
// the chunks that are needed, which are read on the way.

import { NOBODY, type CallDetails, type Chunk, type ChunkRef, type Run } from "../common/timeline";
import { ipcOf } from "./measures";
import { callsBetween } from "./raster";
import type { CallId } from "../common/link";
import type { Store } from "./store";

export interface Call extends CallId {
  begin: number;
  end: number;
  operation: number;
  peer: number;
  bytes: number;
  wait: number;
  waitLength: number;
  cause: number;
  collective: number;
  region: number;
  sources: CallId[];
}

const UNKNOWN = {
  peer: NOBODY,
  bytes: 0,
  wait: 0,
  waitLength: 0,
  cause: NOBODY,
  collective: NOBODY,
  region: 0,
  sources: [],
};

export function callAt(chunk: Chunk, rank: number, i: number): Call {
  const call = chunk.first[rank]! + i - chunk.start[rank]!;
  const times = { rank, call, begin: chunk.begin[i]!, end: chunk.end[i]!, operation: chunk.operation[i]! };
  const d = chunk.details;
  if (!d) return { ...times, ...UNKNOWN };
  const sources: CallId[] = [];
  for (let m = d.received[i]!; m < d.received[i + 1]!; ++m) {
    sources.push({ rank: d.source[m]!, call: d.send[m]! });
  }
  return {
    ...times,
    peer: d.peer[i]!,
    bytes: d.bytes[i]!,
    wait: d.wait[i]!,
    waitLength: d.waitLength[i]!,
    cause: d.cause[i]!,
    collective: d.collective[i]!,
    region: regionAt(chunk, rank, times.begin),
    sources,
  };
}

/** The first of a rank's changes of region after an instant, or their end. Logarithmic. */
export function changesUntil({ regionStart, regionAt }: CallDetails, rank: number, tick: number): number {
  let low = regionStart[rank]!;
  let high = regionStart[rank + 1]!;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (regionAt[middle]! > tick) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** For a call that began in an earlier chunk it is the region at this one's beginning. */
export function regionAt({ details, from }: Chunk, rank: number, tick: number): number {
  if (!details) return 0;
  const i = changesUntil(details, rank, Math.max(tick, from));
  return i > details.regionStart[rank]! ? details.regionPath[i - 1]! : 0;
}

/** What is at an instant of a rank: a call, or the computation between two of them. */
export interface Here {
  call: Call | null;
  begin: number;
  end: number;
  region: number;
  /** Instructions per cycle of computation, where they are known. */
  ipc?: number | null;
}

export function here(run: Run, chunk: Chunk, rank: number, tick: number, slack: number): Here {
  const [first, last] = callsBetween(chunk, rank, tick - slack, tick + slack);
  let best: Call | null = null;
  const distance = (c: Call) => Math.max(c.begin - tick, tick - c.end, 0);
  for (let i = first; i < last; ++i) {
    const call = callAt(chunk, rank, i);
    if (!best || distance(call) < distance(best)) best = call;
  }
  if (best) return { call: best, begin: best.begin, end: best.end, region: best.region };
  const before = first > chunk.start[rank]! ? chunk.end[first - 1]! : Math.max(chunk.from, run.begins[rank] ?? 0);
  const after = first < chunk.start[rank + 1]! ? chunk.begin[first]! : Math.min(chunk.to, run.ends[rank] ?? run.span);
  const code = first < chunk.start[rank + 1]! ? (chunk.details?.ipc?.[first] ?? 0) : 0;
  return { call: null, begin: before, end: after, region: regionAt(chunk, rank, tick), ipc: ipcOf(code) };
}

/** What fills a stretch of time in which calls cannot be distinguished. */
export interface Bucket {
  begin: number;
  end: number;
  /** Most of it; 255: nothing is known. */
  operation: number;
  mpi: number;
  waiting: number;
  pattern: number;
  region: number;
}

/** Of the finest level that has been read. */
export function bucketAt(store: Store, run: Run, rank: number, tick: number): Bucket {
  for (const { width, blobs } of run.levels) {
    const index = Math.floor(tick / width);
    const ref = blobs.find(({ from, count }) => index >= from && index < from + count);
    const slice = ref && store.slice(ref);
    if (!slice) continue;
    const i = rank * slice.count + index - slice.from;
    const share = slice.share[i]!;
    return {
      begin: index * width,
      end: Math.min((index + 1) * width, run.span),
      operation: slice.kind[i]!,
      mpi: (share >> 4) / 15,
      waiting: (share & 15) / 15,
      pattern: slice.pattern[i]!,
      region: slice.region?.[i] ?? 0,
    };
  }
  return { begin: 0, end: run.span, operation: 255, mpi: 0, waiting: 0, pattern: 0, region: 0 };
}

export function chunkAt(run: Run, tick: number): ChunkRef | undefined {
  return run.chunks.find(({ from, to }) => tick >= from && tick < to) ?? run.chunks[run.chunks.length - 1];
}

function indexOf(chunk: Chunk, { rank, call }: CallId): number {
  const i = chunk.start[rank]! + call - chunk.first[rank]!;
  return i >= chunk.start[rank]! && i < chunk.start[rank + 1]! ? i : -1;
}

/** By its number: chunks are searched by halves, since numbers ascend with time. */
export async function findCall(store: Store, run: Run, id: CallId): Promise<Call | null> {
  let low = 0;
  let high = run.chunks.length;
  if (!(id.rank >= 0 && id.rank < store.timeline.ranks)) return null;
  while (low < high) {
    const middle = (low + high) >> 1;
    const chunk = await store.chunkNow(run, run.chunks[middle]!);
    const i = indexOf(chunk, id);
    if (i >= 0) return callAt(chunk, id.rank, i);
    if (id.call < chunk.first[id.rank]!) high = middle;
    else low = middle + 1;
  }
  return null;
}

const CHUNKS_SEARCHED = 40;

/** Who received what a call sent: the messages that name it as their sender, in later chunks. */
export async function receiversOf(store: Store, run: Run, sent: Call): Promise<Call[]> {
  const begin = run.chunks.findIndex(({ to }) => to > sent.begin);
  const found = new Map<string, Call>();
  for (const ref of begin < 0 ? [] : run.chunks.slice(begin, begin + CHUNKS_SEARCHED)) {
    const chunk = await store.chunkNow(run, ref);
    for (const call of receivedFrom(chunk, sent)) found.set(`${call.rank}.${call.call}`, call);
    if (found.size > 0) break;
  }
  return [...found.values()];
}

function receivedFrom(chunk: Chunk, sent: CallId): Call[] {
  const d = chunk.details;
  if (!d) return [];
  const calls: Call[] = [];
  for (let rank = 0; rank + 1 < chunk.start.length; ++rank) {
    for (let i = chunk.start[rank]!; i < chunk.start[rank + 1]!; ++i) {
      for (let m = d.received[i]!; m < d.received[i + 1]!; ++m) {
        if (d.source[m] === sent.rank && d.send[m] === sent.call) calls.push(callAt(chunk, rank, i));
      }
    }
  }
  return calls;
}

/** The calls of one collective: those near in time. */
export async function participants(store: Store, run: Run, { collective, begin, end }: Call): Promise<Call[]> {
  if (collective === NOBODY) return [];
  const calls = new Map<number, Call>();
  for (const ref of run.chunks.filter((c) => c.to >= begin && c.from <= end).slice(0, CHUNKS_SEARCHED)) {
    const chunk = await store.chunkNow(run, ref);
    const ids = chunk.details?.collective;
    for (let rank = 0; ids && rank + 1 < chunk.start.length; ++rank) {
      for (let i = chunk.start[rank]!; i < chunk.start[rank + 1]!; ++i) {
        if (ids[i] === collective) calls.set(rank, callAt(chunk, rank, i));
      }
    }
  }
  return [...calls.values()].sort((a, b) => a.begin - b.begin);
}
