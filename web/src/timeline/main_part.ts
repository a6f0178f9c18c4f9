// The part of a run that is of interest first: without MPI_Init and MPI_Finalize where these take long.

import type { Chunk, Timeline } from "../common/timeline";

const LONG = 0.2; // of the run; of what is left of it

/** When the last rank leaves MPI_Init: 0 where none is seen. `first`: the run's first chunk. */
function endOfInit({ operations, ranks }: Timeline, { start, end, operation }: Chunk): number {
  let last = 0;
  for (let rank = 0; rank < ranks; ++rank) {
    const i = start[rank]!;
    const name = i < start[rank + 1]! ? operations[operation[i] ?? 0] : "";
    if (/^MPI_Init(_thread)?$/.test(name ?? "")) last = Math.max(last, end[i]!);
  }
  return last;
}

/** When the last rank enters MPI_Finalize: the run's end where none does. `last`: the run's last chunk. */
function beginOfFinalize({ operations, ranks, runs }: Timeline, { start, begin, operation }: Chunk): number {
  let entered = -1;
  for (let rank = 0; rank < ranks; ++rank) {
    const i = start[rank + 1]! - 1;
    const name = i >= start[rank]! ? operations[operation[i] ?? 0] : "";
    if (name === "MPI_Finalize") entered = Math.max(entered, begin[i]!);
  }
  return entered < 0 ? runs[0]!.span : entered;
}

export interface MainPart {
  from: number;
  to: number;
  /** What of the run is not in it; empty: it is the whole run. */
  said: string;
}

/** Of the first run, by its first and its last chunk; the others are seen to their ends. */
export function mainPart(timeline: Timeline, first: Chunk, last: Chunk): MainPart {
  const [measured, ...others] = timeline.runs;
  const { span } = measured!;
  const init = endOfInit(timeline, first);
  const from = init >= LONG * span && init < span ? init : 0;
  const finalize = Math.max(beginOfFinalize(timeline, last), ...others.map((run) => run.span));
  const to = span - finalize >= LONG * (span - from) && finalize > from ? finalize : span;
  const margin = 0.02 * (to - from);
  const outside = [...(from > 0 ? ["MPI_Init"] : []), ...(to < span ? ["MPI_Finalize"] : [])];
  const said = outside.length > 0 ? `Outside the view: ${outside.join(" and ")}.` : "";
  return { from: Math.max(0, from - margin), to: Math.min(span, to + margin), said };
}
