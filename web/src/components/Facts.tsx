import { show } from "../common/format";
import { explain } from "../common/glossary";
import type { Fact } from "../common/report";
import { Hint } from "./parts/Hint";

function FactValue({ fact }: { fact: Fact }) {
  const { text, unit } = show(fact.value, fact.unit);
  return (
    <>
      <span class="number">{text}</span>
      {unit && <span class="unit"> {unit}</span>}
    </>
  );
}

/** Text, rather than a figure: it gets a line of its own. */
function isLong(fact: Fact): boolean {
  return typeof fact.value === "string" && fact.value.length > 16;
}

/** How many figures a row may have, for the style sheet. */
function columns(facts: Fact[]): Record<string, number> {
  const count = Math.max(1, facts.filter((fact) => !isLong(fact)).length);
  return { "--count": count, "--half": Math.ceil(count / 2) };
}

function FactGroup({ facts, look }: { facts: Fact[]; look: string }) {
  return (
    <dl class={look} style={columns(facts)}>
      {facts.map((fact, i) => (
        <div key={i} class={isLong(fact) ? "long" : ""}>
          <dt>
            <Hint text={fact.explanation || explain(fact.label)}>{fact.label}</Hint>
          </dt>
          <dd>
            <FactValue fact={fact} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** The report's key facts, large. */
export const Tiles = ({ facts }: { facts: Fact[] }) => <FactGroup facts={facts} look="tiles" />;

/** Facts inside a section: label and value in two columns. */
export const FactList = ({ facts }: { facts: Fact[] }) => <FactGroup facts={facts} look="facts" />;
