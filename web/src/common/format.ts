// How values look: the same rules as the text form (src/report/value.cc, text_table.cc), so that
// a number reads the same in a terminal and here.

import type { Unit, Value } from "./report";

interface Scale {
  factor: number;
  unit: string;
}

const TIMES: Scale[] = [
  { factor: 1e9, unit: "s" },
  { factor: 1e6, unit: "ms" },
  { factor: 1e3, unit: "us" },
];
const PREFIXES = ["", "k", "M", "G", "T"];
const SIZES = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

/** A number and its unit, apart, so that they can be set in different type. */
export interface Shown {
  text: string;
  unit: string;
}

const nothing: Shown = { text: "–", unit: "" };

export function grouped(value: number): string {
  return value.toLocaleString("en-US", { maximumFractionDigits: 0 });
}

function plain(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return value.toFixed(0);
  return String(Number(value.toPrecision(4)));
}

function time(ns: number): Shown {
  if (ns === 0) return { text: "0", unit: "s" };
  const scale = TIMES.find((s) => Math.abs(ns) >= 0.99995 * s.factor);
  if (scale) return { text: (ns / scale.factor).toPrecision(4), unit: scale.unit };
  return { text: Number.isInteger(ns) ? ns.toFixed(0) : ns.toPrecision(4), unit: "ns" };
}

function size(bytes: number): Shown {
  let scale = 0;
  let value = bytes;
  while (Math.abs(value) >= 1024 && scale + 1 < SIZES.length) {
    value /= 1024;
    ++scale;
  }
  return { text: value.toFixed(scale === 0 ? 0 : 1), unit: SIZES[scale] ?? "B" };
}

function percent(ratio: number): string {
  const percents = 100 * ratio;
  const small = ratio !== 0 && Math.abs(ratio) < 0.001;
  return small ? String(Number(percents.toPrecision(2))) : percents.toFixed(1);
}

export function show(value: Value, unit: Unit): Shown {
  if (value === null) return nothing;
  if (typeof value === "string") return { text: value, unit: "" };
  switch (unit) {
    case "ns":
      return time(value);
    case "bytes":
      return size(value);
    case "ratio":
      return { text: percent(value), unit: "%" };
    case "points":
      return { text: (100 * value).toFixed(1), unit: "pp" };
    case "count":
      return { text: Number.isInteger(value) ? grouped(value) : plain(value), unit: "" };
    case "none":
      return { text: plain(value), unit: "" };
    case "rate": {
      const power = Math.min(Math.max(0, Math.floor(Math.log10(Math.abs(value) || 1) / 3)), PREFIXES.length - 1);
      return { text: plain(value / 1000 ** power), unit: `${PREFIXES[power]}/s` };
    }
  }
}

export function format(value: Value, unit: Unit): string {
  const shown = show(value, unit);
  return shown.unit ? `${shown.text} ${shown.unit}` : shown.text;
}

/** One unit for many values, so that they can be compared: an axis, a table's column. */
export interface CommonScale extends Scale {
  decimals: number;
}

/** null: the smallest of them would vanish in the unit of the largest. */
export function commonTimeScale(values: Value[]): CommonScale | null {
  const sizes = values
    .filter((v): v is number => typeof v === "number" && v !== 0)
    .map((v) => Math.abs(v));
  if (sizes.length === 0) return null;
  // Not Math.max(...sizes): a long column has more values than a call can have arguments.
  const largest = sizes.reduce((a, b) => Math.max(a, b), 0);
  const smallest = sizes.reduce((a, b) => Math.min(a, b), Infinity);
  const scale = TIMES.find((s) => largest >= s.factor) ?? { factor: 1, unit: "ns" };
  if (smallest < 0.01 * scale.factor) return null;
  const whole = scale.factor === 1 && sizes.every(Number.isInteger);
  return { ...scale, decimals: whole ? 0 : scale.factor === 1 ? 2 : 3 };
}

/** For an axis: the unit that fits its largest value; shares are shown in per cent. */
export function axisScale(largest: number, unit: Unit): Scale {
  if (unit === "ratio") return { factor: 0.01, unit: "%" };
  if (unit === "bytes") {
    const power = Math.min(Math.floor(Math.log2(Math.max(largest, 1)) / 10), SIZES.length - 1);
    return { factor: 1024 ** power, unit: SIZES[power] ?? "B" };
  }
  if (unit !== "ns") return { factor: 1, unit: "" };
  return TIMES.find((s) => largest >= s.factor) ?? { factor: 1, unit: "ns" };
}

/** What a time may be wrong by that was rounded to whole ticks; empty: nothing. `times`: of which it is a difference. */
export function rounding(tickNs: number, times = 1): string {
  return tickNs > 1 ? ` ± ${format((times * tickNs) / 2, "ns")}` : "";
}

/** A sentence in which no line ends between a number and its unit. */
export function prose(text: string): string {
  return text.replace(/(\d) (?=(%|[num]?s|[KMG]iB|B)(?![\w%]))/g, "$1\u00a0");
}

/** An instant so exactly that it differs from its neighbours where `span` ns are seen at once. */
export function instant(ns: number, span: number): string {
  if (ns === 0) return "0 s";
  const { factor, unit } = TIMES.find((s) => Math.abs(ns) >= s.factor) ?? { factor: 1, unit: "ns" };
  const digits = Math.ceil(Math.log10((1000 * factor) / Math.max(span, 1)));
  return `${(ns / factor).toFixed(Math.min(Math.max(digits, 0), Math.round(Math.log10(factor))))} ${unit}`;
}
