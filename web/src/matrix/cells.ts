// A matrix' numbers, and orders of its rows in which patterns show.

import { readBlob } from "../common/blob";
import { Columns } from "../common/columns";
import type { Matrix, Table } from "../common/report";

export async function readCells({ cells, size }: Matrix): Promise<Float64Array> {
  return new Columns(await readBlob(cells)).varints(size * size);
}

export type OrderBy = "rank" | "total" | "cluster";

function totals(cells: Float64Array, size: number): Float64Array {
  const sums = new Float64Array(size);
  cells.forEach((value, i) => {
    sums[Math.floor(i / size)]! += value;
    sums[i % size]! += value;
  });
  return sums;
}

/**
 * Those that have much to do with each other next to each other: the heaviest first, then always the
 * one that has most to do with those placed before, the last of them counting most. O(size^2).
 */
function clustered(cells: Float64Array, size: number): number[] {
  const weight = totals(cells, size);
  const pull = new Float64Array(size);
  const left = new Set(Array.from({ length: size }, (_, i) => i));
  const order: number[] = [];
  const better = (a: number, b: number) => pull[a]! - pull[b]! || weight[a]! - weight[b]! || b - a;
  while (left.size > 0) {
    let next = -1;
    for (const i of left) if (next < 0 || better(i, next) > 0) next = i;
    left.delete(next);
    order.push(next);
    for (const i of left) {
      pull[i] = 0.7 * pull[i]! + Math.log1p(cells[next * size + i]! + cells[i * size + next]!);
    }
  }
  return order;
}

export function orderOf(cells: Float64Array, size: number, by: OrderBy): number[] {
  const identity = Array.from({ length: size }, (_, i) => i);
  if (by === "rank") return identity;
  if (by === "cluster") return clustered(cells, size);
  const weight = totals(cells, size);
  return identity.sort((a, b) => weight[b]! - weight[a]! || a - b);
}

// Between these colours, in equal steps: like cividis, made for all kinds of colour vision.
const RAMP = [[0, 34, 78], [65, 77, 107], [124, 123, 120], [188, 175, 111], [254, 232, 56]];

/** `part` from 0 to 1. */
export function rampColour(part: number): [number, number, number] {
  const place = Math.min(Math.max(part, 0), 1) * (RAMP.length - 1);
  const i = Math.min(Math.floor(place), RAMP.length - 2);
  const [a, b] = [RAMP[i]!, RAMP[i + 1]!];
  return [0, 1, 2].map((k) => a[k]! + (place - i) * (b[k]! - a[k]!)) as [number, number, number];
}

/** Where a value lies between the smallest above nothing and the largest, by its logarithm. */
export function logPart(value: number, smallest: number, largest: number): number {
  return largest > smallest ? Math.log(value / smallest) / Math.log(largest / smallest) : 1;
}

export function smallestAbove0(cells: Float64Array): number {
  return cells.reduce((least, v) => (v > 0 && v < least ? v : least), Infinity);
}

/** "5", or "8 to 15" of a block. */
export function ranksOf({ block, ranks }: Matrix, i: number): string {
  const last = Math.min((i + 1) * block, ranks) - 1;
  return block === 1 ? String(i) : `${i * block} to ${last}`;
}

const MOST_ROWS = 500;

/** The largest cells. */
export function asTable(matrix: Matrix, cells: Float64Array): Table {
  const { size } = matrix;
  const used = Array.from(cells.keys()).filter((i) => cells[i]! > 0);
  const top = used.sort((a, b) => cells[b]! - cells[a]!).slice(0, MOST_ROWS);
  const column = (name: string, unit: Table["columns"][0]["unit"] = "none") => ({ name, unit, explanation: "" });
  const name = (i: number) => (matrix.block === 1 ? i : ranksOf(matrix, i));
  return {
    kind: "table",
    id: `${matrix.id}-cells`,
    title: used.length > top.length ? `The ${MOST_ROWS} largest of ${used.length} pairs` : "",
    columns: [column(matrix.rows), column(matrix.columns), column(matrix.title, matrix.unit), column("share", "ratio")],
    rows: top.map((i) => [name(Math.floor(i / size)), name(i % size), cells[i]!, cells[i]! / (matrix.total || 1)]),
  };
}
