// A curve T(x) that can be asked both ways: how long at this x, and how large x may be for so much
// longer. Straight between its points, which is exact for a makespan: all its corners are points.

import type { Series } from "../common/report";

export interface Curve {
  name: string;
  x: number[];
  y: number[];
  /** Today's x. */
  now: number;
}

/** One for each time over x, as of several scenarios; none: no such line, or no today to compare with. */
export function curvesOf(series: Series): Curve[] {
  const { now, lines } = series;
  if (typeof now !== "number" || !lines.some(({ steps, name }) => steps || /^lambda/.test(name))) return [];
  const times = lines.filter(({ panel, unit, points }) => panel === 0 && unit === "ns" && !points);
  return times.flatMap((line) => {
    const points = series.x.flatMap((x, i) => {
      const y = line.y[i];
      return x === null || y === null || y === undefined ? [] : [{ x, y }];
    });
    if (points.length < 2) return [];
    return [{ name: line.name, x: points.map(({ x }) => x), y: points.map(({ y }) => y), now }];
  });
}

/** Beyond the last point with the last slope, and likewise before the first. */
export function valueAt({ x, y }: Curve, at: number): number {
  let i = x.findIndex((point) => point >= at);
  if (i < 0) i = x.length - 1;
  i = Math.max(i, 1);
  const [x0, x1, y0, y1] = [x[i - 1]!, x[i]!, y[i - 1]!, y[i]!];
  return x1 === x0 ? y1 : y0 + ((at - x0) / (x1 - x0)) * (y1 - y0);
}

export const slowdownAt = (curve: Curve, at: number) => valueAt(curve, at) / valueAt(curve, curve.now) - 1;

/** The largest x at which the run is slower by no more than that; null: nothing in sight limits it. */
export function largestFor(curve: Curve, slowdown: number): number | null {
  const { x, y } = curve;
  const most = valueAt(curve, curve.now) * (1 + slowdown);
  const last = x.length - 1;
  for (let i = last; i > 0; --i) {
    if (y[i - 1]! > most) continue;
    if (y[i]! > most) return x[i - 1]! + ((most - y[i - 1]!) / (y[i]! - y[i - 1]!)) * (x[i]! - x[i - 1]!);
    const slope = (y[i]! - y[i - 1]!) / (x[i]! - x[i - 1]!);
    return slope > 0 ? x[last]! + (most - y[last]!) / slope : null;
  }
  return x[0] ?? null;
}

/** Where a line that holds its value changes: the critical values of x, where all of them are known. */
export function corners(series: Series): number[] {
  const line = series.lines.find(({ steps }) => steps);
  if (!line) return [];
  return series.x.flatMap((x, i) => {
    const [before, here] = [line.y[i - 1], line.y[i]];
    return x !== null && i > 0 && before !== here && typeof before === "number" ? [x] : [];
  });
}
