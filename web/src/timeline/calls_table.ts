// Calls as rows with all that is known of them, in whole nanoseconds.

import type { Column, Table, Unit, Value } from "../common/report";
import type { Timeline } from "../common/timeline";
import type { Call } from "./calls";

const column = (name: string, unit: Unit = "none"): Column => ({ name, unit, explanation: "" });

const known = (rank: number): Value => (rank < 0 ? null : rank);

export function callsTable({ operations, patterns, regions, tick_ns }: Timeline, calls: Call[]): Table {
  const ns = (ticks: number) => ticks * tick_ns;
  const row = (call: Call): Value[] => [
    call.rank,
    call.call,
    ns(call.begin),
    ns(call.end - call.begin),
    operations[call.operation] ?? "",
    known(call.peer),
    call.bytes,
    patterns[call.wait] ?? "",
    ns(call.waitLength),
    known(call.cause),
    regions[call.region] ?? "",
    known(call.collective),
  ];
  const columns = [
    column("rank"), column("call"), column("begin", "ns"), column("duration", "ns"), column("operation"), column("peer"),
    column("size", "bytes"), column("wait pattern"), column("wait", "ns"), column("waiting for"), column("region"), column("collective"),
  ];
  return { kind: "table", id: "calls", title: "Calls", columns, rows: calls.map(row) };
}
