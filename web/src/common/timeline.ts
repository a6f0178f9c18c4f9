// The time line's data as doc/formats/page.md describes it. Times are in ticks.

import type { BlobRef } from "./blob";
import type { Unit } from "./report";

export type OperationClass =
  | "compute" | "send" | "recv" | "completion" | "collective" | "other"
  | "idle" | "kernel" | "copy" | "operator" | "launch";

export interface SliceRef extends BlobRef {
  from: number;
  count: number;
}

export interface Level {
  width: number;
  buckets: number;
  blobs: SliceRef[];
}

export interface ChunkRef extends BlobRef {
  from: number;
  to: number;
  calls: number;
}

export interface EventsRef extends BlobRef {
  count: number;
}

export interface Run {
  id: string;
  name: string;
  span: number;
  begins: number[];
  ends: number[];
  levels: Level[];
  chunks: ChunkRef[];
  path: EventsRef | null;
  waits: EventsRef | null;
}

export interface Phase {
  from: number;
  to: number;
  name: string;
  kind: string;
  phase: number;
  explanation: string;
}

export interface Strip {
  name: string;
  unit: Unit;
  from: number;
  width: number;
  values: (number | null)[];
  explanation: string;
  /** Id of the run that it is of. */
  run: string;
  /** The value in the analysed interval, then in each phase: those of the tables. */
  known?: { from: number; to: number; value: number | null }[];
}

/** Amounts of the first run by rank and window: a blob of ranks * windows numbers. */
export interface Measure extends BlobRef {
  name: string;
  /** ns: of time. */
  unit: Unit;
  explanation: string;
  from: number;
  width: number;
  windows: number;
}

export interface Group {
  name: string;
  /** From first to last. */
  ranks: [number, number][];
}

export interface Grouping {
  name: string;
  groups: Group[];
}

/** A thread or a stream of a rank. */
export interface RowOfRank {
  name: string;
  rank: number;
  stream: boolean;
}

export interface Timeline {
  kind: "timeline";
  id: string;
  title: string;
  /** Id of the time line whose view this one follows; empty: none. */
  beside: string;
  tick_ns: number;
  span: number;
  ranks: number;
  /** What the rows are, where they are not the ranks; whatever is said of ranks is then said of rows. */
  rows?: RowOfRank[];
  calls: number;
  complete: boolean;
  note: string;
  operations: string[];
  classes: OperationClass[];
  regions: string[];
  /** Whether regions are functions, which change with the calls. */
  functions?: boolean;
  patterns: string[];
  runs: Run[];
  phases: Phase[];
  strips: Strip[];
  measures?: Measure[];
  /** Whether chunks tell the instructions per cycle before each call. */
  ipc?: boolean;
  /** Whether chunks tell when ranks did not compute between calls. */
  pauses?: boolean;
  /** Whether chunks tell which calls are of other threads than the main one. */
  threads?: boolean;
  groupings: Grouping[];
}

/** kind: no bucket of a rank's life. */
export const OUTSIDE = 255;
/** operation of a critical path's segment: a message on its way. */
export const MESSAGE = 255;

/** Buckets [from, from + count) of all ranks; each array is ranks * count, row by row. */
export interface Slice {
  from: number;
  count: number;
  kind: Uint8Array;
  share: Uint8Array;
  pattern: Uint8Array;
  region: Uint8Array | null;
}

export const NOBODY = -1;
export const WILDCARD = -2;

/** Details of a chunk's calls; only the first run has them. */
export interface CallDetails {
  peer: Int32Array;
  bytes: Float64Array;
  wait: Uint8Array;
  waitLength: Float64Array;
  cause: Int32Array;
  /** Messages [received[i], received[i + 1]) of `source` and `send` are those call i received. */
  received: Uint32Array;
  source: Int32Array;
  send: Float64Array;
  collective: Float64Array;
  /** Entries [regionStart[rank], regionStart[rank + 1]) of regionAt and regionPath. */
  regionStart: Uint32Array;
  regionAt: Float64Array;
  regionPath: Uint32Array;
  /** Codes of the instructions per cycle in the computation before each call; 0: unknown. */
  ipc: Uint8Array | null;
  pauses: Pauses | null;
  /** 1: the call is of another thread than the main one, which goes on meanwhile. */
  otherThread: Uint8Array | null;
}

/** Why a rank did not compute between calls, by the numbers of chunks; 0: the recording does not say. */
export const PAUSES = ["paused, cause not recorded", "MPI calls that are not recorded", "no processor", "blocked", "recording"];
export const IN_MPI = 1;
export const RECORDING = 4;

/** Entries [start[rank], start[rank + 1]) of begin, end and kind are those of a rank, in order of time. */
export interface Pauses {
  start: Uint32Array;
  begin: Float64Array;
  end: Float64Array;
  kind: Uint8Array;
  /** Of each call: ticks of the computation before it that the recorder took. */
  recording: Float64Array;
}

/** Calls [start[rank], start[rank + 1]) are those of a rank; the first has the number first[rank]. */
export interface Chunk {
  from: number;
  to: number;
  start: Uint32Array;
  first: Float64Array;
  begin: Float64Array;
  end: Float64Array;
  operation: Uint8Array;
  details: CallDetails | null;
}

export interface CriticalPath {
  count: number;
  rank: Int32Array;
  begin: Float64Array;
  end: Float64Array;
  operation: Uint8Array;
  call: Float64Array;
}

export interface LongWait {
  rank: number;
  begin: number;
  duration: number;
  pattern: number;
  operation: number;
  call: number;
  cause: number;
  causeCall: number;
}
