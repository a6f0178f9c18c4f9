// Where a run begins to be of interest.

import type { Chunk, Run, Timeline } from "./model";

const LONG_START = 0.2; // of the run

/** When the last rank leaves MPI_Init. */
function endOfInit({ operations, ranks }: Timeline, { start, end, details }: Chunk): number {
  let last = 0;
  for (let rank = 0; rank < ranks; ++rank) {
    const i = start[rank]!;
    const name = i < start[rank + 1]! ? operations[details?.operation[i] ?? 0] : "";
    if (/^MPI_Init(_thread)?$/.test(name ?? "")) last = Math.max(last, end[i]!);
  }
  return last;
}

/**
 * Behind MPI_Init where that takes a large part of the run, as it does when ranks start one after the other; else
 * nothing. `first`: the run's first chunk.
 */
export function lateStart(timeline: Timeline, run: Run, first: Chunk): number | null {
  const end = endOfInit(timeline, first);
  return end < LONG_START * run.span || end >= run.span ? null : end;
}
