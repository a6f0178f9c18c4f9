// Colours of the time line: at most eight that differ, computation's among them. Hues are those of Okabe and Ito,
// which people with any common form of colour blindness tell apart. What occurs most gets a colour of its own, and
// the rest shares one. Computation is the quiet ground: what stands out is what is not computation.

import type { Theme } from "../common/theme";
import type { ColourBy } from "../common/link";
import { ipcOf } from "./measures";
import { OUTSIDE, type OperationClass, type Timeline } from "../common/timeline";

export type Rgb = readonly [number, number, number];

const LIGHT = {
  compute: [205, 214, 222],
  mpi: [150, 160, 170],
  ground: [255, 255, 255],
  rest: [110, 118, 126],
  inRegions: [40, 46, 52],
} as const;
const DARK = {
  compute: [58, 68, 78],
  mpi: [104, 115, 126],
  ground: [20, 24, 28],
  rest: [150, 158, 166],
  inRegions: [225, 230, 235],
} as const;

const YELLOW: Rgb = [240, 228, 66];
const HUES: Record<Exclude<OperationClass, "compute" | "idle">, Rgb> = {
  send: [0, 114, 178],
  recv: [86, 180, 233],
  completion: [230, 159, 0],
  collective: [0, 158, 115],
  other: [204, 121, 167],
  kernel: [0, 114, 178],
  copy: [204, 121, 167],
  operator: [86, 180, 233],
  launch: YELLOW,
};
const VERMILLION: Rgb = [213, 94, 0];
/** With computation and what shares a colour these are eight. */
const SERIES: Rgb[] = [VERMILLION, HUES.completion, HUES.send, HUES.other, HUES.collective, HUES.recv];

export function mix(a: Rgb, b: Rgb, part: number): Rgb {
  return [0, 1, 2].map((i) => a[i]! + (b[i]! - a[i]!) * part) as unknown as Rgb;
}

export const css = (c: Rgb) => `rgb(${c.map(Math.round).join(" ")})`;

/** As a pixel of ImageData on a little-endian machine, which every browser's is. */
export const packed = (c: Rgb) => ((255 << 24) | (c[2] << 16) | (c[1] << 8) | c[0]) >>> 0;

export interface Palette {
  ground: Rgb;
  compute: Rgb;
  /** An operation that is not known, or not of interest. */
  mpi: Rgb;
  /** What has no colour of its own. */
  rest: Rgb;
  /** MPI, where regions have the colours; null: calls have those of their call paths, too. */
  inRegions: Rgb | null;
  operations: Rgb[];
  patterns: Rgb[];
  regions: Rgb[];
  /** By code of the instructions per cycle. */
  ipc: Rgb[];
}

/** Low values stand out. Vermillion, yellow and blue are told apart with any common form of colour blindness. */
const LOW_TO_HIGH = [VERMILLION, YELLOW, HUES.send];
/** Instructions per cycle from which on the colour stays the same. */
export const HIGHEST_IPC = 3;

export function scaleColour(part: number): Rgb {
  const place = Math.min(Math.max(part, 0), 1) * (LOW_TO_HIGH.length - 1);
  const low = Math.min(Math.floor(place), LOW_TO_HIGH.length - 2);
  return mix(LOW_TO_HIGH[low]!, LOW_TO_HIGH[low + 1]!, place - low);
}

/** How much there is of each number, by kind of colouring: missing ones, nothing. */
export type Amounts = Record<ColourBy, number[]>;

/** Numbers but 0, those with most first. */
function byAmount(names: string[], amounts: number[]): number[] {
  const numbers = names.map((_, i) => i).slice(1);
  return numbers.sort((a, b) => (amounts[b] ?? 0) - (amounts[a] ?? 0) || a - b);
}

/** Each its own colour as long as there are some; `preferred` where that is still free. */
function coloured(numbers: number[], preferred: (number: number) => Rgb | null): Map<number, Rgb> {
  const free = new Set([...SERIES, YELLOW]);
  const colours = new Map<number, Rgb>();
  const chosen = numbers.slice(0, SERIES.length);
  for (const number of chosen) {
    const wanted = preferred(number);
    const same = wanted && [...free].find((colour) => css(colour) === css(wanted));
    if (same && free.delete(same)) colours.set(number, same);
  }
  for (const number of chosen) {
    if (colours.has(number)) continue;
    const [next] = free;
    free.delete(next!);
    colours.set(number, next!);
  }
  return colours;
}

function table(names: string[], none: Rgb, rest: Rgb, amounts: number[], preferred: (number: number) => Rgb | null): Rgb[] {
  const colours = coloured(byAmount(names, amounts), preferred);
  return names.map((_, i) => (i === 0 ? none : (colours.get(i) ?? rest)));
}

/** `amounts`: as far as they are known. */
export function paletteOf(timeline: Timeline, theme: Theme, amounts: Amounts): Palette {
  const base = theme === "dark" ? DARK : LIGHT;
  const { operations, patterns, regions, classes, rows } = timeline;
  const hueOf = (i: number) => HUES[(classes[i] ?? "other") as Exclude<OperationClass, "compute" | "idle">] ?? HUES.other;
  return {
    ...base,
    inRegions: rows ? null : base.inRegions,
    operations: table(operations, base.compute, base.rest, amounts.operation, hueOf),
    patterns: table(patterns, base.mpi, base.rest, amounts.waiting, () => null),
    regions: table(regions, base.compute, base.rest, amounts.region, () => null),
    ipc: Array.from({ length: 256 }, (_, code) => (code === 0 ? base.compute : scaleColour((ipcOf(code) ?? 0) / HIGHEST_IPC))),
  };
}

/** How much of a call's colour stays where it only waits: the rest is the ground's. */
export const WAITING_PALE = 0.5;

/** What is searched for: the numbers of operations, patterns or regions that match. */
export interface Highlight {
  by: ColourBy;
  matches: Set<number>;
}

function faded(colour: Rgb, number: number, by: ColourBy, palette: Palette, lit: Highlight | null): Rgb {
  if (!lit || lit.by !== by || lit.matches.has(number)) return colour;
  return mix(colour, palette.ground, 0.82);
}

/** The colour of a stretch of one thing: `number` of the operation, pattern or region. */
export function plainColour(palette: Palette, by: ColourBy, number: number, lit: Highlight | null): Rgb {
  const table = by === "operation" ? palette.operations : by === "waiting" ? palette.patterns : by === "ipc" ? palette.ipc : palette.regions;
  return faded(table[number] ?? palette.mpi, number, by, palette, lit);
}

/** A bucket's colour: what is in it, mixed by its shares (upper four bits MPI, lower four waiting). */
function bucketColour(palette: Palette, by: ColourBy, number: number, share: number, lit: Highlight | null): Rgb {
  const mpi = (share >> 4) / 15;
  const waiting = Math.min((share & 15) / 15, mpi || 1);
  const compute = faded(palette.compute, 0, by, palette, lit);
  if (by === "ipc") return mix(plainColour(palette, by, number, lit), palette.mpi, mpi);
  if (by === "region") {
    const { inRegions } = palette;
    return inRegions ? mix(plainColour(palette, by, number, lit), inRegions, mpi) : mix(compute, plainColour(palette, by, number, lit), mpi);
  }
  if (by === "waiting") {
    const rest = mix(compute, faded(palette.mpi, 0, by, palette, lit), mpi);
    return number === 0 ? rest : mix(rest, plainColour(palette, by, number, lit), Math.sqrt(waiting));
  }
  const call = number === 0 ? faded(palette.mpi, -1, by, palette, lit) : plainColour(palette, by, number, lit);
  return mix(compute, mix(call, palette.ground, WAITING_PALE * (mpi > 0 ? waiting / mpi : 0)), mpi);
}

/** Pixels by number * 256 + share, made when first looked up. 0 is "not made yet". */
export class BucketColours {
  private readonly pixels = new Uint32Array(65536);

  constructor(
    private readonly palette: Palette,
    private readonly by: ColourBy,
    private readonly lit: Highlight | null,
  ) {}

  pixel(number: number, share: number): number {
    const key = number * 256 + share;
    return this.pixels[key] || this.make(key, number, share);
  }

  private make(key: number, number: number, share: number): number {
    const { palette, by, lit } = this;
    const outside = by === "operation" && number === OUTSIDE;
    const colour = outside ? palette.ground : bucketColour(palette, by, number, share, lit);
    return (this.pixels[key] = packed(colour));
  }
}
