// What of a report goes on the first screen.

import type { Fact, Facts, Item, Json, Report, Section, Series, Table } from "./report";

/** A sentence and where the report shows what it rests on. */
export interface Sentence {
  text: string;
  /** "limit", "cause", "gain", "caution"; empty: none of these. */
  aspect: string;
  evidence: { id: string; title: string }[];
}

/** One of the questions that everybody asks first. */
export interface Answer extends Sentence {
  id: string;
  question: string;
}

/** A factor of the parallel efficiency; those of depth n + 1 are what it is the product of. */
export interface Factor {
  name: string;
  value: number;
  depth: number;
}

export interface Lead {
  sentences: Sentence[];
  answers: Answer[];
  /** The key facts: those of the first section, or else the first there are. */
  facts: Fact[];
  factors: Factor[];
  /** T(L), if the report has it. */
  latency: Series | null;
  /** Id of the time line, if there is one. */
  timeline: string;
  /** The sections that have a time line. */
  pictures: Section[];
  /** What is left for below, without what stands above already. */
  sections: Section[];
}

const JUDGEMENT = "judgement";
const ANSWERS = "answers";
const EFFICIENCY = /^efficiency[_-](analysed|multiplicative)$/;
const DEPTHS: [RegExp, number][] = [
  [/^parallel/, 0],
  [/^(load balance|communication)/, 1],
  [/^(serialisation|transfer)/, 2],
];

const isEmpty = ({ items, children }: Section) => items.length + children.length === 0;

function allItems(sections: Section[]): Item[] {
  return sections.flatMap(({ items, children }) => [...items, ...allItems(children)]);
}

/** Titles by id, of whatever can be linked to. */
function titles(sections: Section[]): Map<string, string> {
  const known = new Map<string, string>();
  const add = (section: Section) => {
    if (section.id) known.set(section.id, section.title);
    for (const item of section.items) {
      if ("id" in item && item.id) known.set(item.id, item.title || section.title);
    }
    section.children.forEach(add);
  };
  sections.forEach(add);
  return known;
}

type Said = { [key: string]: Json };

function listed(json: Json | undefined): Said[] {
  if (!Array.isArray(json)) return [];
  return json.filter((e): e is Said => typeof e === "object" && e !== null && !Array.isArray(e));
}

/** The entries of a list in the result that say something and on what it rests. */
function said({ result, sections }: Report, key: string): (Sentence & { entry: Said })[] {
  const known = titles(sections);
  const list = result && typeof result === "object" && !Array.isArray(result) ? result[key] : undefined;
  return listed(list).map((entry) => ({
    entry,
    text: String(entry["sentence"] ?? entry["answer"] ?? ""),
    aspect: String(entry["aspect"] ?? ""),
    evidence: (Array.isArray(entry["evidence"]) ? entry["evidence"] : []).flatMap((id) => {
      const title = known.get(String(id));
      return title === undefined ? [] : [{ id: String(id), title: title || String(id) }];
    }),
  }));
}

function factorsOf(items: Item[]): Factor[] {
  const table = items.find((item): item is Table => item.kind === "table" && EFFICIENCY.test(item.id));
  // The first run's factors alone would stand for all runs.
  if ((table?.columns.length ?? 0) > 2) return [];
  return (table?.rows ?? []).flatMap(([name, value]) => {
    if (typeof name !== "string" || typeof value !== "number") return [];
    const plain = name.trim();
    const depth = DEPTHS.find(([pattern]) => pattern.test(plain))?.[1] ?? 1;
    return [{ name: plain, value, depth }];
  });
}

export function leadOf(report: Report): Lead {
  const sections = report.sections.filter(({ id }) => id !== JUDGEMENT && id !== ANSWERS);
  const [first] = sections;
  const items = allItems(sections);
  const plain = (first?.items ?? []).flatMap((item) =>
    item.kind === "paragraph" ? [{ text: item.text, aspect: "", evidence: [] }] : [],
  );
  const facts = items.find((item): item is Facts => item.kind === "facts");
  const rest = sections.map((section) => ({
    ...section,
    title: section === first && plain.length > 0 ? "" : section.title,
    items: section.items.filter((item) => item !== facts && !(section === first && item.kind === "paragraph")),
  }));
  const full = rest.filter((section) => !isEmpty(section));
  const hasTimeline = ({ items }: Section) => items.some(({ kind }) => kind === "timeline");
  const pictures = full.filter(hasTimeline);
  const others = full.filter((section) => !hasTimeline(section));
  const isLatency = (item: Item): item is Series => item.kind === "series" && /^latency/.test(item.x_name);
  return {
    sentences: [...said(report, JUDGEMENT), ...plain],
    answers: said(report, ANSWERS).map((answer) => ({
      ...answer,
      id: String(answer.entry["id"] ?? ""),
      question: String(answer.entry["question"] ?? ""),
    })),
    facts: facts?.facts ?? [],
    factors: factorsOf(items),
    // Where it is what the report is about, it comes next anyway.
    latency: first?.items.some(isLatency) ? null : (items.find(isLatency) ?? null),
    timeline: items.find((item) => item.kind === "timeline")?.id ?? "",
    pictures,
    sections: others,
  };
}
