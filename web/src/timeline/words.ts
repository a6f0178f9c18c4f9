// What things are called: rows are ranks and calls are MPI's, or rows are threads and streams of a training run's
// ranks, and calls are what these are busy with.

import { grouped } from "../common/format";
import { rankText } from "../common/link";
import type { Scene } from "./scene";
import type { Timeline } from "../common/timeline";
import { NOBODY, WILDCARD } from "../common/timeline";

interface Words {
  /** What calls are, against what lies between them. */
  busy: string;
  between: string;
  rows: string;
  region: string;
  messages: string;
  /** What the search field suggests. */
  example: string;
  filter: string;
  /** Of a call that received, and of one that sent. */
  receivedFrom: string;
  receivedBy: string;
  peer: string;
}

const OF_TRACE: Words = {
  busy: "MPI",
  between: "computation",
  rows: "ranks",
  region: "Region",
  messages: "Messages",
  example: "MPI_Wait, 12 ms",
  filter: "MPI_Send size>=64KiB",
  receivedFrom: "received from",
  receivedBy: "received by",
  peer: "peer",
};
const OF_TRAINING: Words = {
  busy: "busy",
  between: "idle",
  rows: "rows",
  region: "Operator and kernel",
  messages: "Launches",
  example: "aten::mm, rank 3, 12 ms",
  filter: "computation dur>1ms region=mm",
  receivedFrom: "launched by",
  receivedBy: "launched",
  peer: "launched on",
};

export const wordsOf = ({ rows }: Timeline): Words => (rows ? OF_TRAINING : OF_TRACE);

/** "rank 3", or "rank 3, stream 7". */
export function rowName({ rows }: Timeline, row: number): string {
  const own = rows?.[row];
  return own ? `rank ${own.rank}, ${own.name}` : `rank ${row}`;
}

export function peerName(timeline: Timeline, peer: number): string | null {
  return peer === NOBODY ? null : peer === WILDCARD ? "any or none" : rowName(timeline, peer);
}

/** The rank of a row. */
export const rankOfRow = ({ rows }: Timeline, row: number): number => rows?.[row]?.rank ?? row;

/** What the rows of the view are: "ranks 2 to 4". */
export function rowsInView({ timeline, view, rows }: Scene): string {
  const [first, last] = [Math.floor(view.top), Math.min(Math.ceil(view.bottom), rows.count) - 1];
  const of = wordsOf(timeline).rows;
  if (rows.chosen && !rows.grouped && last - first + 1 === rows.count) return `${grouped(rows.count)} of ${grouped(timeline.ranks)} ${of}`;
  return rows.chosen || rows.grouped ? `rows ${grouped(first)} to ${grouped(last)}` : `${of} ${grouped(first)} to ${grouped(last)}`;
}

const MOST_LETTERS = 60;

/** The ranks of the view: "ranks 0-2,7", or how many where that is long. */
export function ranksInView({ timeline, extent }: Scene): string {
  const { ranks } = extent;
  const of = wordsOf(timeline).rows;
  if (ranks.length === timeline.ranks) return `all ${of}`;
  const text = rankText(ranks);
  return text.length > MOST_LETTERS ? `${grouped(ranks.length)} ${of}` : `${of} ${text}`;
}

/** Innermost part of a call path. */
const innermost = (path: string) => path.slice(path.lastIndexOf("/") + 1);

/** What a call is: its operation, or in a training run the kernel or operator. */
export function callName({ rows, operations, regions }: Timeline, operation: number, region: number): string {
  const called = rows ? innermost(regions[region] ?? "") : "";
  return called || (operations[operation] ?? (rows ? "call" : "MPI call"));
}

/** The operators and modules around a call of a training run; empty for those of a trace. */
export function callerName({ rows, regions }: Timeline, region: number): string {
  const path = regions[region] ?? "";
  return rows && path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "";
}

/** C++ template arguments and parameters are long and rarely what tells kernels apart. */
export function shortName(name: string): string {
  const plain = name.replace(/^void /, "").replaceAll("(anonymous namespace)::", "");
  const cut = plain.search(/[<(]/);
  return cut > 0 ? plain.slice(0, cut) : plain;
}
