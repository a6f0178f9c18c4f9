import { useMemo, useState } from "preact/hooks";
import type { Link, NetworkDrawing } from "../common/report";

interface Props {
  drawing: NetworkDrawing;
  /** Of all groups of the map, one after the other. */
  links: Link[];
  /** 0 to 1. */
  used: (link: Link) => number;
  told: (link: Link) => string;
  /** Whether all links that are used are among `links`. */
  complete: boolean;
}

const MOST_LINKS_TOLD = 8;
const THIN = 5;
const THICK = 26;
const MARK = 24; // wider than the line that is marked
const LETTER = 34; // about the width of one
/** By arrow keys, through the lines from the least used one to the fullest. */
const STEPS: Record<string, number> = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1 };

/** The number of the largest value; none: all are 0. */
function largestIn(values: number[]): number | undefined {
  const largest = values.reduce((a, b) => Math.max(a, b), 0);
  return largest > 0 ? values.indexOf(largest) : undefined;
}

/** What squares and circles are. Where no host is drawn by itself, switches are drawn with theirs. */
function shapesOf(nodes: NetworkDrawing["nodes"]): string {
  if (nodes.every(({ host }) => host)) return "squares: hosts";
  return nodes.some(({ host }) => host) ? "squares: hosts, circles: switches" : "circles: switches with their hosts";
}

/** Half the size of a node: the closest two do not touch. */
function sizeOf({ nodes, width }: NetworkDrawing): { node: number; apart: number } {
  let apart = width;
  nodes.forEach((a, i) => {
    for (let j = i + 1; j < nodes.length; ++j) {
      const b = nodes[j]!;
      apart = Math.min(apart, Math.hypot(a.x - b.x, a.y - b.y));
    }
  });
  return { node: Math.max(4, Math.min(36, apart * 0.3)), apart };
}

/** A host is a square, a switch a circle. */
function outline({ x, y, host }: NetworkDrawing["nodes"][number], size: number): string {
  if (host) return `M${x - size} ${y - size}h${2 * size}v${2 * size}h${-2 * size}z`;
  return `M${x - size} ${y}a${size} ${size} 0 1 0 ${2 * size} 0a${size} ${size} 0 1 0 ${-2 * size} 0`;
}

/** A fat tree by levels, a torus as a grid, a dragonfly as a circle of groups; lines by the use of their links. */
export function Network({ drawing, links, used, told, complete }: Props) {
  const [pressed, press] = useState<number | null>(null);
  const { nodes, lines, width, height } = drawing;
  const { node: size, apart } = useMemo(() => sizeOf(drawing), [drawing]);
  const thick = Math.max(THIN, Math.min(THICK, apart * 0.35));
  const stub = Math.min(150, apart * 0.8);
  const named = Math.max(...nodes.map(({ name }) => name.length)) * LETTER < apart;
  const largestOf = (value: (link: Link) => number) => lines.map((line) => line.links.reduce((most, link) => Math.max(most, value(links[link]!)), 0));
  const uses = largestOf(used);
  const delays = useMemo(() => largestOf(({ lost_ns }) => lost_ns), [drawing, links]);
  // The one that the summary names, whatever the colours mean.
  const first = largestIn(delays) ?? largestIn(uses) ?? 0;
  const shown = pressed ?? first;
  const inside = new Map(lines.flatMap(({ from, to }, line) => (from === to ? [[from, line] as const] : [])));
  // The fullest lie above the others.
  const order = lines.map((_, line) => line).sort((a, b) => uses[a]! - uses[b]!);
  const cables = order.filter((line) => lines[line]!.from !== lines[line]!.to);
  const widthOf = (line: number) => THIN + thick * uses[line]!;
  const onKey = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    press(order[Math.max(0, Math.min(order.length - 1, order.indexOf(shown) + step))]!);
  };
  const path = ({ from, to, round }: NetworkDrawing["lines"][number]) => {
    const [a, b] = [nodes[from]!, nodes[to]!];
    if (!round) return `M${a.x} ${a.y}L${b.x} ${b.y}`;
    // Out of both ends, as across the whole ring it would hide what lies between.
    const distance = Math.hypot(a.x - b.x, a.y - b.y);
    const [x, y] = [((a.x - b.x) / distance) * stub, ((a.y - b.y) / distance) * stub].map(Math.round) as [number, number];
    return `M${a.x} ${a.y}l${x} ${y}M${b.x} ${b.y}l${-x} ${-y}`;
  };
  const words = (line: number) => {
    const { from, to, links: all } = lines[line]!;
    const between = from === to ? nodes[from]!.name : `${nodes[from]!.name} \u2013 ${nodes[to]!.name}`;
    const sorted = all.map((link) => links[link]!).sort((a, b) => b.lost_ns - a.lost_ns || used(b) - used(a));
    const more = sorted.length > MOST_LINKS_TOLD ? [`and ${sorted.length - MOST_LINKS_TOLD} with less`] : [];
    return [between, ...(sorted.length > 0 ? sorted.slice(0, MOST_LINKS_TOLD).map(told) : [complete ? "not used" : "not used, or not among the links with most contention, which are listed"]), ...more].join("\n");
  };
  return (
    <div class="network">
      <p>
        <strong>{drawing.name}</strong> <span class="muted">{[drawing.type, shapesOf(nodes), drawing.note].filter(Boolean).join("; ")}</span>
      </p>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        tabindex={0}
        role="img"
        aria-label={`${drawing.type} ${drawing.name}: arrow keys choose a connection, by use`}
        onKeyDown={onKey}
      >
        {lines[shown]!.from !== lines[shown]!.to && (
          <path class="marked" data-stroke="" d={path(lines[shown]!)} style={{ strokeWidth: widthOf(shown) + MARK }} />
        )}
        {cables.map((line) => (
          <path
            key={line}
            class={lines[line]!.links.length > 0 ? "cable" : "cable unused"}
            data-stroke=""
            d={path(lines[line]!)}
            style={{ "--used": uses[line]!, strokeWidth: widthOf(line) }}
            onClick={() => press(line)}
          >
            <title>{words(line)}</title>
          </path>
        ))}
        {nodes.map((node, i) => {
          const line = inside.get(i);
          return (
            <path
              key={i}
              class={line === shown ? "node chosen" : "node"}
              data-stroke=""
              d={outline(node, size)}
              style={{ "--used": line === undefined ? 0 : uses[line]! }}
              onClick={() => line !== undefined && press(line)}
            >
              <title>{line === undefined ? node.name : words(line)}</title>
            </path>
          );
        })}
        {named && nodes.map(({ name, x, y, host }, i) => (
          <text key={i} x={x} y={host ? y + size + 66 : y - size - 18} text-anchor="middle">{name}</text>
        ))}
      </svg>
      <div class="network-words" role="status">
        {words(shown).split("\n").map((line, i) => <div key={i}>{line}</div>)}
      </div>
    </div>
  );
}
