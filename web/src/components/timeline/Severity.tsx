import { useEffect, useMemo, useState } from "preact/hooks";
import { format } from "../../common/format";
import type { Table } from "../../common/report";
import type { Run } from "../../common/timeline";
import type { Highlight } from "../../timeline/palette";
import { phaseSeverities } from "../../timeline/phase_severity";
import type { Scene } from "../../timeline/scene";
import { severityOf, total, type Cell, type Cut } from "../../timeline/severity";
import { metricTrees, pathTree, systemTree, type MetricNode, type PathNode, type SystemNode } from "../../timeline/severity_trees";
import { rankText } from "../../common/link";
import { ranksInView } from "../../timeline/words";
import { DataTable } from "../parts/DataTable";
import { FlameGraph, TimeFlameGraph } from "./FlameGraph";
import { SeverityTree, type Shown } from "./SeverityTree";

interface Family<Self> {
  id: string;
  name: string;
  children: Self[];
}

/** Largest first; what has nothing is left out. */
function shownTree<T extends Family<T>>(node: T, valueOf: (node: T) => number, describe: (node: T) => Pick<Shown, "unit">, whole: number): Shown {
  const inclusive = valueOf(node);
  const children = node.children.map((child) => shownTree(child, valueOf, describe, whole)).filter((child) => child.inclusive > 0);
  children.sort((a, b) => b.inclusive - a.inclusive);
  const exclusive = Math.max(0, inclusive - children.reduce((sum, child) => sum + child.inclusive, 0));
  const { id, name } = node;
  return { id, name, ...describe(node), inclusive, exclusive, share: whole > 0 ? inclusive / whole : 0, children };
}

function find<T extends Family<T>>(roots: T[], id: string): T | undefined {
  for (const node of roots) {
    const found = node.id === id ? node : find(node.children, id);
    if (found) return found;
  }
  return undefined;
}

interface TreesProps {
  scene: Scene;
  run: Run;
  cells: Cell[];
}

/** A press in one tree cuts those to its right, and lets what it stands for stand out in the rows. */
function Trees({ scene, run, cells }: TreesProps) {
  const { timeline } = scene;
  const [chosen, choose] = useState({ metric: "time", path: "", system: "system" });
  const metrics = useMemo(() => metricTrees(timeline, run.path !== null), [timeline, run]);
  const paths = useMemo(() => pathTree(timeline, cells), [timeline, cells]);
  const system = useMemo(() => systemTree(timeline), [timeline]);
  const metric = find(metrics, chosen.metric) ?? metrics[0]!;
  const path = find([paths], chosen.path) ?? paths;
  const scale = ({ unit }: MetricNode) => (unit === "ns" ? timeline.tick_ns : 1);
  const ofMetric = (node: MetricNode) => scale(node) * total(cells, node);
  const cut: Cut = { quantity: metric.quantity, holds: (cell) => metric.holds(cell) && path.holds(cell) };
  const ofPath = (node: PathNode) => scale(metric) * total(cells, { ...cut, holds: (cell) => metric.holds(cell) && node.holds(cell) });
  const ofSystem = (node: SystemNode) => scale(metric) * total(cells, cut, node.ranks);
  const press = (tree: keyof typeof chosen, id: string, lit: Highlight | null, ranks: number[] | null) => {
    choose({ ...chosen, [tree]: id });
    if (ranks) scene.only = ranks.length < timeline.ranks ? [ranks[0]!, ranks[ranks.length - 1]!] : null;
    else {
      scene.lit = lit;
      if (lit) scene.colourBy = lit.by;
    }
    scene.repaint();
    scene.look(scene.view);
  };
  const unit = () => ({ unit: metric.unit });
  const ranks = find([system], chosen.system)?.ranks;
  const ofFlame = (node: PathNode) =>
    scale(metric) * total(cells, { ...cut, holds: (cell) => metric.holds(cell) && node.holds(cell) }, ranks);
  const pressPath = (id: string) => press("path", id, find([paths], id)?.lit ?? null, null);
  return (
    <>
    <div class="severity-trees">
      <SeverityTree
        title="Metric"
        roots={metrics.map((root) => shownTree(root, ofMetric, (node) => ({ unit: node.unit }), ofMetric(root)))}
        chosen={metric.id}
        choose={(id) => press("metric", id, find(metrics, id)?.lit ?? null, null)}
        open={["time", "mpi"]}
      />
      <SeverityTree
        title="Call path"
        roots={[shownTree(paths, ofPath, unit, ofPath(paths))]}
        chosen={path.id}
        choose={pressPath}
        open={[""]}
      />
      <SeverityTree
        title="System"
        roots={[shownTree(system, ofSystem, unit, ofSystem(system))]}
        chosen={chosen.system}
        choose={(id) => press("system", id, null, find([system], id)?.ranks ?? null)}
        open={["system"]}
      />
    </div>
    <FlameGraph title={`Flame graph: ${metric.name}`} root={shownTree(paths, ofFlame, unit, ofFlame(paths))} chosen={path.id} choose={pressPath} />
    <TimeFlameGraph scene={scene} run={run} />
    </>
  );
}

function useCells(scene: Scene, run: Run, open: boolean): { cells: Cell[] | null; phases: Table | null; problem: string } {
  const { store, timeline, view, rows } = scene;
  const inView = scene.extent.ranks;
  const [cells, setCells] = useState<Cell[] | null>(null);
  const [phases, setPhases] = useState<Table | null>(null);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    let current = open;
    const read = () => severityOf(store, run, scene.extent).then((all) => current && setCells(all), (error: Error) => setProblem(error.message));
    const timer = open ? setTimeout(read, 150) : 0; // not at each step of a movement
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [open, run, view.from, view.to, view.top, view.bottom, rows]);
  useEffect(() => {
    if (open && timeline.phases.length > 1) phaseSeverities(store, run, inView).then(setPhases, (error: Error) => setProblem(error.message));
  }, [open, run, rankText(inView)]);
  return { cells, phases, problem };
}

/** Metric x call path x system of the interval in view, and what each phase spends its time on. Folded, since it reads every call. */
export function Severity({ scene, run }: { scene: Scene; run: Run }) {
  const [open, setOpen] = useState(false);
  const { cells, phases, problem } = useCells(scene, run, open);
  const { from, to } = scene.view;
  return (
    <details class="metric-trees" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Metric tree by call path and rank{scene.timeline.phases.length > 1 && ", severity by phase"}</summary>
      {problem && <p class="alert">{problem}</p>}
      {open && cells && (
        <>
          <p class="muted">
            The {format((to - from) * scene.timeline.tick_ns, "ns")} in view, {run.name}, {ranksInView(scene)}. A press restricts the trees to
            the right and highlights in the timeline what was pressed.
          </p>
          <Trees scene={scene} run={run} cells={cells} />
        </>
      )}
      {open && phases && <DataTable table={phases} />}
    </details>
  );
}
