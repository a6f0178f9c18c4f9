import type { Line, Series } from "../report";

/** The lines that share a y axis, with the columns that uPlot draws. */
export interface Panel {
  index: number;
  lines: Line[];
  ys: (number | null)[][];
}

export interface ChartData {
  x: number[];
  panels: Panel[];
}

/** Panels in ascending order; points without an x, which nothing could place, are left out. */
export function chartData(series: Series): ChartData {
  const kept = series.x.flatMap((x, i) => (x === null ? [] : [i]));
  const x = kept.map((i) => series.x[i] as number);
  const indices = [...new Set(series.lines.map((line) => line.panel))].sort((a, b) => a - b);
  const panels = indices.map((index) => {
    const lines = series.lines.filter((line) => line.panel === index);
    const ys = lines.map((line) => kept.map((i) => line.y[i] ?? null));
    return { index, lines, ys };
  });
  return { x, panels: panels.filter((panel) => panel.ys.some((y) => y.some((v) => v !== null))) };
}
