import type { Report } from "../report";

/** Links to the sections, beside the page where there is room. */
export function Contents({ report }: { report: Report }) {
  const links = report.sections
    .filter((section) => section.title)
    .map(({ id, title }, i) => ({ id, title, top: i === 0 }));
  if (links.length < 2) return <nav class="contents" aria-hidden="true" />;
  return (
    <nav class="contents" aria-label="Contents">
      <ul>
        {links.map(({ id, title, top }) => (
          <li key={id}>
            <a href={top ? "#page" : `#${encodeURIComponent(id)}`}>{title}</a>
          </li>
        ))}
        <li>
          <a href="#findings">
            Findings <span class="muted">{report.findings.length || "none"}</span>
          </a>
        </li>
      </ul>
    </nav>
  );
}
