import type { Scene } from "../../timeline/scene";
import { IPC, ipcCode } from "../../timeline/measures";
import { css, HIGHEST_IPC, mix, WAITING_PALE, type Rgb } from "../../timeline/palette";
import { shortName, wordsOf } from "../../timeline/words";
import { patternHelp } from "../../common/glossary";
import { Hint } from "../parts/Hint";

interface Entry {
  numbers: number[];
  name: string;
  colour: Rgb;
  help: string;
}

const PATH =
  "The chain of computation and messages that determines how long the run takes: only what lies on it, when " +
  "shortened, shortens the run. Bars instead of a line: it changes ranks too often to be drawn at this zoom level; " +
  "darker bars: larger share on that rank. Zoom in to follow it.";

function entries({ timeline, palette, colourBy, store }: Scene): Entry[] {
  const seen = store.seen[colourBy];
  const of = (names: string[], colours: Rgb[], help: (name: string) => string) =>
    names
      .map((name, number) => ({ numbers: [number], name, colour: colours[number] ?? palette.rest, help: help(name) }))
      .filter(({ numbers }) => seen.has(numbers[0]!));
  if (colourBy === "operation") return of(timeline.operations, palette.operations, () => "");
  if (colourBy === "ipc") {
    return [0.5, 1, 2, HIGHEST_IPC].map((ipc) => ({ numbers: [ipcCode(ipc, 1)], name: ipc === HIGHEST_IPC ? `${ipc} and more` : `${ipc}`, colour: palette.ipc[ipcCode(ipc, 1)]!, help: IPC }));
  }
  if (colourBy === "waiting") return of(timeline.patterns, palette.patterns, patternHelp).filter(({ name }) => name);
  return of(timeline.regions, palette.regions, () => "").map((e) => (e.name ? e : { ...e, name: timeline.rows ? "idle" : "(no region)" }));
}

/** Those that share the rest's colour as one entry. */
function grouped(all: Entry[], rest: Rgb): Entry[] {
  const others = all.filter(({ colour }) => colour === rest);
  if (others.length < 2) return all;
  const help = others.map(({ name }) => name).join(", ");
  const group = { numbers: others.flatMap(({ numbers }) => numbers), name: `${others.length} others`, colour: rest, help };
  return [...all.filter(({ colour }) => colour !== rest), group];
}

/** What the colours mean; a press lets one stand out. */
export function Legend({ scene }: { scene: Scene }) {
  const { lit, colourBy, palette } = scene;
  const all = grouped(entries(scene), palette.rest);
  const press = (numbers: number[]) => {
    const on = lit?.by === colourBy && lit.matches.size === numbers.length && numbers.every((n) => lit.matches.has(n));
    scene.lit = on ? null : { by: colourBy, matches: new Set(numbers) };
    scene.repaint();
    scene.look(scene.view);
  };
  const words = wordsOf(scene.timeline);
  const { classes, rows } = scene.timeline;
  const waiting = all.find(({ numbers }) => (rows ? classes[numbers[0]!] === "collective" : numbers[0]! > 0));
  return (
    <ul class="legend" aria-label="Colours">
      {colourBy === "waiting" && (
        <>
          <li><span class="key" style={{ background: css(palette.compute) }} /> {words.between}</li>
          <li><span class="key" style={{ background: css(palette.mpi) }} /> {words.busy}, not waiting</li>
        </>
      )}
      {colourBy === "region" && palette.inRegions && (
        <li><span class="key" style={{ background: css(palette.inRegions) }} /> MPI</li>
      )}
      {colourBy === "ipc" && (
        <>
          <li><span class="key" style={{ background: css(palette.mpi) }} /> MPI</li>
          <li><span class="key" style={{ background: css(palette.compute) }} /> unknown</li>
          <li class="muted">{IPC}:</li>
          {all.map(({ name, colour }) => (
            <li key={name}><span class="key" style={{ background: css(colour) }} /> {name}</li>
          ))}
        </>
      )}
      {colourBy !== "ipc" && all.map(({ numbers, name, colour, help }) => (
        <li key={numbers[0]}>
          <button
            type="button"
            aria-pressed={lit?.by === colourBy && lit.matches.has(numbers[0]!)}
            title={help || (colourBy === "region" && name) || "Highlight"}
            onClick={() => press(numbers)}
          >
            <span class="key" style={{ background: css(colour) }} aria-hidden="true" /> {colourBy === "region" && scene.timeline.rows ? name.split("/").map(shortName).join("/") : name}
          </button>
        </li>
      ))}
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
