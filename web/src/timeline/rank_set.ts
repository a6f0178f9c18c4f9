// A set of ranks as text: "0-31,64,node03" names ranks, intervals of them, and groups by host or communicator.

import type { Timeline } from "../common/timeline";

/** Rows ascending, each once; `unknown`: parts that name none of them. */
export function parseRanks(text: string, { ranks, rows, groupings }: Timeline): { set: number[]; unknown: string[] } {
  const groups = new Map(groupings.flatMap(({ groups }) => groups).map((group) => [group.name, group.ranks]));
  const chosen = new Set<number>();
  const unknown: string[] = [];
  for (const part of text.split(",").map((word) => word.trim()).filter(Boolean)) {
    const [, first, last] = /^(\d+)(?:\s*-\s*(\d+))?$/.exec(part) ?? [];
    const extents = groups.get(part) ?? (first === undefined ? [] : [[Number(first), Number(last ?? first)] as const]);
    const of = (row: number) => (rows && !groups.has(part) ? rows[row]!.rank : row);
    const most = of(ranks - 1);
    if (extents.length === 0 || extents.some(([a, b]) => a > b || b > most)) unknown.push(part);
    else for (let row = 0; row < ranks; ++row) if (extents.some(([a, b]) => of(row) >= a && of(row) <= b)) chosen.add(row);
  }
  return { set: [...chosen].sort((a, b) => a - b), unknown };
}
