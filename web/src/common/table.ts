// What a table does besides being shown: columns as text, sorting, CSV.

import { commonTimeScale, format } from "./format";
import { fragmentOf, type Place } from "./link";
import type { Column, Series, Table, Unit, Value } from "./report";

export interface ShownColumn {
  name: string;
  unit: string;
  explanation: string;
  right: boolean;
  show: (value: Value) => string;
}

function percentDecimals(values: Value[]): number {
  const vanishes = (v: Value) => typeof v === "number" && v !== 0 && Math.abs(v) < 0.0005;
  return values.some(vanishes) ? 2 : 1;
}

function shower(column: Column, values: Value[]): { unit: string; show: (v: Value) => string } {
  const scale = column.unit === "ns" ? commonTimeScale(values) : null;
  if (scale) {
    const show = (v: Value) =>
      typeof v === "number" ? (v / scale.factor).toFixed(scale.decimals) : format(v, column.unit);
    return { unit: scale.unit, show };
  }
  if (column.unit === "ratio") {
    const decimals = percentDecimals(values);
    const show = (v: Value) =>
      typeof v === "number" ? `${(100 * v).toFixed(decimals)} %` : format(v, column.unit);
    return { unit: "", show };
  }
  return { unit: "", show: (v) => format(v, column.unit) };
}

export function shownColumns(table: Table): ShownColumn[] {
  return table.columns.map((column, index) => {
    const values = table.rows.map((row) => row[index] ?? null);
    const numbers = values.some((v) => typeof v === "number");
    const right = column.unit !== "none" || (numbers && values.every((v) => typeof v !== "string"));
    return { name: column.name, explanation: column.explanation, right, ...shower(column, values) };
  });
}

export interface Order {
  column: number;
  ascending: boolean;
}

/** Numbers before text, nothing last whichever way round; equal rows keep their order. */
export function sorted(rows: Value[][], order: Order | null): Value[][] {
  if (!order) return rows;
  const sign = order.ascending ? 1 : -1;
  const compare = (a: Value, b: Value): number => {
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    if (typeof a === "number" && typeof b === "number") return sign * (a - b);
    if (typeof a === "string" && typeof b === "string") {
      return sign * a.localeCompare(b, "en", { numeric: true });
    }
    return sign * (typeof a === "number" ? -1 : 1);
  };
  return [...rows].sort((a, b) => compare(a[order.column] ?? null, b[order.column] ?? null));
}

/** Rows in which some cell, as it is shown, contains each of the words. */
export function filtered(rows: Value[][], columns: ShownColumn[], text: string): Value[][] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return rows;
  return rows.filter((row) => {
    const shown = columns.map((column, i) => column.show(row[i] ?? null).toLowerCase());
    return words.every((word) => shown.some((cell) => cell.includes(word)));
  });
}

const AROUND = 0.6;

const FIRST_RANKS = ["rank", "sender", "waiting rank", "on rank"];
const OTHER_RANKS = ["receiver", "delaying rank"];
const NAMES = ["region", "operation", "activity", "pattern", "where"];

function rankOf(value: Value | undefined): number | null {
  if (value === null || value === undefined || value === "") return null;
  const rank = Number(value);
  return Number.isInteger(rank) && rank >= 0 ? rank : null;
}

/**
 * Of a table whose rows are ranks, pairs of ranks or names of what occurs in the run: that rank or pair among the
 * others, and all that have that name.
 */
function markLinkOf(columns: Column[], timeline: string): ((row: Value[]) => string) | null {
  const of = (names: string[]) => columns.findIndex(({ name }) => names.includes(name));
  const [rank, other, named] = [of(FIRST_RANKS), of(OTHER_RANKS), of(NAMES)];
  if (rank < 0 && named !== 0) return null;
  return (row) => {
    const place: Place = {};
    const a = rankOf(row[rank]);
    if (a !== null) place.only = [a, rankOf(row[other]) ?? a];
    const name = row[named];
    const path = typeof name === "string" ? name.replace(/:.*$/, "").trim() : "";
    if (path && !path.startsWith("(")) place.find = path;
    return Object.keys(place).length > 0 ? fragmentOf(timeline, place) : "";
  };
}

/**
 * Of a table whose rows are stretches of time, ranks or places in the program: where each is in the time
 * line; "" where a row is nowhere.
 */
export function timeLinkOf({ columns }: Table, timeline: string): ((row: Value[]) => string) | null {
  const of = (...names: string[]) => columns.findIndex((c) => names.includes(c.name) && (c.unit === "ns" || c.name === "rank"));
  const [rank, begin, end, length] = [of("rank"), of("begin"), of("end"), of("length", "duration")];
  if (!timeline) return null;
  if (begin < 0 || (end < 0 && length < 0)) return markLinkOf(columns, timeline);
  const number = (row: Value[], i: number) => (typeof row[i] === "number" ? row[i] : 0);
  return (row) => {
    const from = number(row, begin);
    const to = end >= 0 ? number(row, end) : from + number(row, length);
    const margin = AROUND * (to - from);
    const t: [number, number] = [Math.max(0, from - margin), to + margin + 1];
    const r = number(row, rank);
    return fragmentOf(timeline, rank >= 0 ? { t, r: [Math.max(0, r - 4), r + 4], only: [r, r] } : { t });
  };
}

const SUFFIX: Record<Unit, string> = {
  none: "",
  count: "",
  ns: "_ns",
  bytes: "_bytes",
  ratio: "_ratio",
  points: "_ratio",
  rate: "_per_s",
};

function csvName(column: Column): string {
  const name = column.name.replace(/[^0-9A-Za-z\u0080-\uffff]+/g, "_").replace(/^_|_$/g, "");
  return name.endsWith(SUFFIX[column.unit]) ? name : name + SUFFIX[column.unit];
}

function csvField(value: Value): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  return /[",\r\n]|^ | $/.test(value) ? `"${value.replace(/"/g, '""')}"` : value;
}

/** RFC 4180, the same as `--format csv`. */
export function csv(table: Table): string {
  const rows = [table.columns.map(csvName), ...table.rows.map((row) => row.map(csvField))];
  return rows.map((row) => row.join(",") + "\r\n").join("");
}

/** A series' numbers, for those who cannot or would rather not read them off a picture. */
export function seriesTable(series: Series): Table {
  return {
    kind: "table",
    id: `${series.id}-values`,
    title: "",
    columns: [
      { name: series.x_name, unit: series.x_unit, explanation: "" },
      ...series.lines.map((line) => ({ name: line.name, unit: line.unit, explanation: "" })),
    ],
    rows: series.x.map((x, i) => [x, ...series.lines.map((line) => line.y[i] ?? null)]),
  };
}
