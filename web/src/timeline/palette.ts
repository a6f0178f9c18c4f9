// Colours of the time line. Hues are those of Okabe and Ito, which people with any common form of
// colour blindness tell apart; operations of one class share a hue and differ in lightness.
// Computation is the quiet ground: what stands out is what is not computation.

import type { Theme } from "../common/theme";
import type { ColourBy } from "../common/link";
import { OUTSIDE, type OperationClass, type Timeline } from "../common/timeline";

export type Rgb = readonly [number, number, number];

const LIGHT = { compute: [205, 214, 222], mpi: [150, 160, 170], ground: [255, 255, 255] } as const;
const DARK = { compute: [58, 68, 78], mpi: [104, 115, 126], ground: [20, 24, 28] } as const;

const HUES: Record<Exclude<OperationClass, "compute">, Rgb> = {
  send: [0, 114, 178],
  recv: [86, 180, 233],
  completion: [230, 159, 0],
  collective: [0, 158, 115],
  other: [204, 121, 167],
};
const SERIES: Rgb[] = [
  [213, 94, 0],
  [230, 159, 0],
  [0, 114, 178],
  [204, 121, 167],
  [0, 158, 115],
  [86, 180, 233],
  [240, 228, 66],
  [120, 94, 240],
];

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
  operations: Rgb[];
  patterns: Rgb[];
  regions: Rgb[];
}

/** The n-th of a class: lighter and darker in turn. */
function shade(hue: Rgb, n: number, ground: Rgb): Rgb {
  const steps = [0, 0.3, -0.25, 0.48, -0.42, 0.15, -0.12];
  const step = steps[n % steps.length]!;
  return step >= 0 ? mix(hue, ground, step) : mix(hue, [0, 0, 0], -step);
}

function seriesColour(index: number, ground: Rgb): Rgb {
  const round = Math.floor(index / SERIES.length);
  return shade(SERIES[index % SERIES.length]!, round, ground);
}

export function paletteOf(timeline: Timeline, theme: Theme): Palette {
  const base = theme === "dark" ? DARK : LIGHT;
  const seen = new Map<OperationClass, number>();
  const operations = timeline.operations.map((_, i): Rgb => {
    const kind = timeline.classes[i] ?? "other";
    if (kind === "compute") return base.compute;
    const before = seen.get(kind) ?? 0;
    seen.set(kind, before + 1);
    return shade(HUES[kind] ?? HUES.other, before, base.ground);
  });
  const patterns = timeline.patterns.map((_, i) => (i === 0 ? base.mpi : seriesColour(i - 1, base.ground)));
  const regions = timeline.regions.map((_, i) => (i === 0 ? base.compute : seriesColour(i - 1, base.ground)));
  return { ...base, operations, patterns, regions };
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
  const table = by === "operation" ? palette.operations : by === "waiting" ? palette.patterns : palette.regions;
  return faded(table[number] ?? palette.mpi, number, by, palette, lit);
}

/** A bucket's colour: what is in it, mixed by its shares (upper four bits MPI, lower four waiting). */
function bucketColour(palette: Palette, by: ColourBy, number: number, share: number, lit: Highlight | null): Rgb {
  const mpi = (share >> 4) / 15;
  const waiting = Math.min((share & 15) / 15, mpi || 1);
  const compute = faded(palette.compute, 0, by, palette, lit);
  if (by === "region") return mix(plainColour(palette, by, number, lit), palette.mpi, 0.35 * mpi);
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
