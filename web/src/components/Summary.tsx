import { useContext } from "preact/hooks";
import { TimelineId } from "../common/context";
import { format, grouped, prose } from "../common/format";
import { explain } from "../common/glossary";
import type { Factor, Lead, Sentence } from "../common/lead";
import type { Finding, Report } from "../common/report";
import type { Theme } from "../common/theme";
import { fragmentOf, type Place } from "../common/link";
import { Chart } from "./Chart";
import { Hint } from "./parts/Hint";

const ASPECTS: Record<string, string> = {
  limit: "Main limitation",
  cause: "Cause",
  gain: "Potential gain (upper bound)",
  caution: "Caveats",
};

const UNITS: Record<string, number> = { ns: 1, us: 1e3, ms: 1e6, s: 1e9 };
const PLACE = /(between [\d.]+ (?:[num]?s) and [\d.]+ (?:[num]?s)\b|\b[Rr]ank \d+\b)/;

/** Where in the time line that is what a sentence names. */
function placeOf(words: string): Place {
  const [, from, fromUnit, to, toUnit] = /([\d.]+) (\w+) and ([\d.]+) (\w+)/.exec(words) ?? [];
  if (!from) {
    const rank = Number(/\d+/.exec(words)?.[0]);
    return { only: [rank, rank] };
  }
  const ns = (value = "", unit = "") => Number(value) * (UNITS[unit] ?? 1);
  return { t: [ns(from, fromUnit), ns(to, toUnit)] };
}

/** Ranks and stretches of time in a sentence lead to the time line. */
function Linked({ text }: { text: string }) {
  const timeline = useContext(TimelineId);
  if (!timeline) return <>{prose(text)}</>;
  return (
    <>
      {text.split(PLACE).map((part, i) =>
        i % 2 === 0 ? (
          prose(part)
        ) : (
          <a key={i} class="place" href={fragmentOf(timeline, placeOf(part))}>
            {prose(part)}
          </a>
        ),
      )}
    </>
  );
}

function Evidence({ evidence }: Pick<Sentence, "evidence">) {
  if (evidence.length === 0) return null;
  return (
    <p class="evidence">
      {evidence.map(({ id, title }) => (
        <a key={id} href={`#${encodeURIComponent(id)}`}>
          {title}
        </a>
      ))}
    </p>
  );
}

function SentenceView({ sentence }: { sentence: Sentence }) {
  const aspect = ASPECTS[sentence.aspect];
  return (
    <li class={aspect ? sentence.aspect : ""}>
      {aspect && <p class="aspect">{aspect}</p>}
      <p>
        <Linked text={sentence.text} />
      </p>
      <Evidence evidence={sentence.evidence} />
    </li>
  );
}

/** Beside what holds the run back, what everybody wants to know of it. The rank is named by the cause, if there is one. */
function Answers({ answers, sentences }: Pick<Lead, "answers" | "sentences">) {
  const named = sentences.some(({ aspect }) => aspect === "cause");
  return (
    <dl class="answers">
      {answers.filter(({ id }) => !(named && id === "late")).map(({ question, text, evidence }) => (
        <div key={question}>
          <dt>{prose(question)}</dt>
          <dd>
            <p>
              <Linked text={text} />
            </p>
            <Evidence evidence={evidence} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Each factor is the product of those one step further in. */
function EfficiencyTree({ factors }: { factors: Factor[] }) {
  const isLeaf = (i: number) => (factors[i + 1]?.depth ?? 0) <= (factors[i]?.depth ?? 0);
  const worst = Math.min(...factors.filter((_, i) => isLeaf(i)).map(({ value }) => value));
  return (
    <figure>
      <figcaption>
        <span class="caption">Efficiency factors</span>
      </figcaption>
      <ul class="tree">
        {factors.map(({ name, value, depth }, i) => (
          <li key={name} class={`level-${depth}`}>
            <span>
              <Hint text={explain(name)}>{name}</Hint>
            </span>
            <span class={isLeaf(i) && value === worst && value < 0.9 ? "bar low" : "bar"} aria-hidden="true">
              <span style={{ width: `${100 * Math.min(Math.max(value, 0), 1)}%` }} />
            </span>
            <span class="number">{format(value, "ratio")}</span>
          </li>
        ))}
      </ul>
    </figure>
  );
}

/** Only findings that change what can be believed. */
function Alert({ findings }: { findings: Finding[] }) {
  const grave = findings.filter(({ severity }) => severity === "data_loss");
  if (grave.length === 0) return null;
  const [first] = grave;
  return (
    <p class="alert">
      {first?.sentence} ({grouped(first?.count ?? 0)} ×) <a href="#findings">All warnings</a>
    </p>
  );
}

interface Props {
  report: Report;
  lead: Lead;
  theme: Theme;
}

/** The first screen: what it is about and what came out. */
export function Summary({ report, lead, theme }: Props) {
  const beside = lead.factors.length > 0 || lead.latency !== null;
  return (
    <header class="summary" id="summary-top">
      <p class="eyebrow">slackline {report.command}</p>
      <h1>{report.title || "Report"}</h1>
      <Alert findings={report.findings} />
      <div class={beside ? "first with-figures" : "first"}>
        <div class="told">
          <ul class="judgement lead">
            {lead.sentences.map((sentence, i) => (
              <SentenceView key={i} sentence={sentence} />
            ))}
          </ul>
          {lead.answers.length > 0 && <Answers answers={lead.answers} sentences={lead.sentences} />}
        </div>
        {beside && (
          <div class="beside">
            {lead.factors.length > 0 && <EfficiencyTree factors={lead.factors} />}
            {lead.latency && <Chart series={lead.latency} theme={theme} glance />}
          </div>
        )}
      </div>
    </header>
  );
}
