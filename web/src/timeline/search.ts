// Looking for things by their names: operations, wait patterns, call paths, "rank 12", "12.5 ms".

import { callAt, regionAt, type Call } from "./calls";
import type { Chunk, Run, Timeline } from "../common/timeline";
import type { Highlight } from "./palette";
import type { Scene } from "./scene";
import type { Store } from "./store";

export type Found =
  | { kind: "nothing" }
  | { kind: "rank"; rank: number }
  | { kind: "time"; ns: number }
  | { kind: "names"; lit: Highlight; names: string[] };

const UNITS: Record<string, number> = { ns: 1, us: 1e3, "µs": 1e3, ms: 1e6, s: 1e9 };

function matching(names: string[], wanted: string): Set<number> {
  const numbers = names.flatMap((name, i) => (name.toLowerCase().includes(wanted) && name ? [i] : []));
  return new Set(numbers);
}

export function search(timeline: Timeline, text: string): Found {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return { kind: "nothing" };
  const rank = /^(?:rank\s*)?(\d+)$/.exec(wanted);
  if (rank) return { kind: "rank", rank: Number(rank[1]) };
  const time = /^(\d+(?:\.\d+)?)\s*(ns|us|µs|ms|s)$/.exec(wanted);
  if (time) return { kind: "time", ns: Number(time[1]) * (UNITS[time[2] ?? "ns"] ?? 1) };
  const tables = [
    ["operation", timeline.operations],
    ["waiting", timeline.patterns],
    ["region", timeline.regions],
  ] as const;
  for (const [by, names] of tables) {
    const matches = matching(names, wanted);
    if (matches.size > 0) {
      return { kind: "names", lit: { by, matches }, names: [...matches].map((i) => names[i] ?? "") };
    }
  }
  return { kind: "nothing" };
}

/** Whether call i of a chunk is one of those; made once a search, since it is asked of every call. */
function matcher({ by, matches }: Highlight): (chunk: Chunk, rank: number, i: number) => boolean {
  const wanted = new Uint8Array(256);
  for (const number of matches) if (number < 256) wanted[number] = 1;
  if (by === "operation") return (chunk, _, i) => wanted[chunk.operation[i]!] === 1;
  if (by === "waiting") return (chunk, _, i) => wanted[chunk.details?.wait[i] ?? 0] === 1;
  return (chunk, rank, i) => matches.has(regionAt(chunk, rank, chunk.begin[i]!));
}

interface Instant {
  begin: number;
  rank: number;
}

/** The matching call of a chunk that comes next after another place. */
function nextIn(chunk: Chunk, fits: ReturnType<typeof matcher>, after: Instant, sign: 1 | -1): Call | null {
  let best: Instant | null = null;
  let at = -1;
  const order = (a: Instant, b: Instant) => sign * (a.begin - b.begin || a.rank - b.rank);
  for (let rank = 0; rank + 1 < chunk.start.length; ++rank) {
    const [first, last] = [chunk.start[rank]!, chunk.start[rank + 1]!];
    for (let i = sign > 0 ? first : last - 1; i >= first && i < last; i += sign) {
      const place = { begin: chunk.begin[i]!, rank };
      if (sign * (place.begin - after.begin) < 0) continue;
      if (best && order(place, best) >= 0) break;
      if (order(place, after) <= 0 || !fits(chunk, rank, i)) continue;
      [best, at] = [place, i];
      break;
    }
  }
  return best && callAt(chunk, best.rank, at);
}

/** The matching call that begins next after (or before) another place; null: there is none. */
export async function nextMatch(
  store: Store,
  run: Run,
  lit: Highlight,
  after: Instant,
  forward: boolean,
): Promise<Call | null> {
  const fits = matcher(lit);
  const refs = run.chunks.filter(({ from, to }) => (forward ? to > after.begin : from <= after.begin));
  for (const ref of forward ? refs : refs.reverse()) {
    const found = nextIn(await store.chunkNow(run, ref), fits, after, forward ? 1 : -1);
    if (found) return found;
  }
  return null;
}

/** What to say while something is being typed. */
export function answerTo(text: string, found: Found): string {
  if (!text.trim()) return "";
  if (found.kind === "nothing") return "no match";
  if (found.kind !== "names") return "Enter: go there";
  const more = found.names.length > 3 ? ` and ${found.names.length - 3} more` : "";
  return `${found.names.slice(0, 3).join(", ")}${more}. Enter: next`;
}

/** Goes to what was found, or to the next of it; what to say, or null. */
export async function goOn(scene: Scene, run: Run, found: Found, forward: boolean): Promise<string | null> {
  const { view, timeline, selection } = scene;
  if (found.kind === "rank") {
    const rows = Math.min(scene.rows.count, 16);
    const own = timeline.rows ? timeline.rows.findIndex((row) => row.rank === found.rank) : found.rank;
    const row = scene.rows.rowOf(own);
    if (own < 0 || own >= timeline.ranks) return "no such rank";
    if (row < 0) return "not among the ranks shown";
    scene.look({ ...view, top: row + 0.5 - rows / 2, bottom: row + 0.5 + rows / 2 });
    await scene.selectAt(run, (view.from + view.to) / 2, own, 0);
  } else if (found.kind === "time") {
    const tick = found.ns / timeline.tick_ns;
    const half = Math.min((view.to - view.from) / 2, timeline.span / 20);
    scene.look({ ...view, from: tick - half, to: tick + half });
  } else if (found.kind === "names") {
    const after = selection?.here.call
      ? { begin: selection.here.begin, rank: selection.rank }
      : { begin: view.from, rank: -1 };
    const call = await nextMatch(scene.store, run, found.lit, after, forward);
    if (!call) return forward ? "no further match" : "no earlier match";
    await scene.selectCall(run, call);
  }
  return null;
}
