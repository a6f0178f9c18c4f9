// What happens in an interval on some ranks: sums of time by operation, wait pattern and region, messages by size, and the
// factors of efficiency. One pass over the chunks that the interval touches; time is cut at its ends.

import { callAt, changesUntil, type Call } from "./calls";
import type { CallFilter } from "./call_filter";
import { ipcOf } from "./measures";
import { callsBetween } from "./raster";
import type { Store } from "./store";
import { IN_MPI, PAUSES, RECORDING, type Chunk, type Run, type Timeline } from "../common/timeline";

/** Ticks [from, to) of some ranks. */
export interface Extent {
  from: number;
  to: number;
  ranks: number[];
}

/** Of all ranks, at all times. */
export function wholeExtent({ ranks }: Timeline, run: Run): Extent {
  return { from: 0, to: run.span, ranks: Array.from({ length: ranks }, (_, rank) => rank) };
}

export interface CallSums {
  /** Those that begin inside. */
  calls: number;
  /** Ticks, as all below. */
  time: number;
  waiting: number;
  /** Of calls that begin inside. */
  bytes: number;
}

export interface Statistics {
  extent: Extent;
  /** Of the ranks together, as far as they ran. */
  lived: number;
  /** Computation of each of extent.ranks. */
  computation: Float64Array;
  /** Time between calls without computation, by the numbers of PAUSES. */
  paused: number[];
  operations: CallSums[];
  patterns: number[];
  /** Computation by region; in a training run calls, too. */
  regions: number[];
  /** Of computation by region whose instructions per cycle are known: its ticks, and its ticks times these. */
  counted: { time: number; instructions: number }[];
  /** Messages sent of less than 2^i bytes and at least half of that. */
  sizes: number[];
}

/** Who hears of what is summed. */
export interface Listener {
  /** Each call that fits and begins inside. */
  call?: (call: Call) => void;
  /** Each piece of time inside: of computation (operation 0), of a pause (operation pauseOperation()), of a call that fits without waiting (pattern 0), of waiting. */
  time?: (rank: number, region: number, operation: number, pattern: number, ticks: number) => void;
  /** The same pieces, with when: calls as a whole. Those of a rank come in order of time. */
  piece?: (rank: number, region: number, operation: number, from: number, to: number) => void;
}

/** What stands for a pause among operations: below 0. */
export const pauseOperation = (kind: number): number => -1 - kind;

const noSums = (): CallSums => ({ calls: 0, time: 0, waiting: 0, bytes: 0 });
const overlap = (begin: number, end: number, from: number, to: number) => Math.max(0, Math.min(end, to) - Math.max(begin, from));

class Sum {
  readonly result: Statistics;
  private readonly isSend: boolean[];
  private readonly atEnd: boolean[];
  /** Whether call paths name the calls themselves. */
  private readonly named: boolean;
  /** Of the rank that is added, among those of the extent. */
  private place = 0;
  /** Its next pause in the chunk. */
  private pause = 0;

  constructor(
    { timeline }: Store,
    private readonly run: Run,
    extent: Extent,
    private readonly fits: CallFilter | null,
    private readonly listener: Listener,
  ) {
    this.named = timeline.rows !== undefined;
    this.isSend = timeline.classes.map((kind) => kind === "send");
    this.atEnd = timeline.patterns.map((pattern) => pattern.endsWith("completion"));
    this.result = {
      extent,
      lived: 0,
      computation: new Float64Array(extent.ranks.length),
      paused: PAUSES.map(() => 0),
      operations: timeline.operations.map(noSums),
      patterns: timeline.patterns.map(() => 0),
      regions: timeline.regions.map(() => 0),
      counted: timeline.regions.map(() => ({ time: 0, instructions: 0 })),
      sizes: [],
    };
  }

  add(chunk: Chunk, isLast: boolean): void {
    const { extent } = this.result;
    for (const [i, rank] of extent.ranks.entries()) {
      this.place = i;
      const from = Math.max(extent.from, chunk.from, this.run.begins[rank] ?? 0);
      const to = Math.min(extent.to, isLast ? Infinity : chunk.to, this.run.ends[rank] ?? Infinity);
      if (to > from) this.addRank(chunk, rank, from, to);
    }
  }

  private addRank(chunk: Chunk, rank: number, from: number, to: number): void {
    this.result.lived += to - from;
    const [first, last] = callsBetween(chunk, rank, from, to);
    this.pause = chunk.details?.pauses?.start[rank] ?? 0;
    let now = from;
    for (let i = first; i < last; ++i) {
      const begin = chunk.begin[i]!;
      if (chunk.details?.otherThread?.[i]) {
        this.countCall(callAt(chunk, rank, i), begin >= from && begin < to);
        continue;
      }
      this.addComputation(chunk, rank, now, Math.min(begin, to), i);
      this.addCall(callAt(chunk, rank, i), Math.max(now, from), to, begin >= from && begin < to);
      now = Math.max(now, Math.min(chunk.end[i]!, to));
    }
    this.addComputation(chunk, rank, now, to, last);
  }

  /** Time between calls. `ends`: the call that ends it: its number in the chunk, where it is there. */
  private addComputation(chunk: Chunk, rank: number, from: number, to: number, ends: number): void {
    if (to <= from) return;
    const known = ends < chunk.start[rank + 1]!;
    const ipc = ipcOf(known ? (chunk.details?.ipc?.[ends] ?? 0) : 0);
    const pauses = chunk.details?.pauses;
    if (!pauses) return this.addPart(chunk, rank, from, to, 0, ipc);
    const { begin, end, kind } = pauses;
    const last = pauses.start[rank + 1]!;
    const pieces: { from: number; to: number; operation: number }[] = [];
    let now = from;
    while (this.pause < last && end[this.pause]! <= from) ++this.pause;
    for (let i = this.pause; i < last && begin[i]! < to; ++i) {
      const paused = Math.max(now, begin[i]!);
      pieces.push({ from: now, to: paused, operation: 0 });
      now = Math.min(to, Math.max(paused, end[i]!));
      pieces.push({ from: paused, to: now, operation: pauseOperation(kind[i]!) });
    }
    pieces.push({ from: now, to, operation: 0 });
    // When the recorder worked is not told: it is taken from the end of the computation.
    let recorded = known ? overlap(chunk.begin[ends]! - pauses.recording[ends]!, chunk.begin[ends]!, from, to) : 0;
    for (let i = pieces.length - 1; i >= 0 && recorded > 0; --i) {
      const piece = pieces[i]!;
      const taken = piece.operation === 0 ? Math.min(recorded, piece.to - piece.from) : 0;
      recorded -= taken;
      pieces.splice(i + 1, 0, { from: piece.to - taken, to: piece.to, operation: pauseOperation(RECORDING) });
      piece.to -= taken;
    }
    for (const piece of pieces) if (piece.to > piece.from) this.addPart(chunk, rank, piece.from, piece.to, piece.operation, ipc);
  }

  /** Computation, or a pause, in the regions that it lies in. */
  private addPart(chunk: Chunk, rank: number, from: number, to: number, operation: number, ipc: number | null): void {
    if (operation === 0) this.result.computation[this.place]! += to - from;
    else this.result.paused[-1 - operation]! += to - from;
    const d = chunk.details;
    const add = (region: number, begin: number, end: number) => {
      if (operation === 0) this.result.regions[region]! += end - begin;
      if (ipc !== null && operation === 0) {
        this.result.counted[region]!.time += end - begin;
        this.result.counted[region]!.instructions += (end - begin) * ipc;
      }
      this.listener.time?.(rank, region, operation, 0, end - begin);
      this.listener.piece?.(rank, region, operation, begin, end);
    };
    if (!d || this.result.regions.length < 2) return add(0, from, to);
    let now = from;
    let i = changesUntil(d, rank, from);
    let region = i > d.regionStart[rank]! ? d.regionPath[i - 1]! : 0;
    for (; i < d.regionStart[rank + 1]! && d.regionAt[i]! < to; ++i) {
      add(region, now, d.regionAt[i]!);
      [now, region] = [d.regionAt[i]!, d.regionPath[i]!];
    }
    add(region, now, to);
  }

  private addCall(call: Call, from: number, to: number, begins: boolean): void {
    if (this.fits && !this.fits(call)) return;
    const sums = this.result.operations[call.operation] ?? noSums();
    const time = overlap(call.begin, call.end, from, to);
    sums.time += time;
    if (this.named) this.result.regions[call.region]! += time;
    const waits = this.atEnd[call.wait] ? call.end - call.waitLength : call.begin;
    const waiting = call.wait > 0 ? overlap(waits, waits + call.waitLength, from, to) : 0;
    sums.waiting += waiting;
    this.result.patterns[call.wait]! += waiting;
    this.listener.time?.(call.rank, call.region, call.operation, 0, time - waiting);
    if (time > 0) this.listener.piece?.(call.rank, call.region, call.operation, Math.max(call.begin, from), Math.min(call.end, to));
    if (waiting > 0) this.listener.time?.(call.rank, call.region, call.operation, call.wait, waiting);
    this.countCall(call, begins);
  }

  /** What has no time: a rank's is that of its main thread. */
  private countCall(call: Call, begins: boolean): void {
    if (!begins || (this.fits && !this.fits(call))) return;
    const sums = this.result.operations[call.operation] ?? noSums();
    this.listener.call?.(call);
    sums.calls += 1;
    sums.bytes += call.bytes;
    if (!this.isSend[call.operation]) return;
    const size = call.bytes > 0 ? Math.floor(Math.log2(call.bytes)) + 1 : 0;
    this.result.sizes[size] = (this.result.sizes[size] ?? 0) + 1;
  }
}

/** O(calls of the chunks that are touched). */
export async function statisticsOf(
  store: Store,
  run: Run,
  extent: Extent,
  fits: CallFilter | null,
  listener: Listener = {},
): Promise<Statistics> {
  const sum = new Sum(store, run, extent, fits, listener);
  const end = run.chunks[run.chunks.length - 1];
  for (const ref of run.chunks) {
    if (ref.from < extent.to && ref.to > extent.from) sum.add(await store.chunkNow(run, ref), ref === end);
  }
  return sum.result;
}

export interface Efficiencies {
  parallel: number;
  loadBalance: number;
  communication: number;
}

/** Ticks between calls that are neither computation nor in MPI. */
export const pausedOutside = ({ paused }: Statistics): number => paused.reduce((sum, ticks, kind) => sum + (kind === IN_MPI ? 0 : ticks), 0);

/** POP's: parallel efficiency is the product of the two others. null: nothing was computed. */
export function efficienciesOf({ computation, extent }: Statistics): Efficiencies | null {
  const length = extent.to - extent.from;
  const most = computation.reduce((a, b) => Math.max(a, b), 0);
  if (!(length > 0) || !(most > 0)) return null;
  const mean = computation.reduce((a, b) => a + b, 0) / computation.length;
  return { parallel: mean / length, loadBalance: mean / most, communication: most / length };
}
