import type { Scene } from "../../timeline/scene";
import { css, mix, WAITING_PALE, type Rgb } from "../../timeline/palette";
import { patternHelp } from "../../common/glossary";
import { Hint } from "../parts/Hint";

interface Entry {
  number: number;
  name: string;
  colour: Rgb;
  help: string;
}

const MOST = 16;
const PATH =
  "The chain of computation and messages that determines how long the run takes: only what lies on it, when " +
  "shortened, shortens the run. Bars instead of a line: it changes ranks too often to be drawn at this zoom level; " +
  "darker bars: larger share on that rank. Zoom in to follow it.";

function entries({ timeline, palette, colourBy, store }: Scene): Entry[] {
  const seen = store.seen[colourBy];
  const of = (names: string[], colours: Rgb[], help: (name: string) => string) =>
    names
      .map((name, number) => ({ number, name, colour: colours[number] ?? palette.mpi, help: help(name) }))
      .filter(({ number }) => seen.has(number));
  if (colourBy === "operation") return of(timeline.operations, palette.operations, () => "");
  if (colourBy === "waiting") return of(timeline.patterns, palette.patterns, patternHelp).filter(({ name }) => name);
  return of(timeline.regions, palette.regions, () => "").map((e) => (e.name ? e : { ...e, name: "(no region)" }));
}

/** What the colours mean; a press lets one stand out. */
export function Legend({ scene }: { scene: Scene }) {
  const { lit, colourBy, palette } = scene;
  const all = entries(scene);
  const press = (number: number) => {
    const on = lit?.by === colourBy && lit.matches.has(number) && lit.matches.size === 1;
    scene.lit = on ? null : { by: colourBy, matches: new Set([number]) };
    scene.repaint();
    scene.look(scene.view);
  };
  const waiting = all.find(({ number }) => number > 0);
  return (
    <ul class="legend" aria-label="Colours">
      {colourBy === "waiting" && (
        <>
          <li><span class="key" style={{ background: css(palette.compute) }} /> computation</li>
          <li><span class="key" style={{ background: css(palette.mpi) }} /> MPI, not waiting</li>
        </>
      )}
      {all.slice(0, MOST).map(({ number, name, colour, help }) => (
        <li key={number}>
          <button
            type="button"
            aria-pressed={lit?.by === colourBy && lit.matches.has(number)}
            title={help || "Highlight"}
            onClick={() => press(number)}
          >
            <span class="key" style={{ background: css(colour) }} aria-hidden="true" /> {name}
          </button>
        </li>
      ))}
      {all.length > MOST && <li class="muted">and {all.length - MOST} more</li>}
      {colourBy === "operation" && waiting && (
        <li class="muted">
          <span class="key" style={{ background: css(mix(waiting.colour, palette.ground, WAITING_PALE)) }} /> faded: waiting
        </li>
      )}
      {scene.showPath && scene.timeline.runs.some(({ path }) => path) && (
        <li class="muted">
          <span class="stroke path" /> <Hint text={PATH}>critical path</Hint>
        </li>
      )}
    </ul>
  );
}
