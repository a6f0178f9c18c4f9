import { useEffect, useMemo, useState } from "preact/hooks";
import { save } from "../../common/clipboard";
import { format, rounding } from "../../common/format";
import type { Column, Table, Unit, Value } from "../../common/report";
import { csv } from "../../common/table";
import { PAUSES, type Run } from "../../common/timeline";
import type { Call } from "../../timeline/calls";
import { parseFilter } from "../../timeline/call_filter";
import { callsTable } from "../../timeline/calls_table";
import type { Scene } from "../../timeline/scene";
import { efficienciesOf, statisticsOf, wholeExtent, type Statistics } from "../../timeline/statistics";
import { ranksInView, wordsOf } from "../../timeline/words";
import { DataTable } from "../parts/DataTable";

const MOST_CALLS = 1_000_000;
const FILTER_HELP = "For example: MPI_Send size>=64KiB dur>10us peer=3 rank<8 wait=late region=solve";

const column = (name: string, unit: Unit = "none", explanation = ""): Column => ({ name, unit, explanation });

interface Both {
  here: Statistics;
  whole: Statistics;
}

/** One row for whatever has time in either. */
function rowsOf(names: string[], { here, whole }: Both, time: (s: Statistics, i: number) => number, ns: number, more: (i: number) => Value[]): Value[][] {
  return names.flatMap((name, i): Value[][] => {
    const [a, b] = [time(here, i), time(whole, i)];
    if (a === 0 && b === 0) return [];
    return [[name, a * ns, a / (here.lived || 1), b * ns, b / (whole.lived || 1), ...more(i)]];
  });
}

const COMPARED = [column("time", "ns"), column("share", "ratio", "of the time of the ranks in the selection"), column("whole run", "ns"), column("share of run", "ratio", "of the time of all ranks in the whole run")];

const COUNTED = [column("IPC", "none", "instructions per cycle of the computation, mean over its time, to 1/32"), column("IPC of run", "none", "the same of all ranks in the whole run")];

function tablesOf(scene: Scene, both: Both): Table[] {
  const { operations, patterns, regions, rows, ipc, tick_ns: ns, id } = scene.timeline;
  const { here, whole } = both;
  const ipcOf = ({ counted }: Statistics, i: number): Value => (counted[i]!.time > 0 ? Number((counted[i]!.instructions / counted[i]!.time).toPrecision(3)) : null);
  const calls = (i: number): Value[] => {
    const { calls, bytes, waiting } = here.operations[i]!;
    return [calls, bytes, waiting * ns];
  };
  const compute = (s: Statistics) => s.computation.reduce((a, b) => a + b, 0);
  const time = (s: Statistics, i: number) => (i === 0 ? compute(s) : s.operations[i]!.time);
  const table = (name: string, title: string, columns: Column[], rows: Value[][]): Table => ({
    kind: "table", id: `${id}-statistics-${name}`, title, columns, rows,
  });
  const sizes = here.sizes.map((count, i): Value[] => [i === 0 ? "0 B" : `${format(2 ** (i - 1), "bytes")} to below ${format(2 ** i, "bytes")}`, count ?? 0]);
  const tables = [
    table("operations", "Time by operation", [column("operation"), ...COMPARED, column("calls", "count"), column("bytes", "bytes"), column("wait time", "ns")], rowsOf(operations, both, time, ns, calls)),
    table("pauses", "Time between calls without computation", [column("state"), ...COMPARED], rowsOf(PAUSES, both, (s, i) => s.paused[i]!, ns, () => [])),
    table("waits", "Wait time by pattern", [column("pattern"), ...COMPARED], rowsOf(patterns, both, (s, i) => s.patterns[i]!, ns, () => [])),
    table("regions", rows ? "Time by operator and kernel" : "Computation by region", [column("region"), ...COMPARED, ...(ipc ? COUNTED : [])], regions.length > 1 ? rowsOf(regions.map((name) => name || (rows ? "idle" : "(no region)")), both, (s, i) => s.regions[i]!, ns, (i) => (ipc ? [ipcOf(here, i), ipcOf(whole, i)] : [])) : []),
    table("sizes", "Messages sent by size", [column("size"), column("messages", "count")], sizes.filter((row) => row[1] !== 0 && row[1] !== undefined)),
    table("efficiency", "Efficiency", [column("factor"), column("selection", "ratio"), column("whole run", "ratio")], rows ? [] : efficiencyRows(both)),
  ];
  return tables.filter(({ rows }) => rows.length > 0);
}

function efficiencyRows({ here, whole }: Both): Value[][] {
  const [a, b] = [efficienciesOf(here), efficienciesOf(whole)];
  return [
    ["parallel efficiency", a?.parallel ?? null, b?.parallel ?? null],
    ["load balance", a?.loadBalance ?? null, b?.loadBalance ?? null],
    ["communication efficiency", a?.communication ?? null, b?.communication ?? null],
  ];
}

interface Props {
  scene: Scene;
  run: Run;
  close: () => void;
}

/** The interval and the ranks in view beside the whole run, and their calls as a file. */
export function IntervalStatistics({ scene, run, close }: Props) {
  const { timeline, store, view } = scene;
  const [both, setBoth] = useState<Both | null>(null);
  const [problem, setProblem] = useState("");
  const { fits, unknown } = useMemo(() => parseFilter(scene.filter, timeline), [scene.filter, timeline]);
  const extent = useMemo(() => scene.extent, [view.from, view.to, view.top, view.bottom, scene.rows]);
  useEffect(() => {
    let current = true;
    // Not at each step of a movement.
    const timer = setTimeout(() => {
      Promise.all([statisticsOf(store, run, extent, fits), statisticsOf(store, run, wholeExtent(timeline, run), fits)]).then(
        ([here, whole]) => current && setBoth({ here, whole }),
        (error: Error) => setProblem(error.message),
      );
    }, 150);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [run, extent, fits]);
  const tables = useMemo(() => both && tablesOf(scene, both), [both]);
  const saveCalls = async () => {
    const calls: Call[] = [];
    await statisticsOf(store, run, extent, fits, { call: (call) => void (calls.length < MOST_CALLS && calls.push(call)) });
    save(`calls-${run.id}.csv`, csv(callsTable(timeline, calls)));
  };
  return (
    <section class="interval-statistics" aria-label="Statistics of the selection">
      <h3>
        Statistics of the selection{" "}
        <span class="muted">
          {format((extent.to - extent.from) * timeline.tick_ns, "ns")}
          {rounding(timeline.tick_ns, 2)}, {ranksInView(scene)}, {run.name}
        </span>
      </h3>
      <p class="toolbar">
        <input
          type="search"
          placeholder={`Calls: ${wordsOf(timeline).filter}`}
          title={FILTER_HELP}
          aria-label="Filter of calls"
          value={scene.filter}
          onInput={(event) => scene.setFilter(event.currentTarget.value)}
        />
        <button type="button" class="quiet" onClick={() => void saveCalls()}>Save calls as CSV</button>
        <button type="button" class="quiet" onClick={close}>Close</button>
        {unknown.length > 0 && <span role="alert">Not understood: {unknown.join(", ")}. {FILTER_HELP}</span>}
      </p>
      {problem && <p class="alert">{problem}</p>}
      {run.chunks.length === 0 ? (
        <p class="muted">Individual calls of this run are not included in this page.</p>
      ) : (
        <div class="items">{tables?.map((table) => <div key={table.id} class="narrow"><DataTable table={table} /></div>)}</div>
      )}
    </section>
  );
}
