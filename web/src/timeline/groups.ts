// Rows of the time line that are not simply the ranks: groups of ranks, of which each shows one representative until it is
// expanded. Ranks are similar when the same share of their time goes to the same things.

import type { Group, Run, Timeline } from "../common/timeline";
import type { Store } from "./store";

export interface RankGroup {
  name: string;
  ranks: number[];
  /** The one that is most like all of them. */
  representative: number;
}

export interface Row {
  rank: number;
  /** At its first row. */
  label: string;
  /** That it stands for. */
  ranks: number[];
}

const MOST_CLUSTERS = 8;
/** Of their time, in which ranks of one cluster may differ. */
const ALIKE = 0.05;

/** By rank the shares of its time, by operation and wait pattern, from the coarsest level; null: not read yet. */
export function breakdowns(store: Store, run: Run): Float64Array[] | null {
  const { ranks, operations, patterns } = store.timeline;
  const level = run.levels[run.levels.length - 1];
  const slices = level?.blobs.map((ref) => store.slice(ref)) ?? [];
  if (slices.includes(undefined)) return null;
  return Array.from({ length: ranks }, (_, rank) => {
    const shares = new Float64Array(operations.length + patterns.length);
    let cells = 0;
    for (const slice of slices) {
      for (let i = rank * slice!.count; i < (rank + 1) * slice!.count; ++i) {
        const kind = slice!.kind[i]!;
        if (kind >= operations.length) continue;
        const mpi = (slice!.share[i]! >> 4) / 15;
        ++cells;
        shares[0]! += 1 - mpi;
        shares[kind]! += mpi;
        shares[operations.length + slice!.pattern[i]!]! += (slice!.share[i]! & 15) / 15;
      }
    }
    return shares.map((sum) => sum / Math.max(cells, 1));
  });
}

const distance = (a: Float64Array, b: Float64Array) => a.reduce((sum, x, i) => sum + Math.abs(x - b[i]!), 0) / 2;

function representativeOf(ranks: number[], shares: Float64Array[] | null): number {
  if (!shares) return ranks[0]!;
  const mean = shares[ranks[0]!]!.map((_, i) => ranks.reduce((sum, rank) => sum + shares[rank]![i]!, 0) / ranks.length);
  return ranks.reduce((best, rank) => (distance(shares[rank]!, mean) < distance(shares[best]!, mean) ? rank : best));
}

/** Each further centre is the rank that is least like those before, until all are like one. O(clusters * ranks). */
export function clustersOf(shares: Float64Array[]): RankGroup[] {
  const all = shares.map((_, rank) => rank);
  const centres = [representativeOf(all, shares)];
  const nearest = all.map(() => 0);
  const far = all.map((rank) => distance(shares[rank]!, shares[centres[0]!]!));
  while (centres.length < MOST_CLUSTERS) {
    const next = all.reduce((a, b) => (far[b]! > far[a]! ? b : a));
    if (far[next]! <= ALIKE) break;
    centres.push(next);
    for (const rank of all) {
      const to = distance(shares[rank]!, shares[next]!);
      if (to < far[rank]!) [far[rank], nearest[rank]] = [to, centres.length - 1];
    }
  }
  return centres.map((_, i) => {
    const ranks = all.filter((rank) => nearest[rank] === i);
    return { name: `cluster ${i + 1}`, ranks, representative: representativeOf(ranks, shares) };
  });
}

const ranksOf = ({ ranks }: Group) => ranks.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, i) => first + i));

/** Without the ranks that were not chosen, and without groups that then have none. */
function restricted(groups: RankGroup[], chosen: number[] | null, shares: Float64Array[] | null): RankGroup[] {
  if (!chosen) return groups;
  const wanted = new Set(chosen);
  return groups.flatMap(({ name, ranks, representative }) => {
    const kept = ranks.filter((rank) => wanted.has(rank));
    if (kept.length === 0) return [];
    return [{ name, ranks: kept, representative: wanted.has(representative) ? representative : representativeOf(kept, shares) }];
  });
}

/** "host", "communicator" or "similarity"; null: there is no such grouping, or what it is made of is not read yet. */
export function groupsBy(store: Store, run: Run, by: string, chosen: number[] | null): RankGroup[] | null {
  const shares = breakdowns(store, run);
  if (by === "similarity") return shares && restricted(clustersOf(shares), chosen, shares);
  const grouping = store.timeline.groupings.find(({ name }) => name === by);
  if (!grouping) return null;
  const groups = grouping.groups.map((group) => ({ name: group.name, ranks: ranksOf(group) }));
  const placed = new Set(groups.flatMap(({ ranks }) => ranks));
  const rest = Array.from({ length: store.timeline.ranks }, (_, rank) => rank).filter((rank) => !placed.has(rank));
  const all = rest.length > 0 ? [...groups, { name: "others", ranks: rest }] : groups;
  return restricted(all.map((group) => ({ ...group, representative: representativeOf(group.ranks, shares) })), chosen, shares);
}

/** Which rank is in which row. Rows and ranks are the same without groups and without a choice of ranks. */
export class Rows {
  private readonly rows: Row[] | null = null;
  private readonly places: Int32Array | null = null;
  readonly grouped: boolean;

  /** `chosen`: ranks that have rows, ascending; null: all. */
  constructor(
    private readonly ranks: number,
    readonly chosen: number[] | null = null,
    groups: RankGroup[] | null = null,
    expanded: ReadonlySet<string> = new Set(),
  ) {
    this.grouped = groups !== null;
    if (groups) this.rows = groups.flatMap((group) => rowsOf(group, expanded.has(group.name)));
    else if (chosen) this.rows = chosen.map((rank) => ({ rank, label: "", ranks: [rank] }));
    if (!this.rows) return;
    const places = new Int32Array(ranks).fill(-1);
    this.rows.forEach((row, i) => row.ranks.forEach((rank) => (places[rank] = i)));
    this.places = places;
  }

  get count(): number {
    return this.rows?.length ?? this.ranks;
  }

  rankAt(row: number): number {
    return this.rows ? (this.rows[row]?.rank ?? -1) : row;
  }

  /** That of its group where this is collapsed; -1: it has none. */
  rowOf(rank: number): number {
    return this.places ? (this.places[rank] ?? -1) : rank;
  }

  /** The ranks that rows [top, bottom) stand for. */
  ranksIn(top: number, bottom: number): number[] {
    const first = Math.max(0, Math.floor(top));
    const last = Math.min(Math.ceil(bottom), this.count);
    if (this.rows) return this.rows.slice(first, last).flatMap(({ ranks }) => ranks);
    return Array.from({ length: Math.max(0, last - first) }, (_, i) => first + i);
  }

  label(row: number): string {
    return this.rows?.[row]?.label || String(this.rankAt(row));
  }
}

function rowsOf({ ranks, representative }: RankGroup, open: boolean): Row[] {
  if (!open) return [{ rank: representative, label: `${representative} of ${ranks.length}`, ranks }];
  return ranks.map((rank) => ({ rank, label: "", ranks: [rank] }));
}

export const groupingNames = ({ groupings }: Timeline) => [...groupings.map(({ name }) => name), "similarity"];
