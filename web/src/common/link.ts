// A view in the URL's fragment: #timeline?t=1200,4800&r=0,15&ranks=0-31,64&only=3,7&colour=waiting&call=3.124, with times in
// nanoseconds, ranks from first to last, so that a link to a place can be sent and survives a reload.

export type ColourBy = "operation" | "waiting" | "region" | "ipc";

export interface CallId {
  rank: number;
  call: number;
}

/** A view with a note. Times in nanoseconds. */
export interface Bookmark {
  t: [number, number];
  r: [number, number];
  note: string;
}

export interface Place {
  t?: [number, number];
  r?: [number, number];
  colour?: ColourBy;
  run?: string;
  call?: CallId;
  /** Those that have rows, where not all do. */
  ranks?: number[];
  /** The ranks that stand out among those of `r`. */
  only?: [number, number];
  /** What is searched for. */
  find?: string;
  /** Which calls the statistics of the view are of; "": of all. */
  statistics?: string;
  bookmarks?: Bookmark[];
  /** What the ranks are grouped by. */
  group?: string;
}

function numbers(text: string | null, separator: string): [number, number] | undefined {
  const parts = (text ?? "").split(separator).map(Number);
  const [a, b] = parts;
  const fine = parts.length === 2 && parts.every((n) => Number.isFinite(n) && n >= 0);
  return fine && a !== undefined && b !== undefined ? [a, b] : undefined;
}

const MOST_RANKS = 1 << 20;

/** "0-31,64", ascending. */
function extents(text: string): number[] {
  const ranks = new Set<number>();
  for (const [, first, last] of text.matchAll(/(\d+)(?:-(\d+))?/g)) {
    for (let rank = Number(first); rank <= Math.min(Number(last ?? first), MOST_RANKS); ++rank) ranks.add(rank);
  }
  return [...ranks].sort((a, b) => a - b);
}

/** "0-31,64" of ascending numbers. */
export function rankText(set: number[]): string {
  const parts: [number, number][] = [];
  for (const rank of set) {
    const last = parts[parts.length - 1];
    if (last && last[1] + 1 === rank) last[1] = rank;
    else parts.push([rank, rank]);
  }
  return parts.map(([a, b]) => (a === b ? `${a}` : `${a}-${b}`)).join(",");
}

/** The part before "?" is an element's id. Nothing in a fragment is trusted to be a number. */
export function parseFragment(hash: string): { id: string; place: Place } {
  const text = hash.replace(/^#/, "");
  const mark = text.indexOf("?");
  const id = decode(mark < 0 ? text : text.slice(0, mark));
  const query = new URLSearchParams(mark < 0 ? "" : text.slice(mark + 1));
  const place: Place = {};
  const t = numbers(query.get("t"), ",");
  if (t && t[1] > t[0]) place.t = t;
  const r = numbers(query.get("r"), ",");
  if (r && r[1] >= r[0]) place.r = r;
  const only = numbers(query.get("only"), ",");
  if (only) place.only = only;
  const ranks = extents(query.get("ranks") ?? "");
  if (ranks.length > 0) place.ranks = ranks;
  const call = numbers(query.get("call"), ".");
  if (call) place.call = { rank: call[0], call: call[1] };
  const colour = query.get("colour");
  if (colour === "operation" || colour === "waiting" || colour === "region" || colour === "ipc") place.colour = colour;
  const run = query.get("run");
  if (run) place.run = run;
  const find = query.get("find");
  if (find) place.find = find;
  const group = query.get("group");
  if (group) place.group = group;
  const statistics = query.get("statistics");
  if (statistics !== null) place.statistics = statistics;
  const bookmarks = query.getAll("mark").flatMap((text) => bookmarkOf(text) ?? []);
  if (bookmarks.length > 0) place.bookmarks = bookmarks;
  return { id, place };
}

/** "1200,4800,0,15,the note". */
function bookmarkOf(text: string): Bookmark | null {
  const [, ...parts] = /^(\d+),(\d+),(\d+),(\d+),([^]*)$/.exec(text) ?? [];
  const [from, to, first, last] = parts.map(Number);
  if (from === undefined || to === undefined || first === undefined || last === undefined || to <= from) return null;
  return { t: [from, to], r: [first, Math.max(first, last)], note: parts[4] ?? "" };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

export function fragmentOf(id: string, place: Place): string {
  const parts: string[] = [];
  if (place.t) parts.push(`t=${place.t.map((ns) => Math.round(ns)).join(",")}`);
  if (place.r) parts.push(`r=${place.r.join(",")}`);
  if (place.ranks) parts.push(`ranks=${rankText(place.ranks)}`);
  if (place.only) parts.push(`only=${place.only.join(",")}`);
  if (place.colour) parts.push(`colour=${place.colour}`);
  if (place.run) parts.push(`run=${encodeURIComponent(place.run)}`);
  if (place.call) parts.push(`call=${place.call.rank}.${place.call.call}`);
  if (place.find) parts.push(`find=${encodeURIComponent(place.find)}`);
  if (place.group) parts.push(`group=${encodeURIComponent(place.group)}`);
  if (place.statistics !== undefined) parts.push(`statistics=${encodeURIComponent(place.statistics)}`);
  for (const { t, r, note } of place.bookmarks ?? []) {
    parts.push(`mark=${encodeURIComponent([...t.map((ns) => Math.round(ns)), ...r, note].join(","))}`);
  }
  const query = parts.length > 0 ? `?${parts.join("&")}` : "";
  return `#${encodeURIComponent(id)}${query}`;
}
