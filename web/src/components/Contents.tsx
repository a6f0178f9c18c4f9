import type { Section } from "../common/report";

interface Props {
  sections: Section[];
  findings: number;
}

/** Links to the sections, beside the page where there is room. */
export function Contents({ sections, findings }: Props) {
  const links = sections.filter(({ id, title }) => id && title);
  return (
    <nav class="contents" aria-label="Contents">
      <ul>
        <li>
          <a href="#summary-top">Summary</a>
        </li>
        {links.map(({ id, title }) => (
          <li key={id}>
            <a href={`#${encodeURIComponent(id)}`}>{title}</a>
          </li>
        ))}
        <li>
          <a href="#findings">
            Warnings <span class="muted">{findings || "none"}</span>
          </a>
        </li>
      </ul>
    </nav>
  );
}
