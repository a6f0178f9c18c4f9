// The call path of one rank over time, as frames below one another: a frame lies below its caller, from when it is entered until
// it is left. One pass over the rank's calls in an interval.

import type { Run } from "../common/timeline";
import { statisticsOf } from "./statistics";
import type { Store } from "./store";

export interface TimeFrame {
  name: string;
  depth: number;
  from: number;
  to: number;
}

/** In order of time, callers first. Regions or functions, and innermost the call of MPI. */
export async function timeFrames(store: Store, run: Run, rank: number, from: number, to: number): Promise<TimeFrame[]> {
  const { regions, operations, rows } = store.timeline;
  const frames: TimeFrame[] = [];
  let open: TimeFrame[] = [];
  await statisticsOf(store, run, { from, to, ranks: [rank] }, null, {
    piece: (_, region, operation, begin, end) => {
      const names = (regions[region] ?? "").split("/").filter(Boolean);
      if (operation > 0 && !rows) names.push(operations[operation] ?? "MPI call");
      // A call stays open only as long as it is one: two of a kind are two.
      const calls = operation > 0 ? names.length - 1 : names.length;
      let same = 0;
      while (same < open.length && same < calls && open[same]!.name === names[same] && open[same]!.to >= begin) ++same;
      open = open.slice(0, same);
      for (const frame of open) frame.to = end;
      for (const name of names.slice(same)) {
        const frame = { name, depth: open.length, from: begin, to: end };
        frames.push(frame);
        open.push(frame);
      }
    },
  });
  return frames;
}
