import { prose } from "../format";
import type { Item, Section as SectionData } from "../report";
import type { Theme } from "../theme";
import { Chart } from "./Chart";
import { DataTable } from "./DataTable";
import { FactList } from "./Facts";

export function ItemView({ item, theme }: { item: Item; theme: Theme }) {
  switch (item.kind) {
    case "paragraph":
      return <p class="prose">{prose(item.text)}</p>;
    case "facts":
      return <FactList facts={item.facts} />;
    case "table":
      return <DataTable table={item} />;
    case "series":
      return <Chart series={item} theme={theme} />;
  }
}

interface Props {
  section: SectionData;
  theme: Theme;
  depth: number;
}

export function Section({ section, theme, depth }: Props) {
  const Heading = depth === 0 ? "h2" : depth === 1 ? "h3" : "h4";
  return (
    <section id={section.id} class={`depth-${Math.min(depth, 2)}`}>
      {section.title && <Heading>{section.title}</Heading>}
      {section.items.map((item, i) => (
        <ItemView key={i} item={item} theme={theme} />
      ))}
      {section.children.map((child, i) => (
        <Section key={i} section={child} theme={theme} depth={depth + 1} />
      ))}
    </section>
  );
}
