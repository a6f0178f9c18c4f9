// The three trees that severities are read by, as in Cube: metric, call path, system. A node holds what its own cells and
// those of its children have (inclusive), or its own alone (exclusive).

import type { Unit } from "../common/report";
import { IN_MPI, PAUSES, type Timeline } from "../common/timeline";
import type { Highlight } from "./palette";
import type { Cell, Quantity } from "./severity";
import { pauseOperation } from "./statistics";
import { wordsOf } from "./words";

interface Node<Self> {
  id: string;
  name: string;
  children: Self[];
}

export interface MetricNode extends Node<MetricNode> {
  quantity: Quantity;
  unit: Unit;
  /** With its children's cells. */
  holds: (cell: Cell) => boolean;
  /** What stands out in the rows; null: nothing does. */
  lit: Highlight | null;
}

export interface PathNode extends Node<PathNode> {
  holds: (cell: Cell) => boolean;
  lit: Highlight | null;
}

export interface SystemNode extends Node<SystemNode> {
  ranks: number[];
}

const KINDS: [string, string[]][] = [
  ["point-to-point", ["send", "recv"]],
  ["completion", ["completion"]],
  ["collective", ["collective"]],
  ["other", ["other"]],
  ["kernels", ["kernel"]],
  ["copies", ["copy"]],
  ["operators", ["operator"]],
  ["launches", ["launch"]],
];

/** Time into computation, MPI and its waiting; time on the critical path; calls; bytes. */
export function metricTrees(timeline: Timeline, hasPath: boolean): MetricNode[] {
  const { patterns, operations, classes } = timeline;
  const { busy, between } = wordsOf(timeline);
  const metric = (id: string, name: string, holds: (cell: Cell) => boolean, lit: Highlight | null, children: MetricNode[] = []): MetricNode =>
    ({ id, name, children, quantity: "time", unit: "ns", holds, lit });
  const waits = patterns.flatMap((name, i) =>
    i === 0 ? [] : [metric(`wait ${i}`, name, ({ pattern }) => pattern === i, { by: "waiting", matches: new Set([i]) })]);
  const everyWait: Highlight = { by: "waiting", matches: new Set(patterns.map((_, i) => i).slice(1)) };
  const waiting = metric("waiting", "waiting", ({ pattern }) => pattern > 0, everyWait, waits);
  const kinds = KINDS.flatMap(([name, of]) => {
    const numbers = new Set(operations.map((_, i) => i).filter((i) => of.includes(classes[i] ?? "")));
    if (numbers.size === 0) return [];
    const holds = ({ operation, pattern }: Cell) => pattern === 0 && numbers.has(operation);
    return [metric(name, name, holds, { by: "operation", matches: numbers })];
  });
  const inMpi = new Set(operations.map((_, i) => i).slice(1));
  const isMpi = ({ operation }: Cell) => operation > 0 || operation === pauseOperation(IN_MPI);
  const mpi = metric("mpi", busy, isMpi, { by: "operation", matches: inMpi }, [waiting, ...kinds]);
  const computation = metric("computation", between, ({ operation }) => operation === 0, { by: "operation", matches: new Set([0]) });
  const paused = PAUSES.flatMap((name, kind) =>
    timeline.pauses && kind !== IN_MPI ? [metric(name, name, ({ operation }) => operation === pauseOperation(kind), null)] : []);
  const onPath = (node: MetricNode): MetricNode => ({ ...node, id: `path ${node.id}`, quantity: "path", children: [] });
  const path = onPath(metric("time", "critical path", () => true, null));
  return [
    metric("time", "time", () => true, null, [computation, ...paused, mpi]),
    ...(hasPath ? [{ ...path, children: [computation, ...paused, mpi].map(onPath) }] : []),
    { ...metric("calls", "calls", () => true, null), quantity: "calls", unit: "count" },
    { ...metric("bytes", "bytes", () => true, null), quantity: "bytes", unit: "bytes" },
  ];
}

/** Regions, or functions, by who called whom; below each the operations that were called there. */
export function pathTree({ regions, operations }: Timeline, cells: Cell[]): PathNode {
  const root: PathNode = { id: "", name: "program", children: [], holds: () => true, lit: null };
  const nodes = new Map<string, PathNode>([["", root]]);
  const numbers = new Map<string, Set<number>>([["", new Set()]]);
  const region = (path: string): PathNode => {
    const known = nodes.get(path);
    if (known) return known;
    const cut = path.lastIndexOf("/");
    const below = new Set<number>();
    const lit: Highlight = { by: "region", matches: below };
    const node: PathNode = { id: path, name: path.slice(cut + 1), children: [], holds: (cell) => below.has(cell.region), lit };
    region(cut < 0 ? "" : path.slice(0, cut)).children.push(node);
    nodes.set(path, node);
    numbers.set(path, below);
    return node;
  };
  const used = new Set(cells.map((cell) => cell.region));
  for (const number of used) {
    const path = regions[number] ?? "";
    region(path);
    for (let outer = path; outer; outer = outer.includes("/") ? outer.slice(0, outer.lastIndexOf("/")) : "") numbers.get(outer)?.add(number);
  }
  const seen = new Set<string>();
  for (const { region: number, operation } of cells) {
    const path = regions[number] ?? "";
    const id = `${path} ${operation}`;
    if (operation <= 0 || seen.has(id)) continue;
    seen.add(id);
    const holds = (cell: Cell) => cell.operation === operation && (regions[cell.region] ?? "") === path;
    region(path).children.push({ id, name: operations[operation] ?? "MPI", children: [], holds, lit: { by: "operation", matches: new Set([operation]) } });
  }
  return root;
}

/** Hosts and their ranks; ranks alone where there is one host; ranks and their threads and streams. */
export function systemTree(timeline: Timeline): SystemNode {
  const { ranks, groupings, rows } = timeline;
  const all = Array.from({ length: ranks }, (_, rank) => rank);
  const leaf = (rank: number): SystemNode => ({ id: `row ${rank}`, name: rows?.[rank]?.name ?? `rank ${rank}`, children: [], ranks: [rank] });
  const hosts = groupings.find(({ name }) => name === (rows ? "rank" : "host"))?.groups ?? [];
  const children = hosts.map(({ name, ranks }): SystemNode => {
    const own = ranks.flatMap(([first, last]) => all.slice(first, last + 1));
    return { id: `host ${name}`, name, children: own.map(leaf), ranks: own };
  });
  return { id: "system", name: "all ranks", children: children.length > 0 ? children : all.map(leaf), ranks: all };
}
