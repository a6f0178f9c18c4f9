import { prose } from "../common/format";
import type { Item, Matrix, Section as SectionData } from "../common/report";
import type { Theme } from "../common/theme";
import { Chart } from "./Chart";
import { DataTable } from "./parts/DataTable";
import { FactList } from "./Facts";
import { Links } from "./Links";
import { Matrices } from "./Matrices";
import { TimelineView } from "./timeline/TimelineView";

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
    case "timeline":
      return (
        <div id={item.id}>
          <TimelineView timeline={item} theme={theme} />
        </div>
      );
    case "links":
      return <Links map={item} />;
    case "matrix":
      return <Matrices matrices={[item]} />;
  }
}

/** Each matrix makes a table of its own, which can do more. */
const isTableOf = (matrices: Matrix[], item: Item) =>
  item.kind === "table" && matrices.some(({ id }) => item.id.startsWith(`${id}-`));

/** As wide as its content: several stand in one line where they have room. */
const isNarrow = (item: Item) => item.kind === "table" || item.kind === "facts";

/** Matrices of one section are looked at one at a time, where the first of them stands. */
function ItemViews({ items, theme }: { items: Item[]; theme: Theme }) {
  const matrices = items.filter((item): item is Matrix => item.kind === "matrix");
  const shown = items.filter((item) => !isTableOf(matrices, item) && (item.kind !== "matrix" || item === matrices[0]));
  if (shown.length === 0) return null;
  return (
    <div class="items">
      {shown.map((item, i) => (
        <div key={i} class={isNarrow(item) ? "narrow" : ""}>
          {item.kind === "matrix" ? <Matrices matrices={matrices} /> : <ItemView item={item} theme={theme} />}
        </div>
      ))}
    </div>
  );
}

interface Props {
  section: SectionData;
  theme: Theme;
  depth: number;
}

/** A time line that is called like its section: links go to it. */
const isOfItem = ({ id, items }: SectionData) => items.some((item) => item.kind === "timeline" && item.id === id);

export function Section({ section, theme, depth }: Props) {
  const Heading = depth === 0 ? "h2" : depth === 1 ? "h3" : "h4";
  return (
    <section id={isOfItem(section) ? undefined : section.id} class={`depth-${Math.min(depth, 2)}`}>
      {section.title && <Heading>{section.title}</Heading>}
      <ItemViews items={section.items} theme={theme} />
      {section.children.length > 0 && (
        <div class="children">
          {section.children.map((child, i) => (
            <Section key={i} section={child} theme={theme} depth={depth + 1} />
          ))}
        </div>
      )}
    </section>
  );
}
