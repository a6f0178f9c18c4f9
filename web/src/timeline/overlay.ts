// What is drawn above the rows: axis, names of ranks, messages, selection.

import { axisScale } from "../common/format";
import type { Timeline } from "../common/timeline";
import type { Call } from "./calls";
import type { Rgb } from "./palette";
import type { Rows } from "./groups";
import { ticksOf, type View } from "./view";

/** Space left of the rows for their names, in CSS pixels. */
export const gutterOf = ({ rows }: Timeline) => (rows ? 118 : 58);
/** Above them for the axis. */
export const AXIS = 22;

export interface Frame {
  view: View;
  rows: Rows;
  gutter: number;
  width: number;
  height: number;
  tickNs: number;
  text: string;
  grid: string;
  accent: string;
  path: string;
  ground: Rgb;
}

/** A message between two calls. */
export interface Arrow {
  from: Call;
  to: Call;
}

export const xOf = ({ view, width, gutter }: Frame, tick: number) =>
  gutter + ((tick - view.from) / (view.to - view.from)) * (width - gutter);

export const yOf = ({ view, rows, height }: Frame, rank: number) =>
  AXIS + ((rows.rowOf(rank) - view.top) / (view.bottom - view.top)) * (height - AXIS);

export const rowHeight = ({ view, height }: Frame) => (height - AXIS) / (view.bottom - view.top);

/** "12.5" for a tick at 12.5 ms on an axis in steps of 0.5 ms. */
function label(ns: number, step: number, factor: number): string {
  const decimals = Math.max(0, Math.min(9, -Math.floor(Math.log10(step / factor) + 1e-9)));
  return (ns / factor).toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

export function drawAxis(c: CanvasRenderingContext2D, frame: Frame): void {
  const { view, width, height, tickNs, text, grid, gutter } = frame;
  const from = view.from * tickNs;
  const to = view.to * tickNs;
  const { factor, unit } = axisScale(to, "ns");
  const { step, at } = ticksOf(from, to, (width - gutter) / Math.min(130, 70 + width / 20));
  c.font = "12px system-ui, sans-serif";
  c.textBaseline = "middle";
  c.textAlign = "center";
  for (const ns of at) {
    const x = Math.round(xOf(frame, ns / tickNs)) + 0.5;
    c.fillStyle = grid;
    c.globalAlpha = 0.55;
    c.fillRect(x - 0.5, AXIS - 4, 1, height - AXIS + 4);
    c.globalAlpha = 1;
    c.fillStyle = text;
    const words = `${label(ns, step, factor)} ${unit}`;
    const half = c.measureText(words).width / 2;
    if (x - half > gutter - 6 && x + half < width) c.fillText(words, x, AXIS / 2 - 1);
  }
}

export function drawRankNames(c: CanvasRenderingContext2D, frame: Frame): void {
  const { view, rows, height, text, gutter } = frame;
  const row = rowHeight(frame);
  const every = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192].find((n) => n * row >= 15) ?? 16384;
  c.font = "12px system-ui, sans-serif";
  c.textBaseline = "middle";
  c.textAlign = "right";
  c.fillStyle = text;
  for (let i = Math.ceil(view.top / every) * every; i < Math.min(view.bottom, rows.count); i += every) {
    const y = AXIS + ((i - view.top) / (view.bottom - view.top)) * (height - AXIS) + row / 2;
    const words = i === 0 && !rows.grouped ? `rank ${rows.rankAt(0)}` : rows.label(i);
    if (y > AXIS - 2 && y < height) c.fillText(words, gutter - 8, y);
  }
}

/** Left the ranks, right their threads and streams; a line between ranks. */
export function drawRowNames(c: CanvasRenderingContext2D, frame: Frame, timeline: Timeline): void {
  const { view, rows, width, height, text, grid, gutter } = frame;
  const row = rowHeight(frame);
  c.font = `${row >= 15 ? 12 : 11}px system-ui, sans-serif`;
  c.textBaseline = "middle";
  let ranked = -1; // pixels down to which the ranks' names reach
  for (let i = Math.floor(view.top); i < Math.min(view.bottom, rows.count); ++i) {
    const own = timeline.rows?.[rows.rankAt(i)];
    if (!own) continue;
    const top = AXIS + ((i - view.top) / (view.bottom - view.top)) * (height - AXIS);
    const begins = i === 0 || timeline.rows?.[rows.rankAt(i - 1)]?.rank !== own.rank;
    if (begins && i > 0 && top > AXIS) {
      c.fillStyle = grid;
      c.fillRect(0, Math.round(top), width, 1);
    }
    const y = top + row / 2;
    if (y < AXIS - 2 || y > height) continue;
    const first = begins || i === Math.floor(view.top);
    let left = 0;
    if (first && y >= ranked) {
      c.fillStyle = text;
      c.textAlign = "left";
      c.fillText(`rank ${own.rank}`, 2, y);
      left = c.measureText(`rank ${own.rank}`).width + 8;
      ranked = y + 14;
    }
    if (row < 11) continue;
    c.fillStyle = text;
    c.textAlign = "right";
    c.fillText(fitting(c, own.name, gutter - 10 - left), gutter - 8, y);
  }
}

/** The end of a text is what tells threads' rows apart. */
function fitting(c: CanvasRenderingContext2D, words: string, width: number): string {
  let shown = words;
  while (shown.length > 3 && c.measureText(shown).width > width) shown = `\u2026${shown.slice(2)}`;
  return shown;
}

/** From the begin of the sending call to the end of the receiving one. */
export function drawMessages(c: CanvasRenderingContext2D, frame: Frame, arrows: Arrow[], colour: string, strong: boolean): void {
  const row = rowHeight(frame);
  c.save();
  c.beginPath();
  c.rect(frame.gutter, AXIS, frame.width - frame.gutter, frame.height - AXIS);
  c.clip();
  c.strokeStyle = c.fillStyle = colour;
  c.lineWidth = strong ? 1.75 : 1;
  c.globalAlpha = strong ? 1 : 0.55;
  for (const { from, to } of arrows) {
    if (frame.rows.rowOf(from.rank) < 0 || frame.rows.rowOf(to.rank) < 0) continue;
    const x1 = xOf(frame, from.begin);
    const x2 = xOf(frame, to.end);
    const y1 = yOf(frame, from.rank) + row / 2;
    const y2 = yOf(frame, to.rank) + row / 2;
    c.beginPath();
    c.moveTo(x1, y1);
    c.lineTo(x2, y2);
    c.stroke();
    if (row < 5) continue;
    const angle = Math.atan2(y2 - y1, x2 - x1);
    const size = strong ? 7 : 5;
    c.beginPath();
    c.moveTo(x2, y2);
    c.lineTo(x2 - size * Math.cos(angle - 0.4), y2 - size * Math.sin(angle - 0.4));
    c.lineTo(x2 - size * Math.cos(angle + 0.4), y2 - size * Math.sin(angle + 0.4));
    c.fill();
  }
  c.restore();
}

/** A box around a stretch of a rank, never thinner than can be seen. */
export function drawBox(c: CanvasRenderingContext2D, frame: Frame, rank: number, begin: number, end: number, colour: string): void {
  const row = rowHeight(frame);
  const x1 = Math.max(xOf(frame, begin), frame.gutter - 4);
  const x2 = Math.min(Math.max(xOf(frame, end), x1 + 3), frame.width + 4);
  if (x2 < frame.gutter || x1 > frame.width || frame.rows.rowOf(rank) < 0) return;
  c.strokeStyle = colour;
  c.lineWidth = 2;
  c.strokeRect(x1 - 1, yOf(frame, rank) - 1, x2 - x1 + 2, Math.max(row, 3) + 1);
}

/** A name inside each long enough call, where rows are high enough to hold one. */
export function drawName(c: CanvasRenderingContext2D, frame: Frame, rank: number, begin: number, end: number, name: string): void {
  const row = rowHeight(frame);
  const x1 = Math.max(xOf(frame, begin), frame.gutter);
  const x2 = Math.min(xOf(frame, end), frame.width);
  if (x2 - x1 < 40 || row < 14 || c.measureText(name).width > x2 - x1 - 6) return;
  c.fillText(name, (x1 + x2) / 2, yOf(frame, rank) + row / 2);
}
