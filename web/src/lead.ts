// What of a report goes on the first screen.

import type { Fact, Facts, Item, Report, Section } from "./report";

export interface Lead {
  sentences: string[];
  /** The key facts: those of the first section, or else the first there are. */
  facts: Fact[];
  /** What is left for below, without what stands above already. */
  sections: Section[];
}

const isEmpty = ({ items, children }: Section) => items.length + children.length === 0;

export function leadOf(report: Report): Lead {
  const [first] = report.sections;
  const isSentence = (item: Item) => item.kind === "paragraph";
  const items = report.sections.flatMap((section) => section.items);
  const facts = items.find((item): item is Facts => item.kind === "facts");
  const sections = report.sections.map((section) => ({
    ...section,
    title: section === first ? "" : section.title,
    items: section.items.filter((item) => item !== facts && !(section === first && isSentence(item))),
  }));
  return {
    sentences: (first?.items ?? []).flatMap((item) => (item.kind === "paragraph" ? [item.text] : [])),
    facts: facts?.facts ?? [],
    sections: sections.filter((section) => !isEmpty(section)),
  };
}
