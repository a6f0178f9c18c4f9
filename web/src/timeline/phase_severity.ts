// What each phase of a run spends its time on: one row a phase.

import type { Column, Table, Unit, Value } from "../common/report";
import type { Run } from "../common/timeline";
import { statisticsOf } from "./statistics";
import type { Store } from "./store";

const column = (name: string, unit: Unit = "none", explanation = ""): Column => ({ name, unit, explanation });
const OF_TIME = "of the time of all ranks in the phase";

/** One pass over the calls of each phase. */
export async function phaseSeverities(store: Store, run: Run): Promise<Table> {
  const { phases, ranks, patterns, tick_ns, id } = store.timeline;
  const rows: Value[][] = [];
  for (const [i, phase] of phases.entries()) {
    const s = await statisticsOf(store, run, { from: phase.from, to: phase.to, first: 0, last: ranks }, null);
    const lived = s.lived || 1;
    const computed = s.computation.reduce((a, b) => a + b, 0);
    const waiting = s.patterns.reduce((a, b) => a + b, 0);
    const worst = s.patterns.indexOf(Math.max(...s.patterns));
    const most = s.computation.indexOf(s.computation.reduce((a, b) => Math.max(a, b), 0));
    rows.push([
      i + 1, phase.from * tick_ns, (phase.to - phase.from) * tick_ns, computed / lived, (lived - computed - waiting) / lived, waiting / lived,
      waiting > 0 ? (patterns[worst] ?? "") : "", s.patterns[worst]! / lived, most,
    ]);
  }
  const columns = [
    column("phase"), column("begin", "ns"), column("length", "ns"), column("computation", "ratio", OF_TIME),
    column("MPI, not waiting", "ratio", OF_TIME), column("waiting", "ratio", OF_TIME), column("largest wait pattern"),
    column("its share", "ratio", OF_TIME), column("most computation on rank"),
  ];
  return { kind: "table", id: `${id}-phase-severity`, title: "Severity by phase", columns, rows };
}
