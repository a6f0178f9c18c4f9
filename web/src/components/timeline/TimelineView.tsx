import { useMemo, useRef, useState } from "preact/hooks";
import { format, instant, rounding } from "../../common/format";
import type { Timeline } from "../../common/timeline";
import { AXIS } from "../../timeline/overlay";
import type { Scene } from "../../timeline/scene";
import { answerTo, goOn, search } from "../../timeline/search";
import type { Theme } from "../../common/theme";
import { SavePicture } from "../parts/SavePicture";
import { Bookmarks } from "./Bookmarks";
import { Details } from "./Details";
import { IntervalStatistics } from "./IntervalStatistics";
import { Groups } from "./Groups";
import { KEYS, useKeys } from "./keys";
import { Legend } from "./Legend";
import { LongWaits } from "./LongWaits";
import { Minimap } from "./Minimap";
import { Quantities, RowsBelow } from "./Quantities";
import { Rows } from "./Rows";
import { Severity } from "./Severity";
import { Phases, StripView } from "./Strips";
import { BOTH, Toolbar } from "./Toolbar";
import { stripOfRanks } from "../../timeline/measures";
import { useDock } from "./useDock";
import { rowsInView } from "../../timeline/words";
import { useScene } from "./useScene";

const LOWEST = 150;
const HIGHEST = 560;
const DOCKED = 190;

/** Rows as high as names need, where that fits. */
function heightFor(ranks: number, runs: number): number {
  return AXIS + Math.min(Math.max(ranks * 28, LOWEST), HIGHEST / Math.min(runs, 2));
}

/** Whoever had a run simulated wants to see it beside the others. */
function firstShown({ runs }: Timeline): string {
  return runs.some(({ id }) => id === "simulated") ? BOTH : (runs[0]?.id ?? "");
}

function Help() {
  return (
    <dl class="keys">
      {KEYS.map(([key, what]) => (
        <div key={key}>
          <dt><kbd>{key}</kbd></dt>
          <dd>{what}</dd>
        </div>
      ))}
      <div>
        <dt>mouse</dt>
        <dd>
          drag: pan; Ctrl+wheel: zoom; Shift+drag: zoom to the rectangle of time and ranks; Alt+wheel: zoom ranks; click: select
        </dd>
      </div>
    </dl>
  );
}

function Status({ scene, more }: { scene: Scene; more: string }) {
  const { view, timeline, stride } = scene;
  const ns = (ticks: number) => format(ticks * timeline.tick_ns, "ns");
  const at = (ticks: number) => instant(ticks * timeline.tick_ns, (view.to - view.from) * timeline.tick_ns);
  return (
    <p class="status muted" data-renderer={scene.rendererName}>
      {at(view.from)} to {at(view.to)} ({ns(view.to - view.from)}), {rowsInView(scene)}{stride > 1 && `, every ${stride}th drawn`};{" "}
      {scene.exact ? "single calls" : "aggregated view: several calls per pixel"}
      {timeline.tick_ns > 1 && `, times${rounding(timeline.tick_ns)}`}. {more}
      {scene.store.failure && <strong> Cannot read all of it: {scene.store.failure}</strong>}
    </p>
  );
}

export function TimelineView({ timeline, theme }: { timeline: Timeline; theme: Theme }) {
  const searched = useRef<(text: string) => void>(() => {});
  const { scene, version, said: atFirst } = useScene(timeline, theme, (text) => searched.current(text));
  const [shown, show] = useState(firstShown(timeline));
  const [query, setQuery] = useState("");
  const [said, say] = useState("");
  const [help, setHelp] = useState(false);
  const searchBox = useRef<HTMLInputElement>(null);
  const host = useRef<HTMLDivElement>(null);
  const place = useRef<HTMLDivElement>(null);
  const runs = useMemo(
    () => timeline.runs.filter(({ id }) => shown === BOTH || shown === id),
    [timeline, shown],
  );
  const found = useMemo(() => search(timeline, query), [timeline, query]);

  const ask = (text: string) => {
    setQuery(text);
    const result = search(timeline, text);
    scene.lit = result.kind === "names" ? result.lit : null;
    if (result.kind === "names") scene.colourBy = result.lit.by;
    say(answerTo(text, result));
    scene.repaint();
    scene.look(scene.view);
  };
  searched.current = ask;
  const onward = async (forward: boolean) => {
    if (runs[0]) say((await goOn(scene, runs[0], found, forward)) ?? said);
  };
  const follows = Boolean(timeline.beside);
  const { docked, dismiss } = useDock(place, !follows);
  useKeys(scene, host, {
    search: () => searchBox.current?.focus(),
    help: () => setHelp((on) => !on),
    onward: (forward) => void onward(forward),
    clear: () => {
      if (query) ask("");
      if (scene.selection) scene.clearSelection();
      setHelp(false);
    },
  }, follows);

  if (timeline.ranks === 0 || timeline.runs.length === 0) return <p class="muted">No ranks to draw.</p>;
  if (timeline.span === 0) return <p class="muted">Run time is zero: nothing to draw.</p>;
  const height = heightFor(scene.rows.count, runs.length);
  return (
    <div class="timeline" ref={host} style={{ "--gutter": `${scene.gutter}px` }}>
      {timeline.note && <p class="prose">{timeline.note}</p>}
      {!follows && <Toolbar
        scene={scene}
        shown={shown}
        show={show}
        query={query}
        ask={ask}
        onward={(forward) => void onward(forward)}
        said={said}
        searchBox={searchBox}
        help={() => setHelp(!help)}
      />}
      {help && <Help />}
      <Groups scene={scene} />
      {!follows && <Minimap scene={scene} version={version} />}
      <div ref={place} style={docked ? { height: `${height * runs.length}px` } : {}}>
      <div
        class={docked ? "panes docked" : "panes"}
        tabIndex={0}
        role="application"
        aria-label="Timeline of all ranks: W, S zoom, A, D pan, slash searches, question mark lists the shortcuts"
      >
        {docked && (
          <p class="dock-tools">
            <a href={`#${encodeURIComponent(timeline.id)}`}>Timeline</a>
            <button type="button" class="quiet" onClick={dismiss}>Hide</button>
          </p>
        )}
        {runs.map((run) => (
          <Rows
            key={run.id}
            scene={scene}
            run={run}
            height={docked ? DOCKED / Math.min(runs.length, 2) : height}
            named={runs.length > 1 || run.name !== "measured"}
          />
        ))}
      </div>
      </div>
      {!follows && runs[0]?.id === timeline.runs[0]?.id && <RowsBelow scene={scene} version={version} />}
      {!follows && <Legend scene={scene} />}
      <Status scene={scene} more={scene.view.from > 0 ? atFirst : ""} />
      {scene.selection ? (
        <Details scene={scene} selection={scene.selection} />
      ) : !follows && (
        <p class="tip muted">Click a call for details. Drag to pan, Shift+drag to select time and ranks, Ctrl+wheel to zoom, ? for shortcuts.</p>
      )}
      {!follows && (
        <div class="toolbar under">
          <button
            type="button"
            class="quiet"
            aria-pressed={scene.statistics}
            onClick={() => scene.showStatistics(!scene.statistics)}
          >
            Statistics of this view
          </button>
          <SavePicture of=".timeline" name={timeline.id} />
          <Bookmarks scene={scene} />
        </div>
      )}
      {scene.statistics && runs[0] && <IntervalStatistics scene={scene} run={runs[0]} close={() => scene.showStatistics(false)} />}
      {!follows && runs[0] && runs[0].chunks.length > 0 && <Severity scene={scene} run={runs[0]} />}
      <Phases scene={scene} />
      {timeline.strips
        .filter(({ run }) => runs.some(({ id }) => id === run))
        .map((strip) => <StripView key={`${strip.run} ${strip.name}`} scene={scene} strip={stripOfRanks(scene.store, strip, scene.extent.ranks)} version={version} />)}
      {runs[0]?.id === timeline.runs[0]?.id && <Quantities scene={scene} version={version} />}
      {runs[0]?.waits && <LongWaits scene={scene} run={runs[0]} />}
    </div>
  );
}

