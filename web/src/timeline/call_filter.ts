// Which calls are of interest: "MPI_Send size>=64KiB dur>10us peer=3 wait=late region=solve". Words must all hold; a
// bare word is part of the operation's name.

import type { Call } from "./calls";
import type { Timeline } from "../common/timeline";
import { rankOfRow } from "./words";

export type CallFilter = (call: Call) => boolean;

const SIZES: Record<string, number> = { "": 1, b: 1, k: 1024, kib: 1024, m: 1024 ** 2, mib: 1024 ** 2, g: 1024 ** 3, gib: 1024 ** 3 };
const TIMES: Record<string, number> = { "": 1, ns: 1, us: 1e3, ms: 1e6, s: 1e9 };

const COMPARE: Record<string, (a: number, b: number) => boolean> = {
  "=": (a, b) => a === b,
  "<": (a, b) => a < b,
  ">": (a, b) => a > b,
  "<=": (a, b) => a <= b,
  ">=": (a, b) => a >= b,
};

function quantity(text: string, units: Record<string, number>): number | null {
  const [, value, unit = ""] = /^(\d+(?:\.\d+)?)([a-z]*)$/.exec(text) ?? [];
  const factor = units[unit];
  return value === undefined || factor === undefined ? null : Number(value) * factor;
}

/** One word; null: it is not understood. */
function wordFilter(word: string, timeline: Timeline): CallFilter | null {
  const { operations, patterns, regions, tick_ns } = timeline;
  const [, key, sign, text] = /^(\w+)(<=|>=|<|>|=)(.+)$/.exec(word) ?? [];
  const holds = (names: string[], part: string) => names.map((name) => name.toLowerCase().includes(part));
  if (!key || !sign || !text) {
    const named = holds(operations, word);
    return named.includes(true) ? ({ operation }) => named[operation] ?? false : null;
  }
  const compare = COMPARE[sign]!;
  if (key === "size" || key === "dur") {
    const wanted = quantity(text, key === "size" ? SIZES : TIMES);
    if (wanted === null) return null;
    return key === "size" ? ({ bytes }) => compare(bytes, wanted) : ({ begin, end }) => compare((end - begin) * tick_ns, wanted);
  }
  if (key === "peer" || key === "rank") {
    const wanted = Number(text);
    if (!Number.isInteger(wanted)) return null;
    return key === "rank" ? ({ rank }) => compare(rankOfRow(timeline, rank), wanted) : ({ peer }) => compare(peer, wanted);
  }
  const names = { op: operations, wait: patterns, region: regions }[key];
  if (!names || sign !== "=") return null;
  const named = holds(names, text);
  const number = (call: Call) => (key === "op" ? call.operation : key === "wait" ? call.wait : call.region);
  return (call) => named[number(call)] ?? false;
}

export interface ParsedFilter {
  /** null: every call. */
  fits: CallFilter | null;
  /** Words that are not understood. */
  unknown: string[];
}

export function parseFilter(text: string, timeline: Timeline): ParsedFilter {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const filters = words.map((word) => wordFilter(word, timeline));
  const unknown = words.filter((_, i) => filters[i] === null);
  const known = filters.filter((filter) => filter !== null);
  return { fits: known.length > 0 ? (call) => known.every((filter) => filter(call)) : null, unknown };
}
