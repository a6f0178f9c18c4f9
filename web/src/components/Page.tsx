import { useMemo } from "preact/hooks";
import { TimelineId } from "../common/context";
import { leadOf } from "../common/lead";
import { scriptForm, type Report } from "../common/report";
import { useTheme } from "../common/theme";
import { Contents } from "./Contents";
import { Tiles } from "./Facts";
import { CopyButton } from "./parts/CopyButton";
import { Findings } from "./Findings";
import { Provenance } from "./Provenance";
import { Query } from "./Query";
import { Section } from "./Section";
import { Summary } from "./Summary";

export function Page({ report }: { report: Report }) {
  const { theme, toggle } = useTheme();
  const lead = useMemo(() => leadOf(report), [report]);
  const shown = (section: Report["sections"][number], i: number) => (
    <Section key={i} section={section} theme={theme} depth={0} />
  );
  return (
    <TimelineId.Provider value={lead.timeline}>
      <div class="page">
      <div class="tools">
        <CopyButton label="Copy JSON" text={scriptForm} />
        <button type="button" class="quiet" id="theme" onClick={toggle}>
          {theme === "dark" ? "Light" : "Dark"}
        </button>
      </div>
      <Contents sections={[...lead.pictures, ...lead.sections]} findings={report.findings.length} />
      <main>
        <Summary report={report} lead={lead} theme={theme} />
        {lead.pictures.map(shown)}
        {lead.facts.length > 0 && <Tiles facts={lead.facts} />}
        {lead.sections.map(shown)}
        <Query />
        <Findings findings={report.findings} />
        <Provenance report={report} />
      </main>
    </div>
    </TimelineId.Provider>
  );
}
