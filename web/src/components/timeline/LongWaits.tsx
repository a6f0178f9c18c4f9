import { useMemo, useState } from "preact/hooks";
import { rounding } from "../../common/format";
import type { Column, Table, Unit, Value } from "../../common/report";
import type { LongWait, Run, Timeline } from "../../common/timeline";
import type { Scene } from "../../timeline/scene";
import { rowName } from "../../timeline/words";
import { DataTable } from "../parts/DataTable";

const column = (name: string, unit: Unit = "none", explanation = ""): Column => ({ name, unit, explanation });

function tableOf(waits: LongWait[], timeline: Timeline): Table {
  const { rows } = timeline;
  const ns = (ticks: number) => ticks * timeline.tick_ns;
  const row = (wait: LongWait): Value[] => [
    rows ? rowName(timeline, wait.rank) : wait.rank,
    ns(wait.begin),
    ns(wait.duration),
    timeline.patterns[wait.pattern] ?? "",
    timeline.operations[wait.operation] ?? "",
    wait.cause < 0 ? null : rows ? rowName(timeline, wait.cause) : wait.cause,
  ];
  return {
    kind: "table",
    id: `${timeline.id}-waits`,
    title: `Longest waits${timeline.tick_ns > 1 ? ` (times${rounding(timeline.tick_ns)})` : ""}`,
    columns: [
      column(rows ? "row" : "rank"),
      column("begin", "ns"),
      column("duration", "ns"),
      column("pattern"),
      column("operation"),
      column("waiting for", "none", "the rank that the call waits for"),
    ],
    rows: waits.map(row),
  };
}

/** Folded, since a page may hold thousands; each leads to its place. */
export function LongWaits({ scene, run }: { scene: Scene; run: Run }) {
  const [open, setOpen] = useState(false);
  const waits = open ? scene.store.longWaits(run) : undefined;
  const table = useMemo(() => (waits ? tableOf(waits, scene.timeline) : null), [waits]);
  return (
    <details class="tip" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{run.waits?.count.toLocaleString("en-US")} longest waits</summary>
      {table && <DataTable table={table} />}
    </details>
  );
}
