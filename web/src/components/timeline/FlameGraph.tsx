import { useEffect, useRef, useState } from "preact/hooks";
import { format } from "../../common/format";
import { SavePicture } from "../parts/SavePicture";
import type { Run } from "../../common/timeline";
import type { Scene } from "../../timeline/scene";
import { timeFrames, type TimeFrame } from "../../timeline/time_flame";
import { rowName } from "../../timeline/words";
import type { Shown } from "./SeverityTree";

/** Narrower frames are not drawn: they could not be pressed. */
const LEAST_SHARE = 0.002;

const ROW_REM = 1.35;
const SHADES = 6;

/** The same name has the same colour everywhere. */
function shadeOf(name: string): number {
  let hash = 0;
  for (const letter of name) hash = (31 * hash + letter.charCodeAt(0)) % 65_521;
  return hash % SHADES;
}

interface Frame {
  node: Shown;
  depth: number;
  /** Shares of the root. */
  left: number;
  width: number;
}

/** A frame lies below its caller, as wide as what it holds with all that it calls. */
function framesOf(root: Shown): Frame[] {
  const frames: Frame[] = [];
  const add = (node: Shown, depth: number, left: number) => {
    const width = root.inclusive > 0 ? node.inclusive / root.inclusive : 0;
    if (width < LEAST_SHARE) return;
    frames.push({ node, depth, left, width });
    let next = left;
    for (const child of node.children) {
      add(child, depth + 1, next);
      next += child.inclusive / root.inclusive;
    }
  };
  add(root, 0, 0);
  return frames;
}

/** Pixels of a letter, about. */
const LETTER = 7.2;

/** A frame on the screen. */
interface Drawn {
  id: string;
  name: string;
  /** Beside the name, for who points at it. */
  told: string;
  depth: number;
  left: number;
  width: number;
}

interface FramesProps {
  title: string;
  frames: Drawn[];
  chosen: string | null;
  choose: (id: string) => void;
}

function Frames({ title, frames, chosen, choose }: FramesProps) {
  const host = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const rows = frames.reduce((most, { depth }) => Math.max(most, depth + 1), 0);
  const label = (name: string, share: number) => {
    const letters = Math.floor((share * width - 8) / LETTER);
    return letters < 3 ? "" : name.length <= letters ? name : `${name.slice(0, letters - 1)}…`;
  };
  return (
    <figure class="flame-graph">
      <figcaption>
        {title} <SavePicture of="figure" name={title} />
      </figcaption>
      <div class="frames" ref={host} style={{ height: `${rows * ROW_REM}rem` }}>
        {frames.map(({ id, name, told, depth, left, width }) => (
          <div
            key={id}
            class={`frame shade-${shadeOf(name)}${id === chosen ? " chosen" : ""}`}
            data-box=""
            role="button"
            tabIndex={0}
            aria-pressed={id === chosen}
            aria-label={`${name}: ${told}`}
            title={`${name}: ${told}, ${format(width, "ratio")}`}
            style={{ left: `${100 * left}%`, width: `${100 * width}%`, top: `${depth * ROW_REM}rem` }}
            onClick={() => choose(id)}
            onKeyDown={(event) => (event.key === "Enter" || event.key === " ") && (event.preventDefault(), choose(id))}
          >
            {label(name, width)}
          </div>
        ))}
      </div>
    </figure>
  );
}

interface Props {
  title: string;
  root: Shown;
  chosen: string;
  choose: (id: string) => void;
}

/** What the call paths hold of a metric, all at a glance; a press on a frame is one on its node in the tree of call paths. */
export function FlameGraph({ title, root, chosen, choose }: Props) {
  const frames = framesOf(root).map(({ node, depth, left, width }) => (
    { id: node.id, name: node.name, told: format(node.inclusive, node.unit), depth, left, width }
  ));
  return <Frames title={title} frames={frames} chosen={chosen} choose={choose} />;
}

/** The call path of a rank over the time in view: the one that is selected, else the first in view. A press shows the frame's time. */
export function TimeFlameGraph({ scene, run }: { scene: Scene; run: Run }) {
  const { store, timeline, view, selection } = scene;
  const [all, setAll] = useState<TimeFrame[]>([]);
  const rank = selection?.rank ?? scene.ranksShown[0];
  const { from, to } = view;
  useEffect(() => {
    let current = true;
    const read = () => timeFrames(store, run, rank, from, to).then((frames) => current && setAll(frames), () => {});
    const timer = setTimeout(() => void read(), 150); // not at each step of a movement
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [run, rank, from, to]);
  const frames = all
    .map((frame, i) => ({ id: `${i}`, name: frame.name, told: format((frame.to - frame.from) * timeline.tick_ns, "ns"), depth: frame.depth, left: (frame.from - from) / (to - from), width: (frame.to - frame.from) / (to - from) }))
    .filter(({ left, width }) => width >= LEAST_SHARE && left < 1 && left + width > 0);
  const choose = (id: string) => {
    const frame = all[Number(id)];
    if (frame) scene.look({ ...view, from: frame.from, to: frame.to });
  };
  return <Frames title={`Call path over time: ${rowName(timeline, rank)}`} frames={frames} chosen={null} choose={choose} />;
}
