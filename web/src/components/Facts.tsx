import { show } from "../format";
import type { Fact } from "../report";
import { Hint } from "./Hint";

function FactValue({ fact }: { fact: Fact }) {
  const { text, unit } = show(fact.value, fact.unit);
  return (
    <>
      <span class="number">{text}</span>
      {unit && <span class="unit"> {unit}</span>}
    </>
  );
}

function FactGroup({ facts, look }: { facts: Fact[]; look: string }) {
  return (
    <dl class={look}>
      {facts.map((fact, i) => (
        <div key={i}>
          <dt>
            <Hint text={fact.explanation}>{fact.label}</Hint>
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
