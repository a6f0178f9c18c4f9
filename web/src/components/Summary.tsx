import type { Report, Section } from "../report";
import type { Theme } from "../theme";
import { Tiles } from "./Facts";
import { Section as SectionView } from "./Section";

interface Parts {
  sentences: string[];
  rest: Section;
}

/** The first section's sentences go on top; its first facts become tiles; the rest stays below. */
function partsOf(section: Section): Parts {
  const sentences = section.items.flatMap((item) => (item.kind === "paragraph" ? [item.text] : []));
  const firstFacts = section.items.find((item) => item.kind === "facts");
  const items = section.items.filter((item) => item.kind !== "paragraph" && item !== firstFacts);
  return { sentences, rest: { ...section, title: "", items } };
}

/** The first screen: what it is about, what came out, the figures to remember. */
export function Summary({ report, theme }: { report: Report; theme: Theme }) {
  const section = report.sections[0];
  const facts = section?.items.find((item) => item.kind === "facts");
  const parts = section && partsOf(section);
  return (
    <header class="summary">
      <p class="eyebrow">slackline {report.command}</p>
      <h1>{report.title || "Report"}</h1>
      <div class="lead">
        {parts?.sentences.map((sentence, i) => (
          <p key={i}>{sentence}</p>
        ))}
      </div>
      {facts && <Tiles facts={facts.facts} />}
      {parts && (parts.rest.items.length > 0 || parts.rest.children.length > 0) && (
        <SectionView section={parts.rest} theme={theme} depth={0} />
      )}
    </header>
  );
}
