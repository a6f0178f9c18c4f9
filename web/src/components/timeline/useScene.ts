import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { fragmentOf, parseFragment, type Place } from "../../common/link";
import type { Timeline } from "../../common/timeline";
import { Scene } from "../../timeline/scene";
import { isWhole, whole } from "../../timeline/view";
import type { Theme } from "../../common/theme";

/** What the URL should say of a scene; nothing of what is as at first. */
function placeOf(scene: Scene): Place {
  const { view, bounds, timeline, selection, colourBy } = scene;
  const place: Place = {};
  if (!isWhole(view, bounds)) {
    place.t = [view.from * timeline.tick_ns, view.to * timeline.tick_ns];
    if (!scene.rows.grouped) place.r = scene.ranksShown;
  }
  if (scene.chosen) place.ranks = scene.chosen;
  if (scene.only) place.only = scene.only;
  if (colourBy !== "operation") place.colour = colourBy;
  if (scene.groupedBy) place.group = scene.groupedBy;
  if (scene.statistics) place.statistics = scene.filter;
  if (scene.bookmarks.length > 0) place.bookmarks = scene.bookmarks;
  if (selection?.here.call) {
    place.call = { rank: selection.rank, call: selection.here.call.call };
    if (selection.run !== timeline.runs[0]) place.run = selection.run.id;
  }
  return place;
}

/** Of more rows a single one is too thin to be found, even if it stands out. */
const MANY_ROWS = 100;
const ROWS_AROUND = 8;

/** The ranks to have in view: those that are asked for, or those around the ones that are to stand out among many. */
function ranksOf({ rows, timeline }: Scene, { r, only }: Place): [number, number] | undefined {
  if (r || !only || rows.count <= MANY_ROWS) return r;
  return [Math.max(0, Math.min(...only) - ROWS_AROUND), Math.min(timeline.ranks - 1, Math.max(...only) + ROWS_AROUND)];
}

function follow(scene: Scene, place: Place): void {
  const { timeline, bounds } = scene;
  const { t } = place;
  // Without a time the stretch that is looked at stays.
  const { from, to } = scene.view;
  const all = t ? whole(bounds) : { ...whole(bounds), from, to };
  if (t) Object.assign(all, { from: t[0] / timeline.tick_ns, to: t[1] / timeline.tick_ns });
  scene.only = place.only ?? null;
  const wanted = place.ranks?.filter((rank) => rank < timeline.ranks) ?? null;
  scene.choose(wanted);
  if (place.group !== undefined && place.group !== scene.groupedBy) scene.groupBy(place.group);
  if (place.statistics !== undefined) Object.assign(scene, { statistics: true, filter: place.statistics });
  if (place.bookmarks) scene.bookmarks = place.bookmarks;
  const r = ranksOf(scene, place);
  if (r && !place.group) Object.assign(all, scene.rowsBetween(r[0], r[1]));
  scene.look(all);
  if (place.colour) scene.colourBy = place.colour;
  const run = timeline.runs.find(({ id }) => id === place.run) ?? timeline.runs[0];
  if (place.call && run) void scene.selectCall(run, place.call);
  scene.repaint();
}

/** Those of this page, for others to follow. */
const known = new Map<string, Scene>();

/**
 * A scene that the URL's fragment sets and follows, and whose changes draw the component again; and what
 * is to be known of its first view. `find` is called with what a link asks to search for.
 */
export function useScene(timeline: Timeline, theme: Theme, find: (text: string) => void) {
  const [version, setVersion] = useState(0);
  const [said, say] = useState("");
  const timer = useRef(0);
  /** The fragment that was read or written last. */
  const told = useRef(location.hash);
  const scene = useMemo(() => {
    const changed = () => {
      setVersion((n) => n + 1);
      clearTimeout(timer.current);
      // The first link is enough for two that look alike.
      if (!timeline.beside) timer.current = window.setTimeout(() => remember(made), 250);
    };
    const remember = (of: Scene) => {
      // A link that was followed a moment ago and not read yet must not be lost.
      if (location.hash !== told.current) return;
      const place = placeOf(of);
      const { id } = parseFragment(location.hash);
      if (Object.keys(place).length === 0 && id !== timeline.id) return;
      history.replaceState(history.state, "", fragmentOf(timeline.id, place));
      told.current = location.hash;
    };
    const made: Scene = new Scene(timeline, theme, changed);
    known.set(timeline.id, made);
    const leader = timeline.beside ? known.get(timeline.beside) : undefined;
    if (leader) made.follow(leader);
    return made;
  }, [timeline]);
  // Before the legend is drawn, and the rows after it: printing waits for neither.
  useMemo(() => scene.setTheme(theme), [scene, theme]);
  useLayoutEffect(() => scene.drawNow(), [scene, theme]);
  const read = useRef(() => {});
  useLayoutEffect(() => {
    read.current = () => {
      told.current = location.hash;
      const { id, place } = parseFragment(location.hash);
      if (id !== timeline.id || Object.keys(place).length === 0) return;
      follow(scene, place);
      if (place.find) find(place.find);
      // Docked rows are in sight where they are.
      const item = document.getElementById(timeline.id);
      if (!item?.querySelector(".docked")) item?.closest("section")?.scrollIntoView({ behavior: "instant" });
    };
    // As soon as links can be followed: an effect after the first picture would miss some.
    const followed = () => read.current();
    addEventListener("hashchange", followed);
    return () => removeEventListener("hashchange", followed);
  }, [scene, timeline]);
  useEffect(() => {
    const { id, place } = parseFragment(location.hash);
    read.current();
    // What cannot be read is told by the store.
    const placed = id === timeline.id && (place.t || place.call);
    if (!placed && !timeline.beside) void scene.lookAtMainPart().then(say, () => {});
  }, [scene, timeline]);
  return { scene, version, said };
}
