// From blobs to arrays: column by column as in doc/formats/page.md.

import { Columns, unzigzag } from "../common/columns";
import {
  NOBODY,
  WILDCARD,
  type CallDetails,
  type Chunk,
  type ChunkRef,
  type CriticalPath,
  type LongWait,
  type OperationClass,
  type Pauses,
  type Slice,
  type SliceRef,
} from "../common/timeline";

export function decodeSlice(bytes: Uint8Array, ref: SliceRef, ranks: number, regions: boolean): Slice {
  const columns = new Columns(bytes);
  const cells = ranks * ref.count;
  return {
    from: ref.from,
    count: ref.count,
    kind: columns.u8(cells),
    share: columns.u8(cells),
    pattern: columns.u8(cells),
    region: regions ? columns.u8(cells) : null,
  };
}

/** Running sums of counts: where each one's entries begin, and the end of the last. */
function starts(counts: Float64Array): Uint32Array {
  const sums = new Uint32Array(counts.length + 1);
  for (let i = 0; i < counts.length; ++i) sums[i + 1] = sums[i]! + counts[i]!;
  return sums;
}

/** Which rank each call belongs to. */
function rankOfCalls(start: Uint32Array): Int32Array {
  const ranks = new Int32Array(start[start.length - 1]!);
  for (let rank = 0; rank + 1 < start.length; ++rank) {
    ranks.fill(rank, start[rank], start[rank + 1]);
  }
  return ranks;
}

/** Calls operation by operation, those of one as they stand. */
function byOperation(operation: Uint8Array): Uint32Array {
  const next = new Uint32Array(257);
  for (const code of operation) next[code + 1]!++;
  for (let code = 0; code < 256; ++code) next[code + 1]! += next[code]!;
  const order = new Uint32Array(operation.length);
  operation.forEach((code, i) => (order[next[code]!++] = i));
  return order;
}

/** Numbers whose low bytes stand apart from the rest. */
function split(columns: Columns, order: Uint32Array): Float64Array {
  const low = columns.u8(order.length);
  const values = new Float64Array(order.length);
  for (let k = 0; k < order.length; ++k) values[order[k]!] = low[k]! + 256 * columns.varint();
  return values;
}

/** Values for those entries only that `flags` marks; the others get 0. */
function sparse(columns: Columns, flags: Uint8Array, order: Uint32Array): Float64Array {
  const values = new Float64Array(flags.length);
  for (const i of order) if (flags[i]) values[i] = columns.varint();
  return values;
}

function peersOf(column: Float64Array, ranks: Int32Array): Int32Array {
  return Int32Array.from(column, (code, i) =>
    code === 0 ? NOBODY : code === 1 ? WILDCARD : ranks[i]! + unzigzag(code - 2),
  );
}

function collectivesOf(column: Float64Array, start: Uint32Array): Float64Array {
  const ids = new Float64Array(column.length);
  for (let rank = 0; rank + 1 < start.length; ++rank) {
    let last = 0;
    for (let i = start[rank]!; i < start[rank + 1]!; ++i) {
      const code = column[i]!;
      if (code !== 0) last += unzigzag(code - 1);
      ids[i] = code === 0 ? NOBODY : last;
    }
  }
  return ids;
}

/** Of a chunk's calls what its times are told by; of the first run in its chunks, of others known from there. */
interface Partners {
  operation: Uint8Array;
  received: Uint32Array;
  source: Int32Array;
  send: Float64Array;
  collective: Float64Array;
}

function decodePartners(columns: Columns, start: Uint32Array, first: Float64Array): Partners {
  const calls = start[start.length - 1]!;
  const operation = columns.u8(calls);
  const received = starts(columns.varints(calls));
  const messages = received[calls]!;
  const source = Int32Array.from(columns.zigzags(messages));
  const send = columns.zigzags(messages);
  for (let rank = 0; rank + 1 < start.length; ++rank) {
    for (let i = start[rank]!; i < start[rank + 1]!; ++i) {
      const number = first[rank]! + i - start[rank]!;
      for (let m = received[i]!; m < received[i + 1]!; ++m) {
        source[m] = source[m]! + rank;
        send[m] = send[m]! + number;
      }
    }
  }
  return { operation, received, source, send, collective: collectivesOf(columns.varints(calls), start) };
}

function decodeDetails(
  columns: Columns,
  chunk: Omit<Chunk, "details">,
  { received, source, send, collective }: Partners,
  order: Uint32Array,
  { regions, classes, functions, ipc, pauses, threads }: ChunkContext,
): CallDetails {
  const { start, from, begin, end, operation } = chunk;
  const ranks = start.length - 1;
  const calls = start[ranks]!;
  const rankOf = rankOfCalls(start);
  const peer = peersOf(columns.varints(calls), rankOf);
  const bytes = columns.varints(calls);
  const wait = columns.u8(calls);
  const waitLength = sparse(columns, wait, order);
  for (let i = 0; i < calls; ++i) if (wait[i]) waitLength[i] = end[i]! - begin[i]! - unzigzag(waitLength[i]!);
  const causes = sparse(columns, wait, order);
  const cause = Int32Array.from(causes, (code, i) => {
    if (code === 0) return NOBODY;
    return classes[operation[i]!] === "collective" ? code - 1 : rankOf[i]! + unzigzag(code - 1);
  });
  const paths = functions ? functionsOf(columns, chunk) : regionsOf(columns, regions > 1, ranks, from);
  return {
    peer, bytes, wait, waitLength, cause, received, source, send, collective, ...paths,
    ipc: ipc ? columns.u8(calls) : null,
    pauses: pauses ? pausesOf(columns, ranks, calls, from) : null,
    otherThread: threads ? columns.u8(calls) : null,
  };
}

function pausesOf(columns: Columns, ranks: number, calls: number, from: number): Pauses {
  const start = starts(columns.varints(ranks));
  const count = start[ranks]!;
  const begin = columns.varints(count);
  const end = columns.varints(count);
  for (let rank = 0; rank < ranks; ++rank) {
    let at = from;
    for (let i = start[rank]!; i < start[rank + 1]!; ++i) {
      begin[i] = at + begin[i]!;
      at = end[i] = begin[i]! + end[i]!;
    }
  }
  return { start, begin, end, kind: columns.u8(count), recording: columns.varints(calls) };
}

type RegionChanges = Pick<CallDetails, "regionStart" | "regionAt" | "regionPath">;

function regionsOf(columns: Columns, some: boolean, ranks: number, from: number): RegionChanges {
  const regionStart = some ? starts(columns.varints(ranks)) : new Uint32Array(ranks + 1);
  const changes = regionStart[ranks]!;
  const regionAt = columns.varints(changes);
  for (let rank = 0; rank < ranks; ++rank) {
    let at = from;
    for (let i = regionStart[rank]!; i < regionStart[rank + 1]!; ++i) at = regionAt[i] = at + regionAt[i]!;
  }
  return { regionStart, regionAt, regionPath: Uint32Array.from(columns.varints(changes)) };
}

/** Functions change where calls begin and end: two changes a call, and one after a rank's last call. */
function functionsOf(columns: Columns, { start, from, begin, end }: Omit<Chunk, "details">): RegionChanges {
  const ranks = start.length - 1;
  const calls = start[ranks]!;
  const [inCall, before, last] = [columns.varints(calls), columns.varints(calls), columns.varints(ranks)];
  const regionStart = Uint32Array.from(start, (first, rank) => 2 * first + rank);
  const regionAt = new Float64Array(2 * calls + ranks);
  const regionPath = new Uint32Array(2 * calls + ranks);
  for (let rank = 0, to = 0; rank < ranks; ++rank) {
    let at = from;
    const add = (tick: number, path: number) => {
      at = regionAt[to] = Math.max(at, tick);
      regionPath[to++] = path;
    };
    for (let i = start[rank]!; i < start[rank + 1]!; ++i) {
      add(at, before[i]!);
      add(begin[i]!, inCall[i]!);
      at = Math.max(at, end[i]!);
    }
    add(at, last[rank]!);
  }
  return { regionStart, regionAt, regionPath };
}

/** What of a time line is needed to read a chunk of it. */
export interface ChunkContext {
  ranks: number;
  /** Call paths. */
  regions: number;
  classes: OperationClass[];
  /** Whether regions are functions. */
  functions: boolean;
  /** Whether instructions per cycle are told. */
  ipc: boolean;
  /** Whether it is told when ranks did not compute between calls. */
  pauses: boolean;
  /** Whether calls of other threads are told apart. */
  threads: boolean;
}

/** Of the first run what the others' chunks refer to, call by call of a rank. */
interface KnownCalls {
  operation: number[];
  /** Ticks from the end of the call before it. */
  gap: number[];
  collective: number[];
  /** Of the last one. */
  lastEnd: number;
  /** Messages [received[i], received[i + 1]) are those of call i. */
  received: number[];
  source: number[];
  send: number[];
}

/** By rank. */
export type FirstRun = KnownCalls[];

export function emptyFirstRun(ranks: number): FirstRun {
  return Array.from({ length: ranks }, () => ({
    operation: [], gap: [], collective: [], lastEnd: 0, received: [0], source: [], send: [],
  }));
}

/** Adds a chunk of the first run; in order of time. */
export function noteFirstRun(all: FirstRun, { start, first, begin, end, operation, details }: Chunk): void {
  all.forEach((known, rank) => {
    const before = first[rank]! - start[rank]!;
    for (let i = Math.max(start[rank]!, known.operation.length - before); i < start[rank + 1]!; ++i) {
      known.operation.push(operation[i]!);
      known.gap.push(begin[i]! - known.lastEnd);
      known.lastEnd = end[i]!;
      known.collective.push(details!.collective[i]!);
      for (let m = details!.received[i]!; m < details!.received[i + 1]!; ++m) {
        known.source.push(details!.source[m]!);
        known.send.push(details!.send[m]!);
      }
      known.received.push(known.source.length);
    }
  });
}

/** Of the calls of a chunk of another run. */
function knownPartners(firstRun: FirstRun, start: Uint32Array, first: Float64Array): Partners & { gap: Float64Array } {
  const calls = start[start.length - 1]!;
  const operation = new Uint8Array(calls);
  const collective = new Float64Array(calls);
  const gap = new Float64Array(calls);
  const received = new Uint32Array(calls + 1);
  const source: number[] = [];
  const send: number[] = [];
  firstRun.forEach((known, rank) => {
    for (let i = start[rank]!; i < start[rank + 1]!; ++i) {
      const number = first[rank]! + i - start[rank]!;
      operation[i] = known.operation[number]!;
      collective[i] = known.collective[number]!;
      if (i > start[rank]!) gap[i] = known.gap[number]!;
      for (let m = known.received[number]!; m < known.received[number + 1]!; ++m) {
        source.push(known.source[m]!);
        send.push(known.send[m]!);
      }
      received[i + 1] = source.length;
    }
  });
  return { operation, received, source: Int32Array.from(source), send: Float64Array.from(send), collective, gap };
}

/** Times by differences to what is expected: `begin` and `end` hold these and get the times. */
function restoreTimes(chunk: Omit<Chunk, "details">, partners: Partners, gap: Float64Array | null): void {
  const { start, first, begin, end } = chunk;
  const { received, source, send, collective } = partners;
  const collectiveEnds = new Map<number, number>();
  for (let rank = 0; rank + 1 < start.length; ++rank) {
    let last = chunk.from;
    for (let i = start[rank]!; i < start[rank + 1]!; ++i) {
      begin[i] = last + (gap?.[i] ?? 0) + unzigzag(begin[i]!);
      let expected = begin[i]!;
      for (let m = received[i]!; m < received[i + 1]!; ++m) {
        const sender = source[m]!;
        const at = start[sender]! + send[m]! - first[sender]!;
        const known = sender < rank && at >= start[sender]! && at < start[sender + 1]!;
        if (known) expected = Math.max(expected, begin[at]!);
      }
      const together = collective[i]!;
      if (together !== NOBODY) expected = collectiveEnds.get(together) ?? expected;
      end[i] = last = expected + unzigzag(end[i]!);
      if (together !== NOBODY) collectiveEnds.set(together, last);
    }
  }
}

/** `firstRun`: the chunk is of another run, which has times only; null: of the first. */
export function decodeChunk(bytes: Uint8Array, ref: ChunkRef, context: ChunkContext, firstRun: FirstRun | null): Chunk {
  const columns = new Columns(bytes);
  const start = starts(columns.varints(context.ranks));
  const first = columns.varints(context.ranks);
  const known = firstRun && knownPartners(firstRun, start, first);
  const partners = known ?? decodePartners(columns, start, first);
  const { operation } = partners;
  const order = byOperation(operation);
  const begin = split(columns, order);
  const end = split(columns, order);
  const chunk = { from: ref.from, to: ref.to, start, first, begin, end, operation };
  restoreTimes(chunk, partners, known && known.gap);
  return { ...chunk, details: firstRun ? null : decodeDetails(columns, chunk, partners, order, context) };
}

/** Row by row. */
export function decodeMeasure(bytes: Uint8Array, cells: number): Float64Array {
  return new Columns(bytes).varints(cells);
}

export function decodePath(bytes: Uint8Array, count: number): CriticalPath {
  const columns = new Columns(bytes);
  const rank = Int32Array.from(columns.zigzags(count));
  const begin = columns.varints(count);
  const end = columns.varints(count);
  const operation = columns.u8(count);
  const call = columns.zigzags(count);
  let last = 0;
  for (let i = 0; i < count; ++i) {
    if (i > 0) rank[i] = rank[i]! + rank[i - 1]!;
    if (i > 0) call[i] = call[i]! + call[i - 1]!;
    begin[i] = last + begin[i]!;
    end[i] = last = begin[i]! + end[i]!;
  }
  return { count, rank, begin, end, operation, call };
}

export function decodeWaits(bytes: Uint8Array, count: number): LongWait[] {
  const columns = new Columns(bytes);
  const rank = columns.varints(count);
  const begin = columns.varints(count);
  const duration = columns.varints(count);
  const pattern = columns.u8(count);
  const operation = columns.u8(count);
  const call = columns.varints(count);
  const cause = columns.varints(count);
  const causeCall = columns.varints(count);
  return Array.from({ length: count }, (_, i) => ({
    rank: rank[i]!,
    begin: begin[i]!,
    duration: duration[i]!,
    pattern: pattern[i]!,
    operation: operation[i]!,
    call: call[i]!,
    cause: cause[i]! - 1,
    causeCall: causeCall[i]! - 1,
  }));
}
