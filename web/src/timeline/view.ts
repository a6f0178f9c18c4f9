// Which part of the time line is on the screen: an interval of time (ticks) and one of ranks.

export interface View {
  from: number;
  to: number;
  /** Ranks [top, bottom) with fractions. */
  top: number;
  bottom: number;
}

export interface Bounds {
  span: number;
  ranks: number;
  /** Shortest interval of time to look at. */
  shortest: number;
}

export function whole({ span, ranks }: Bounds): View {
  return { from: 0, to: Math.max(span, 1), top: 0, bottom: Math.max(ranks, 1) };
}

/** An interval of length `length` at `from`, moved inside [0, limit]. */
function inside(from: number, length: number, limit: number): [number, number] {
  const fitting = Math.min(length, limit);
  const start = Math.min(Math.max(from, 0), limit - fitting);
  return [start, start + fitting];
}

export function clamped(view: View, bounds: Bounds): View {
  const span = Math.max(bounds.span, 1);
  const ranks = Math.max(bounds.ranks, 1);
  const length = Math.max(view.to - view.from, Math.min(bounds.shortest, span));
  const rows = Math.max(view.bottom - view.top, 1);
  const middle = (view.from + view.to) / 2;
  const [from, to] = inside(middle - length / 2, length, span);
  const [top, bottom] = inside((view.top + view.bottom) / 2 - rows / 2, rows, ranks);
  return { from, to, top, bottom };
}

/** `factor` below 1 shows less time; the instant `at` stays where it is. */
export function zoomed(view: View, factor: number, at: number): View {
  return { ...view, from: at - (at - view.from) * factor, to: at + (view.to - at) * factor };
}

export function zoomedRanks(view: View, factor: number, at: number): View {
  return { ...view, top: at - (at - view.top) * factor, bottom: at + (view.bottom - at) * factor };
}

/** By parts of what is seen. */
export function panned(view: View, time: number, ranks: number): View {
  const byTime = time * (view.to - view.from);
  const byRanks = ranks * (view.bottom - view.top);
  return {
    from: view.from + byTime,
    to: view.to + byTime,
    top: view.top + byRanks,
    bottom: view.bottom + byRanks,
  };
}

export function isWhole(view: View, bounds: Bounds): boolean {
  const all = whole(bounds);
  return view.from <= all.from && view.to >= all.to && view.top <= all.top && view.bottom >= all.bottom;
}

/** Times for an axis: about one each `space` pixels, at 1, 2 or 5 times a power of ten. */
export function ticksOf(from: number, to: number, wanted: number): { step: number; at: number[] } {
  const rough = (to - from) / Math.max(wanted, 1);
  if (!(rough > 0)) return { step: 1, at: [] };
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough) ?? 10 * power;
  const at: number[] = [];
  for (let i = Math.ceil(from / step); i * step <= to; ++i) at.push(i * step);
  return { step, at };
}
