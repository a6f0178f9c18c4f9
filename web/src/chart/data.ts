import type { Line, Series } from "../common/report";

/** The lines that share a y axis, with the columns that uPlot draws. */
export interface Panel {
  index: number;
  lines: Line[];
  ys: (number | null)[][];
}

export interface ChartData {
  x: number[];
  /** Where in `x` the series' own points are. */
  stops: number[];
  panels: Panel[];
}

const DENSITY = 400;

interface Sample {
  x: number;
  /** The series' point at or before x, and how far x is on the way to the next. */
  point: number;
  part: number;
}

/**
 * The series' points and more between them where they are far apart: a curve with three breakpoints
 * can then be read everywhere. Nothing is invented: a line is straight between its points, or holds
 * its value. Points without an x, which nothing could place, are left out.
 */
function samplesOf(xs: (number | null)[]): Sample[] {
  const points = xs.flatMap((x, point) => (x === null ? [] : [{ x, point, part: 0 }]));
  const first = points[0]?.x ?? 0;
  const span = (points[points.length - 1]?.x ?? 0) - first;
  return points.flatMap((here, i) => {
    const next = points[i + 1];
    if (!next || next.point !== here.point + 1 || !(span > 0)) return [here];
    const gap = next.x - here.x;
    const between = Math.floor((gap / span) * DENSITY);
    const added = Array.from({ length: between }, (_, k) => {
      const part = (k + 1) / (between + 1);
      return { x: here.x + part * gap, point: here.point, part };
    });
    return [here, ...added];
  });
}

function valueAt(line: Line, { point, part }: Sample): number | null {
  const here = line.y[point] ?? null;
  if (line.points && part > 0) return null;
  if (part === 0 || line.steps || here === null) return here;
  const next = line.y[point + 1] ?? null;
  return next === null ? null : here + part * (next - here);
}

/** Panels in ascending order; those without any value are left out. */
export function chartData(series: Series): ChartData {
  const samples = samplesOf(series.x);
  const indices = [...new Set(series.lines.map((line) => line.panel))].sort((a, b) => a - b);
  const panels = indices.map((index) => {
    const lines = series.lines.filter((line) => line.panel === index);
    const ys = lines.map((line) => samples.map((sample) => valueAt(line, sample)));
    return { index, lines, ys };
  });
  return {
    x: samples.map(({ x }) => x),
    stops: samples.flatMap(({ part }, i) => (part === 0 ? [i] : [])),
    panels: panels.filter((panel) => panel.ys.some((y) => y.some((v) => v !== null))),
  };
}
