// Keys for the time line. They work while it is in sight, and not while something is being typed.

import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";
import type { Scene } from "../../timeline/scene";
import { panned, zoomed, zoomedRanks, type View } from "../../timeline/view";
import { colourings, setColours } from "./Toolbar";

const KEY_ZOOM = 0.6;

/** For the help as well as for the listener. */
export const KEYS: [string, string][] = [
  ["W S", "zoom in and out; with Shift: ranks"],
  ["A D", "pan left and right; with Shift: ranks up and down"],
  ["0", "the whole run"],
  ["F", "zoom to the selection"],
  ["← → ↑ ↓", "previous and next call, rank above and below"],
  ["C", "next colours: operation, waiting, region, IPC"],
  ["P M", "toggle critical path and messages"],
  ["/", "search; then N and Shift+N: next and previous"],
  ["Esc", "clear the selection and the search"],
  ["?", "this help"],
];

/** W, A, S and D. True: the key was one of them. */
function moveByKey(scene: Scene, event: KeyboardEvent): boolean {
  const { view } = scene;
  const middle = scene.selection ? (scene.selection.here.begin + scene.selection.here.end) / 2 : NaN;
  const seen = middle >= view.from && middle <= view.to;
  const at = seen ? middle : (view.from + view.to) / 2;
  const row = scene.selection ? scene.rows.rowOf(scene.selection.rank) + 0.5 : (view.top + view.bottom) / 2;
  const ways: Record<string, () => View> = {
    w: () => zoomed(view, KEY_ZOOM, at),
    s: () => zoomed(view, 1 / KEY_ZOOM, at),
    a: () => panned(view, -0.2, 0),
    d: () => panned(view, 0.2, 0),
    W: () => zoomedRanks(view, KEY_ZOOM, row),
    S: () => zoomedRanks(view, 1 / KEY_ZOOM, row),
    A: () => panned(view, 0, -0.2),
    D: () => panned(view, 0, 0.2),
  };
  const way = ways[event.key];
  if (!way) return false;
  scene.look(way());
  return true;
}

/** From the selection one call on or back, or to the rank above or below. */
function step(scene: Scene, key: string): boolean {
  const { selection } = scene;
  const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1 }[key];
  if (!selection || by === undefined) return false;
  const { here, rank, run } = selection;
  const { call } = here;
  const vertical = key === "ArrowUp" || key === "ArrowDown";
  if (vertical) void scene.selectAt(run, (here.begin + here.end) / 2, scene.rows.rankAt(scene.rows.rowOf(rank) + by), 0);
  else if (call) void scene.selectCall(run, { rank, call: call.call + by });
  else void scene.selectAt(run, by < 0 ? here.begin : here.end, rank, 1);
  return true;
}

export interface Actions {
  search: () => void;
  help: () => void;
  onward: (forward: boolean) => void;
  clear: () => void;
}

function toSelection(scene: Scene): void {
  if (!scene.selection) return;
  const { begin, end } = scene.selection.here;
  const margin = (end - begin) / 2;
  scene.look({ ...scene.view, from: begin - margin, to: end + margin });
}

function nextColours(scene: Scene): void {
  const offered = colourings(scene.timeline);
  setColours(scene, offered[(offered.indexOf(scene.colourBy) + 1) % offered.length]!);
}

function toggle(scene: Scene, what: "showPath" | "showMessages"): void {
  scene[what] = !scene[what];
  scene.look(scene.view);
}

function inSight(element: HTMLElement): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return top < 0.8 * innerHeight && bottom > 0.2 * innerHeight;
}

/** `follows`: another time line in sight acts on keys, unless this one has the focus. */
export function useKeys(scene: Scene, host: RefObject<HTMLElement>, actions: Actions, follows: boolean): void {
  // Whoever sees the page can press keys: an effect after the first picture would come too late.
  useLayoutEffect(() => {
    const others: Record<string, () => void> = {
      "?": actions.help,
      n: () => actions.onward(true),
      N: () => actions.onward(false),
      c: () => nextColours(scene),
      p: () => toggle(scene, "showPath"),
      m: () => toggle(scene, "showMessages"),
      f: () => toSelection(scene),
      "0": () => scene.showAll(),
    };
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (event.key === "Escape") return actions.clear();
      if (target.matches("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
      const focused = host.current?.contains(target) ?? false;
      const other = document.activeElement?.closest(".timeline") ?? host.current;
      if (!focused && (follows || other !== host.current)) return;
      if (event.key === "/") actions.search();
      else if (!focused && !(host.current && inSight(host.current))) return;
      else if (others[event.key]) others[event.key]?.();
      else if (!(focused && step(scene, event.key)) && !moveByKey(scene, event)) return;
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });
}
