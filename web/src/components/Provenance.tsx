import type { Json, Report } from "../common/report";

function flatten(json: Json, prefix = ""): [string, string][] {
  if (json === null && prefix === "") return [];
  if (typeof json === "object" && json !== null && !Array.isArray(json)) {
    return Object.entries(json).flatMap(([key, value]) =>
      flatten(value, prefix ? `${prefix}.${key}` : key),
    );
  }
  const text = Array.isArray(json)
    ? json.map((v) => (typeof v === "string" ? v : JSON.stringify(v))).join(", ")
    : String(json);
  return [[prefix, text]];
}

function Pairs({ title, json }: { title: string; json: Json }) {
  const pairs = flatten(json);
  if (pairs.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <dl class="pairs">
        {pairs.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

/** What it takes to make this report again: folded, at the end. */
export function Provenance({ report }: { report: Report }) {
  return (
    <section id="provenance">
      <details>
        <summary>Input, options and version</summary>
        <Pairs title="Input" json={report.input} />
        <Pairs title="Options" json={report.options} />
        <Pairs
          title="Created by"
          json={{ slackline: report.version, command: report.command, schema: report.schema }}
        />
      </details>
    </section>
  );
}
