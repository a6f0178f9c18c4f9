import { useEffect, useRef, useState } from "preact/hooks";
import { format } from "../../common/format";
import { SavePicture } from "../parts/SavePicture";
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

interface Props {
  title: string;
  root: Shown;
  chosen: string;
  choose: (id: string) => void;
}

/** What the call paths hold of a metric, all at a glance; a press on a frame is one on its node in the tree of call paths. */
export function FlameGraph({ title, root, chosen, choose }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const frames = framesOf(root);
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
        {frames.map(({ node, depth, left, width }) => (
          <div
            key={node.id}
            class={`frame shade-${shadeOf(node.name)}${node.id === chosen ? " chosen" : ""}`}
            data-box=""
            role="button"
            tabIndex={0}
            aria-pressed={node.id === chosen}
            aria-label={`${node.name}: ${format(node.inclusive, node.unit)}`}
            title={`${node.name}: ${format(node.inclusive, node.unit)}, ${format(width, "ratio")}`}
            style={{ left: `${100 * left}%`, width: `${100 * width}%`, top: `${depth * ROW_REM}rem` }}
            onClick={() => choose(node.id)}
            onKeyDown={(event) => (event.key === "Enter" || event.key === " ") && (event.preventDefault(), choose(node.id))}
          >
            {label(node.name, width)}
          </div>
        ))}
      </div>
    </figure>
  );
}
