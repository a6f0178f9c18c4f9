// The report as the tool writes it: mirrors src/report/report.h and json_writer.cc field by field.

import { inflate, type BlobRef } from "./blob";
import type { Timeline } from "./timeline";

/** "rate": per second; only of what the page works out. */
export type Unit = "none" | "count" | "ns" | "bytes" | "ratio" | "points" | "rate";

/** null also stands for not-a-number and infinities. */
export type Value = null | string | number;

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export interface Paragraph {
  kind: "paragraph";
  text: string;
}

export interface Fact {
  label: string;
  value: Value;
  unit: Unit;
  explanation: string;
}

export interface Facts {
  kind: "facts";
  facts: Fact[];
}

export interface Column {
  name: string;
  unit: Unit;
  explanation: string;
}

export interface Table {
  kind: "table";
  id: string;
  title: string;
  columns: Column[];
  rows: Value[][];
}

export interface Line {
  name: string;
  unit: Unit;
  steps: boolean;
  panel: number;
  y: (number | null)[];
  /** Measured points, not a line. */
  points?: boolean;
}

export interface Zone {
  name: string;
  from: number | null;
  to: number | null;
}

export interface Series {
  kind: "series";
  id: string;
  title: string;
  x_name: string;
  x_unit: Unit;
  x: (number | null)[];
  lines: Line[];
  zones: Zone[];
  /** Today's x, where there is one. */
  now?: number | null;
}

/** Rank by rank, or block by block of ranks. */
export interface Matrix {
  kind: "matrix";
  id: string;
  title: string;
  explanation: string;
  rows: string;
  columns: string;
  unit: Unit;
  ranks: number;
  block: number;
  size: number;
  total: number;
  maximum: number;
  cells: BlobRef;
}

export interface Link {
  name: string;
  /** Parts of its bandwidth. */
  mean: number;
  peak: number;
  lost_ns: number;
}

/** A cluster of a platform on a plane. */
export interface NetworkDrawing {
  name: string;
  type: string;
  /** What was drawn as one, or nothing. */
  note: string;
  width: number;
  height: number;
  nodes: { name: string; x: number; y: number; host: boolean }[];
  /** `links`: numbers in all groups of the map, one after the other; from `from` to itself what is inside it. */
  lines: { from: number; to: number; round: boolean; links: number[] }[];
}

/** The links of a platform with their use in a simulated run. */
export interface LinkMap {
  kind: "links";
  id: string;
  title: string;
  groups: { name: string; links: Link[]; left_out: number; unused: number }[];
  drawings: NetworkDrawing[];
  /** Further clusters with links that are used. */
  undrawn: number;
}

export type Item = Paragraph | Facts | Table | Series | Timeline | Matrix | LinkMap;

export interface Section {
  id: string;
  title: string;
  items: Item[];
  children: Section[];
}

export type Severity = "info" | "notice" | "data_loss";

export interface Finding {
  name: string;
  severity: Severity;
  count: number;
  sentence: string;
  examples: string[];
}

export interface Report {
  schema: string;
  version: string;
  command: string;
  title: string;
  options: Json;
  input: Json;
  findings: Finding[];
  result: Json;
  sections: Section[];
}

/** The JSON's text; large ones are compressed. */
async function embedded(): Promise<string> {
  const element = document.getElementById("report");
  const text = element?.textContent ?? "";
  if (element?.dataset["encoding"] !== "deflate") return text;
  return new TextDecoder().decode(await inflate(text));
}

// Control characters, and those that turn the direction of writing: with them a name could look
// like another one. Line breaks stay.
const UNSEEN = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** The report as it is shown. */
export async function readReport(): Promise<Report> {
  const visible = (_key: string, value: unknown) =>
    typeof value === "string" ? value.replace(UNSEEN, " ") : value;
  return JSON.parse(await embedded(), visible) as Report;
}

/** What `--format json` prints: the report without the tree that is only there to be shown. */
export async function scriptForm(): Promise<string> {
  const { sections: _sections, ...head } = JSON.parse(await embedded()) as Report;
  return JSON.stringify(head, null, 2) + "\n";
}
