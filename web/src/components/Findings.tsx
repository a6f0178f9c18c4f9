import { grouped } from "../common/format";
import type { Finding, Severity } from "../common/report";

const WORD: Record<Severity, string> = {
  data_loss: "data loss",
  notice: "notice",
  info: "info",
};
// Shapes as well as colours.
const SIGN: Record<Severity, string> = { data_loss: "■", notice: "▲", info: "●" };

function FindingRow({ finding }: { finding: Finding }) {
  return (
    <li>
      <span class={`severity ${finding.severity}`}>
        <span aria-hidden="true">{SIGN[finding.severity]}</span> {WORD[finding.severity]}
      </span>
      <span class="finding-count">{grouped(finding.count)} ×</span>
      <div class="finding-body">
        <p>{finding.sentence}</p>
        {finding.examples.length > 0 && (
          <ul>
            {finding.examples.map((example, i) => (
              <li key={i}>{example}</li>
            ))}
          </ul>
        )}
        <code>{finding.name}</code>
      </div>
    </li>
  );
}

/** What was wrong, lost or guessed in the input: the gravest first. */
export function Findings({ findings }: { findings: Finding[] }) {
  const rank: Severity[] = ["data_loss", "notice", "info"];
  const ordered = [...findings].sort((a, b) => rank.indexOf(a.severity) - rank.indexOf(b.severity));
  return (
    <section id="findings">
      <h2>Warnings (data quality)</h2>
      {ordered.length === 0 ? (
        <p class="muted">No data-quality warnings.</p>
      ) : (
        <ul class="findings">
          {ordered.map((finding) => (
            <FindingRow key={finding.name} finding={finding} />
          ))}
        </ul>
      )}
    </section>
  );
}
