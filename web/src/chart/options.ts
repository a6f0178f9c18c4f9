// How a panel of a series becomes a uPlot chart. All panels of a series have the same x axis, the
// same margins and one cursor; only the lowest one has the x axis' numbers.

import uPlot from "uplot";
import { axisScale } from "../common/format";
import { isRated } from "../common/rating";
import type { Series, Unit } from "../common/report";
import type { Panel } from "./data";
import { markPainter, type Marks } from "./marks";
import { ratingPainter } from "./ratings";
import { zonePainter, type ZoneColours } from "./zones";

const Y_AXIS = 62;
const X_AXIS = 26;
const X_TITLE = 22;
const FONT = "12px system-ui, sans-serif";

export interface Colours {
  text: string;
  accent: string;
  grid: string;
  lines: string[];
  zones: ZoneColours[];
}

/** The colours of the theme that is on now (style.css). */
export function currentColours(): Colours {
  const style = getComputedStyle(document.documentElement);
  const get = (name: string) => style.getPropertyValue(name).trim();
  const each = (count: number, name: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => get(name(i + 1)));
  const edges = each(4, (i) => `--zone-${i}`);
  const fills = each(4, (i) => `--zone-${i}-fill`);
  return {
    text: get("--muted"),
    accent: get("--text"),
    grid: get("--grid"),
    lines: each(4, (i) => `--line-${i}`),
    zones: fills.map((fill, i) => ({ fill, edge: edges[i] ?? fill })),
  };
}

function decimalsFor(step: number): number {
  for (let decimals = 0; decimals < 9; ++decimals) {
    const scaled = step * 10 ** decimals;
    if (Math.abs(scaled - Math.round(scaled)) < 1e-6 * scaled) return decimals;
  }
  return 9;
}

/** Numbers in the unit that fits the axis; the unit itself stands in the axis' title. */
function tickLabels(factor: number): uPlot.Axis.DynamicValues {
  return (_u, splits, _axis, _space, step) => {
    const decimals = decimalsFor(step / factor);
    return splits.map((value) =>
      (value / factor).toLocaleString("en-US", {
        minimumFractionDigits: decimals,
        maximumFractionDigits: decimals,
      }),
    );
  };
}

export function largest(columns: (number | null)[][]): number {
  return columns.flat().reduce<number>((most, v) => Math.max(most, Math.abs(v ?? 0)), 0);
}

/** "latency L (us)" */
export function titled(name: string, unit: string): string {
  return unit ? `${name} (${unit})` : name;
}

const FAR = 1; // heights of the lines

/**
 * Counts and shares start at zero; times fill the panel, so that small changes show. Single points far
 * from all lines would press these flat: they stay outside, and the head of the panel tells them.
 */
function yRange(unit: Unit, panel: Panel): uPlot.Range.Function {
  const drawn = panel.ys.filter((_, i) => !panel.lines[i]?.points).flat();
  const numbers = drawn.filter((y): y is number => y !== null);
  const [least, most] = numbers.length > 0 ? [Math.min(...numbers), Math.max(...numbers)] : [-Infinity, Infinity];
  const room = FAR * (most - least);
  return (_u, wholeLow, wholeHigh) => {
    if (wholeLow === null || wholeHigh === null) return [0, 1];
    const low = wholeLow < least - room ? least : wholeLow;
    const high = wholeHigh > most + room ? most : wholeHigh;
    if (unit === "count" || unit === "ratio") return [Math.min(0, low), high > 0 ? 1.12 * high : 1];
    return uPlot.rangeNum(low, high, 0.1, true);
  };
}

function seriesOf(panel: Panel, colours: Colours, first: number): uPlot.Series[] {
  return panel.lines.map((line, i) => {
    const colour = colours.lines[(first + i) % colours.lines.length] ?? colours.text;
    const stepped = line.steps ? uPlot.paths.stepped?.({ align: 1 }) : undefined;
    return {
      label: line.name,
      stroke: colour,
      width: line.points ? 0 : 2,
      pxAlign: stepped ? 1 : 0,
      points: { show: line.points || panel.ys[i]?.length === 1, size: line.points ? 8 : 6 },
      ...(stepped ? { paths: stepped } : {}),
    };
  });
}

export interface PanelRequest {
  series: Series;
  panel: Panel;
  x: number[];
  last: boolean;
  /** How many lines the panels above have: they go on with the next colour. */
  linesBefore: number;
  width: number;
  height: number;
  colours: Colours;
  onCursor: (index: number | null) => void;
  marks: () => Marks;
}

export function panelOptions(request: PanelRequest): uPlot.Options {
  const { series, panel, colours, last } = request;
  const unit = panel.lines[0]?.unit ?? "none";
  const xScale = axisScale(largest([request.x]), series.x_unit);
  const yScale = axisScale(largest(panel.ys), unit);
  const axis = { stroke: colours.text, font: FONT, ticks: { show: false } };
  const grid = { stroke: colours.grid, width: 1 };
  return {
    width: request.width,
    height: request.height + (last ? X_AXIS + X_TITLE : 0),
    legend: { show: false },
    padding: [6, 14, last ? 0 : 6, 0],
    cursor: {
      y: false,
      sync: { key: series.id || series.title },
      drag: { x: true, y: false },
      points: { size: 8, width: 2 },
    },
    scales: { x: { time: false }, y: { range: yRange(unit, panel) } },
    series: [{ label: series.x_name }, ...seriesOf(panel, colours, request.linesBefore)],
    axes: [
      {
        ...axis,
        grid,
        show: last,
        size: X_AXIS,
        values: tickLabels(xScale.factor),
        label: titled(series.x_name, xScale.unit),
        labelFont: FONT,
        labelSize: X_TITLE,
      },
      { ...axis, grid, size: Y_AXIS, space: 34, values: tickLabels(yScale.factor) },
    ],
    hooks: {
      drawClear: isRated(series.id)
        ? [ratingPainter(colours.zones)]
        : [zonePainter(series.zones, colours.zones)],
      draw: [markPainter(request.marks, colours.text, colours.accent, last)],
      setCursor: [(u) => request.onCursor(u.cursor.idx ?? null)],
    },
  };
}
