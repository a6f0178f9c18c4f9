// How much of each metric every call path has on every rank, within an interval: what a tree of metrics, one of call paths
// and one of the system are cut from. One pass over the calls of the interval; then every question is a sum over cells.

import { statisticsOf, type Extent } from "./statistics";
import type { Store } from "./store";
import { MESSAGE, type CriticalPath, type Run } from "../common/timeline";

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
  /** Ticks on the critical path; only in cells without a pattern. */
  path: Float64Array;
}

export type Quantity = "time" | "calls" | "bytes" | "path";

/** The critical path's segments by rank, for pieces of time that come in order. */
class PathRanks {
  private readonly begins: number[][];
  private readonly ends: number[][];
  private readonly next: number[];

  constructor({ count, rank, begin, end, operation }: CriticalPath, ranks: number) {
    this.begins = Array.from({ length: ranks }, () => []);
    this.ends = Array.from({ length: ranks }, () => []);
    this.next = new Array<number>(ranks).fill(0);
    for (let i = 0; i < count; ++i) {
      if (operation[i] === MESSAGE) continue; // on its way between two ranks
      this.begins[rank[i]!]?.push(begin[i]!);
      this.ends[rank[i]!]?.push(end[i]!);
    }
  }

  /** Ticks of [from, to) that are on the path. */
  within(rank: number, from: number, to: number): number {
    const begins = this.begins[rank] ?? [];
    const ends = this.ends[rank] ?? [];
    while (this.next[rank]! < ends.length && ends[this.next[rank]!]! <= from) ++this.next[rank]!;
    let sum = 0;
    for (let i = this.next[rank]!; i < begins.length && begins[i]! < to; ++i) {
      sum += Math.max(0, Math.min(ends[i]!, to) - Math.max(begins[i]!, from));
    }
    return sum;
  }
}

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
      cell = { region, operation, pattern, time: none(), calls: none(), bytes: none(), path: none() };
      cells.set(key, cell);
    }
    return cell;
  };
  const path = await store.pathNow(run);
  const onPath = path && new PathRanks(path, ranks);
  await statisticsOf(store, run, extent, null, {
    call: ({ rank, region, operation, bytes }) => {
      const cell = at(region, operation, 0);
      cell.calls[rank]! += 1;
      cell.bytes[rank]! += bytes;
    },
    time: (rank, region, operation, pattern, ticks) => {
      if (ticks > 0) at(region, operation, pattern).time[rank]! += ticks;
    },
    piece: (rank, region, operation, from, to) => {
      const ticks = onPath?.within(rank, from, to) ?? 0;
      if (ticks > 0) at(region, operation, 0).path[rank]! += ticks;
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
