// How much of each metric every call path has on every rank, within an interval: what a tree of metrics, one of call paths
// and one of the system are cut from. One pass over the calls of the interval; then every question is a sum over cells.

import { statisticsOf, type Extent } from "./statistics";
import type { Store } from "./store";
import type { Run } from "../common/timeline";

/** What one operation (0: computation) in one region spends in one wait pattern (0: not waiting), by rank. */
export interface Cell {
  region: number;
  operation: number;
  pattern: number;
  /** Ticks. */
  time: Float64Array;
  /** Of calls that begin inside, as `bytes`. */
  calls: Float64Array;
  bytes: Float64Array;
}

export type Quantity = "time" | "calls" | "bytes";

/** The cells of the metric that was chosen, of the call path, and of which quantity. */
export interface Cut {
  quantity: Quantity;
  holds: (cell: Cell) => boolean;
}

/** O(calls of the chunks that the interval touches). */
export async function severityOf(store: Store, run: Run, extent: Extent): Promise<Cell[]> {
  const { ranks } = store.timeline;
  const cells = new Map<string, Cell>();
  const at = (region: number, operation: number, pattern: number): Cell => {
    const key = `${region},${operation},${pattern}`;
    let cell = cells.get(key);
    if (!cell) {
      const none = () => new Float64Array(ranks);
      cell = { region, operation, pattern, time: none(), calls: none(), bytes: none() };
      cells.set(key, cell);
    }
    return cell;
  };
  await statisticsOf(store, run, extent, null, {
    call: ({ rank, region, operation, bytes }) => {
      const cell = at(region, operation, 0);
      cell.calls[rank]! += 1;
      cell.bytes[rank]! += bytes;
    },
    time: (rank, region, operation, pattern, ticks) => {
      if (ticks > 0) at(region, operation, pattern).time[rank]! += ticks;
    },
  });
  return [...cells.values()];
}

export function total(cells: Cell[], { quantity, holds }: Cut, ranks?: number[]): number {
  let sum = 0;
  for (const cell of cells) {
    if (!holds(cell)) continue;
    const values = cell[quantity];
    if (ranks) for (const rank of ranks) sum += values[rank]!;
    else for (const value of values) sum += value;
  }
  return sum;
}
