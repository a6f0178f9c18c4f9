// What each phase of a run spends its time on: one row a phase.

import type { Column, Table, Unit, Value } from "../common/report";
import type { Run } from "../common/timeline";
import { pausedOutside, statisticsOf } from "./statistics";
import type { Store } from "./store";
import { rowName, wordsOf } from "./words";

const column = (name: string, unit: Unit = "none", explanation = ""): Column => ({ name, unit, explanation });
const OF_TIME = "of the time of the ranks in the phase";

/** Of some ranks; one pass over the calls of each phase. */
export async function phaseSeverities(store: Store, run: Run, ranks: number[]): Promise<Table> {
  const { timeline } = store;
  const { phases, patterns, tick_ns, id } = timeline;
  const { busy, between } = wordsOf(timeline);
  const rows: Value[][] = [];
  for (const [i, phase] of phases.entries()) {
    const s = await statisticsOf(store, run, { from: phase.from, to: phase.to, ranks }, null);
    const lived = s.lived || 1;
    const computed = s.computation.reduce((a, b) => a + b, 0);
    const paused = pausedOutside(s);
    const waiting = s.patterns.reduce((a, b) => a + b, 0);
    const worst = s.patterns.indexOf(Math.max(...s.patterns));
    const most = ranks[s.computation.indexOf(s.computation.reduce((a, b) => Math.max(a, b), 0))] ?? 0;
    rows.push([
      phase.kind === "step" ? phase.phase : i + 1, phase.from * tick_ns, (phase.to - phase.from) * tick_ns, computed / lived, ...(timeline.pauses ? [paused / lived] : []), (lived - computed - paused - waiting) / lived, waiting / lived,
      waiting > 0 ? (patterns[worst] ?? "") : "", s.patterns[worst]! / lived, timeline.rows ? rowName(timeline, most) : most,
    ]);
  }
  const columns = [
    column(timeline.rows ? "step" : "phase"), column("begin", "ns"), column("length", "ns"), column(between, "ratio", OF_TIME),
    ...(timeline.pauses ? [column("paused", "ratio", "between calls without a processor, blocked, or in the recorder")] : []),
    column(`${busy}, not waiting`, "ratio", OF_TIME), column("waiting", "ratio", OF_TIME), column("largest wait pattern"),
    column("its share", "ratio", OF_TIME), column(`most ${between} on ${timeline.rows ? "row" : "rank"}`),
  ];
  return { kind: "table", id: `${id}-phase-severity`, title: "Severity by phase", columns, rows };
}
