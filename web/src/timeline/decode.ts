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

/** Values for those entries only that `flags` marks; the others get `missing`. */
function sparse(columns: Columns, flags: Uint8Array, missing: number): Float64Array {
  const values = new Float64Array(flags.length).fill(missing);
  for (let i = 0; i < flags.length; ++i) if (flags[i]) values[i] = columns.varint();
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

function decodeDetails(
  columns: Columns,
  chunk: Omit<Chunk, "details">,
  regions: boolean,
): CallDetails {
  const { start, first, from } = chunk;
  const ranks = start.length - 1;
  const calls = start[ranks]!;
  const rankOf = rankOfCalls(start);
  const operation = columns.u8(calls);
  const peer = peersOf(columns.varints(calls), rankOf);
  const bytes = columns.varints(calls);
  const wait = columns.u8(calls);
  const waitLength = sparse(columns, wait, 0);
  const causes = sparse(columns, wait, 0);
  const cause = Int32Array.from(causes, (code, i) =>
    code === 0 ? NOBODY : rankOf[i]! + unzigzag(code - 1),
  );
  const received = starts(columns.varints(calls));
  const messages = received[calls]!;
  const source = Int32Array.from(columns.zigzags(messages));
  const send = columns.zigzags(messages);
  for (let i = 0; i < calls; ++i) {
    const rank = rankOf[i]!;
    const number = first[rank]! + i - start[rank]!;
    for (let m = received[i]!; m < received[i + 1]!; ++m) {
      source[m] = source[m]! + rank;
      send[m] = send[m]! + number;
    }
  }
  const collective = collectivesOf(columns.varints(calls), start);
  const regionStart = regions ? starts(columns.varints(ranks)) : new Uint32Array(ranks + 1);
  const changes = regionStart[ranks]!;
  const regionAt = columns.varints(changes);
  for (let rank = 0; rank < ranks; ++rank) {
    let at = from;
    for (let i = regionStart[rank]!; i < regionStart[rank + 1]!; ++i) at = regionAt[i] = at + regionAt[i]!;
  }
  const regionPath = Uint32Array.from(columns.varints(changes));
  return {
    operation, peer, bytes, wait, waitLength, cause, received, source, send, collective,
    regionStart, regionAt, regionPath,
  };
}

/** `withDetails`: of the first run; the others have times only. */
export function decodeChunk(
  bytes: Uint8Array,
  ref: ChunkRef,
  ranks: number,
  regions: boolean,
  withDetails: boolean,
): Chunk {
  const columns = new Columns(bytes);
  const start = starts(columns.varints(ranks));
  const first = columns.varints(ranks);
  const calls = start[ranks]!;
  const begin = columns.zigzags(calls);
  const end = columns.varints(calls);
  for (let rank = 0; rank < ranks; ++rank) {
    let last = ref.from;
    for (let i = start[rank]!; i < start[rank + 1]!; ++i) {
      begin[i] = last + begin[i]!;
      end[i] = last = begin[i]! + end[i]!;
    }
  }
  const chunk = { from: ref.from, to: ref.to, start, first, begin, end };
  return { ...chunk, details: withDetails ? decodeDetails(columns, chunk, regions) : null };
}

/** What a chunk of the first run says of operations alone: for runs that have times only. */
export function decodeOperations(bytes: Uint8Array, ranks: number): {
  start: Uint32Array;
  first: Float64Array;
  operation: Uint8Array;
} {
  const columns = new Columns(bytes);
  const start = starts(columns.varints(ranks));
  const first = columns.varints(ranks);
  columns.skipVarints(2 * start[ranks]!);
  return { start, first, operation: columns.u8(start[ranks]!) };
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
