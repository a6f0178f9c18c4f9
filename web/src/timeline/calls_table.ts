// Calls as rows with all that is known of them, in whole nanoseconds.

import type { Column, Table, Unit, Value } from "../common/report";
import type { Timeline } from "../common/timeline";
import type { Call } from "./calls";
import { rowName } from "./words";

const column = (name: string, unit: Unit = "none"): Column => ({ name, unit, explanation: "" });

const known = (number: number): Value => (number < 0 ? null : number);

export function callsTable(timeline: Timeline, calls: Call[]): Table {
  const { operations, patterns, regions, rows, tick_ns } = timeline;
  const ns = (ticks: number) => ticks * tick_ns;
  const place = (row: number): Value => (rows && row >= 0 ? rowName(timeline, row) : known(row));
  const row = (call: Call): Value[] => [
    place(call.rank),
    call.call,
    ns(call.begin),
    ns(call.end - call.begin),
    operations[call.operation] ?? "",
    place(call.peer),
    call.bytes,
    patterns[call.wait] ?? "",
    ns(call.waitLength),
    place(call.cause),
    regions[call.region] ?? "",
    known(call.collective),
  ];
  const columns = [
    column(rows ? "row" : "rank"), column("call"), column("begin", "ns"), column("duration", "ns"), column("operation"), column("peer"),
    column("size", "bytes"), column("wait pattern"), column("wait", "ns"), column("waiting for"), column("region"), column("collective"),
  ];
  return { kind: "table", id: "calls", title: "Calls", columns, rows: calls.map(row) };
}
