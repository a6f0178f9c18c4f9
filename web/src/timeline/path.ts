// The critical path above the rows: a line along its ranks, and where it changes ranks too often for a
// line to be followed, on every rank a bar as strong as the share of the path that lies there.

import { MESSAGE, type CriticalPath } from "../common/timeline";
import { AXIS, rowHeight, xOf, yOf, type Frame } from "./overlay";
import { css } from "./palette";

const CELL = 8; // pixels that are either followed or summed up
const MOST_CHANGES = 2; // of rank within a cell that the eye can follow

/** In a stretch of `CELL` pixels, or none: whether the path is summed up there. */
type Dense = Uint8Array;

const cellOf = ({ gutter }: Frame, x: number) => Math.floor((x - gutter) / CELL);
const edgeOf = ({ gutter }: Frame, cell: number) => gutter + cell * CELL;

function firstEndingAfter(path: CriticalPath, tick: number): number {
  let low = 0;
  let high = path.count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (path.end[middle]! >= tick) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The pieces in sight, and one before them. */
function inSight(path: CriticalPath, { view }: Frame): [number, number] {
  const first = Math.max(0, firstEndingAfter(path, view.from) - 1);
  let last = first;
  while (last < path.count && path.begin[last]! <= view.to) ++last;
  return [first, last];
}

function denseCells(frame: Frame, path: CriticalPath, first: number, last: number): Dense {
  const changes = new Uint16Array(Math.max(1, cellOf(frame, frame.width) + 1));
  for (let i = Math.max(first, 1); i < last; ++i) {
    const cell = cellOf(frame, xOf(frame, path.begin[i]!));
    if (path.rank[i] !== path.rank[i - 1] && cell >= 0 && cell < changes.length) ++changes[cell]!;
  }
  return Uint8Array.from(changes, (count) => (count > MOST_CHANGES ? 1 : 0));
}

/** Pixels of the path by cell and rank. */
class Shares {
  private readonly pixels = new Map<string, { cell: number; rank: number; sum: number }>();

  add(cell: number, rank: number, pixels: number): void {
    const key = `${cell} ${rank}`;
    const known = this.pixels.get(key);
    if (known) known.sum += pixels;
    else this.pixels.set(key, { cell, rank, sum: pixels });
  }

  draw(c: CanvasRenderingContext2D, frame: Frame): void {
    const row = rowHeight(frame);
    const high = Math.min(Math.max(0.3 * row, 1.5), 7);
    for (const { cell, rank, sum } of this.pixels.values()) {
      const place = frame.rows.rowOf(rank);
      if (place < 0 || place + 1 < frame.view.top || place > frame.view.bottom) continue;
      const y = yOf(frame, rank) + (row - high) / 2;
      c.globalAlpha = 0.75;
      c.fillStyle = css(frame.ground);
      if (row >= 8) c.fillRect(edgeOf(frame, cell), y - 1, CELL, high + 2);
      c.globalAlpha = Math.min(1, 0.15 + (0.85 * sum) / CELL);
      c.fillStyle = frame.path;
      c.fillRect(edgeOf(frame, cell), y, CELL, high);
    }
    c.globalAlpha = 1;
  }
}

/** Draws what can be followed as a line, where `dense` is not; the rest goes into `shares`. */
function trace(frame: Frame, path: CriticalPath, [first, last]: [number, number], dense: Dense, shares: Shares): Path2D {
  const row = rowHeight(frame);
  const middle = (rank: number) => yOf(frame, rank) + row / 2;
  const isDense = (cell: number) => dense[Math.min(Math.max(cell, 0), dense.length - 1)] === 1;
  const line = new Path2D();
  let down = false; // the pen
  let lastX = -Infinity;
  let lastY = NaN;
  for (let i = first; i < last; ++i) {
    const rank = path.rank[i]!;
    const y = middle(rank);
    const travels = path.operation[i] === MESSAGE;
    // A message arrives where the next piece begins.
    const arrives = travels && i + 1 < path.count ? path.rank[i + 1]! : rank;
    if (frame.rows.rowOf(rank) < 0 || frame.rows.rowOf(arrives) < 0) {
      down = false;
      continue;
    }
    const next = middle(arrives);
    const end = Math.min(xOf(frame, path.end[i]!), frame.width + CELL);
    let x = Math.max(xOf(frame, path.begin[i]!), frame.gutter - CELL);
    do {
      const cell = cellOf(frame, x);
      const summed = isDense(cell);
      // On to the next cell of the other kind.
      let border = cell;
      while (edgeOf(frame, border) < end && isDense(border) === summed) ++border;
      const to = Math.min(end, Math.max(edgeOf(frame, border), x));
      if (summed) {
        for (let k = cell; edgeOf(frame, k) < to; ++k) shares.add(k, rank, Math.min(to, edgeOf(frame, k + 1)) - Math.max(x, edgeOf(frame, k)));
        down = false;
      } else if (!down || to - lastX >= 0.4 || Math.abs(y - lastY) >= 2) {
        if (!down) line.moveTo(x, y);
        else if (!travels) line.lineTo(x, y);
        line.lineTo(to, next);
        [lastX, lastY, down] = [to, next, true];
      }
      if (to <= x) break;
      x = to;
    } while (x < end);
  }
  return line;
}

export function drawPath(c: CanvasRenderingContext2D, frame: Frame, path: CriticalPath): void {
  const seen = inSight(path, frame);
  const dense = denseCells(frame, path, ...seen);
  const shares = new Shares();
  const line = trace(frame, path, seen, dense, shares);
  c.save();
  c.beginPath();
  c.rect(frame.gutter, AXIS, frame.width - frame.gutter, frame.height - AXIS);
  c.clip();
  shares.draw(c, frame);
  c.strokeStyle = css(frame.ground);
  c.lineWidth = 4.5;
  c.globalAlpha = 0.8;
  c.stroke(line);
  c.globalAlpha = 1;
  c.strokeStyle = frame.path;
  c.lineWidth = 2;
  c.stroke(line);
  c.restore();
}
