import type { Ref } from "preact";
import type { ColourBy } from "../../common/link";
import type { Timeline } from "../../common/timeline";
import type { Scene } from "../../timeline/scene";
import { zoomed } from "../../timeline/view";
import { wordsOf } from "../../timeline/words";

interface Props {
  scene: Scene;
  shown: string;
  show: (id: string) => void;
  query: string;
  ask: (text: string) => void;
  onward: (forward: boolean) => void;
  said: string;
  searchBox: Ref<HTMLInputElement>;
  help: () => void;
}

export const BOTH = "both";
const COLOURS: Record<ColourBy, string> = { operation: "Operation", waiting: "Waiting", region: "", ipc: "IPC" };

/** What there is to colour by. */
export function colourings({ regions, ipc }: Timeline): ColourBy[] {
  return ["operation", "waiting", ...(regions.length > 1 ? ["region" as const] : []), ...(ipc ? ["ipc" as const] : [])];
}

export function setColours(scene: Scene, by: ColourBy): void {
  scene.colourBy = by;
  scene.repaint();
  scene.look(scene.view);
}

function Colours({ scene }: { scene: Scene }) {
  return (
    <fieldset class="choice">
      <legend>Colours</legend>
      {colourings(scene.timeline).map((by) => (
        <button key={by} type="button" aria-pressed={scene.colourBy === by} onClick={() => setColours(scene, by)}>
          {COLOURS[by] || wordsOf(scene.timeline).region}
        </button>
      ))}
    </fieldset>
  );
}

function Runs({ scene, shown, show }: Pick<Props, "scene" | "shown" | "show">) {
  const { runs } = scene.timeline;
  if (runs.length < 2) return null;
  return (
    <fieldset class="choice">
      <legend>Run</legend>
      {[...runs, { id: BOTH, name: runs.length > 2 ? "all" : "both" }].map(({ id, name }) => (
        <button key={id} type="button" aria-pressed={shown === id} onClick={() => show(id)}>
          {name}
        </button>
      ))}
    </fieldset>
  );
}

export function Toolbar(props: Props) {
  const { scene } = props;
  const words = wordsOf(scene.timeline);
  const toggle = (what: "showPath" | "showMessages") => {
    scene[what] = !scene[what];
    scene.look(scene.view);
  };
  const middle = (scene.view.from + scene.view.to) / 2;
  return (
    <div class="toolbar" role="toolbar" aria-label="Timeline">
      <Colours scene={scene} />
      <Runs {...props} />
      <fieldset class="choice">
        <legend>Show</legend>
        {(!scene.timeline.rows || scene.timeline.runs.some(({ path }) => path)) && (
          <button type="button" aria-pressed={scene.showPath} onClick={() => toggle("showPath")}>
            Critical path
          </button>
        )}
        {scene.timeline.complete && (
          <button type="button" aria-pressed={scene.showMessages} onClick={() => toggle("showMessages")}>
            {words.messages}
          </button>
        )}
      </fieldset>
      <fieldset class="choice">
        <legend>Zoom</legend>
        <button type="button" aria-label="Zoom out" onClick={() => scene.look(zoomed(scene.view, 2, middle))}>−</button>
        <button type="button" aria-label="Zoom in" onClick={() => scene.look(zoomed(scene.view, 0.5, middle))}>+</button>
        <button type="button" onClick={() => scene.showAll()}>Whole run</button>
      </fieldset>
      <search class="find">
        <input
          ref={props.searchBox}
          type="search"
          placeholder={`Search: ${words.example}`}
          aria-label="Search the timeline"
          value={props.query}
          onInput={(event) => props.ask(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter") props.onward(!event.shiftKey);
          }}
        />
        <button type="button" class="quiet" onClick={props.help} aria-label="Keyboard shortcuts">?</button>
        <span class="muted" aria-live="polite">{props.said}</span>
      </search>
    </div>
  );
}
