import { prose } from "../format";
import type { Lead } from "../lead";
import type { Report } from "../report";
import { Tiles } from "./Facts";

/** The first screen: what it is about, what came out, the figures to remember. */
export function Summary({ report, lead }: { report: Report; lead: Lead }) {
  return (
    <header class="summary" id="summary-top">
      <p class="eyebrow">slackline {report.command}</p>
      <h1>{report.title || "Report"}</h1>
      <div class="lead">
        {lead.sentences.map((sentence, i) => (
          <p key={i}>{prose(sentence)}</p>
        ))}
      </div>
      {lead.facts.length > 0 && <Tiles facts={lead.facts} />}
    </header>
  );
}
