import { useMemo, useState } from "preact/hooks";
import { format } from "../common/format";
import type { Link, LinkMap } from "../common/report";
import { Network } from "./Network";
import { SavePicture } from "./parts/SavePicture";

type By = "peak" | "mean" | "delay";
const NAMES: Record<By, string> = { peak: "Peak utilisation", mean: "Mean utilisation", delay: "Contention delay" };

/** Every link as a cell of its group, the darker the more of it is used; the fullest of each group has its name written out. */
export function Links({ map }: { map: LinkMap }) {
  const [by, show] = useState<By>("peak");
  const valueOf = ({ mean, peak, lost_ns }: Link) => (by === "peak" ? peak : by === "mean" ? mean : lost_ns);
  const text = (link: Link) => format(valueOf(link), by === "delay" ? "ns" : "ratio");
  const largest = map.groups.reduce((most, { links }) => links.reduce((a, link) => Math.max(a, valueOf(link)), most), 0);
  // A link is full at 1, whatever the others are.
  const whole = by === "delay" ? largest : 1;
  const used = (link: Link) => (whole > 0 ? Math.min(1, valueOf(link) / whole) : 0);
  const all = useMemo(() => map.groups.flatMap(({ links }) => links), [map]);
  const told = ({ name, mean, peak, lost_ns }: Link) =>
    `${name}: peak ${format(peak, "ratio")}, mean ${format(mean, "ratio")}, contention delay ${format(lost_ns, "ns")}`;
  return (
    <figure class="links" id={map.id}>
      <figcaption>
        {map.title} <SavePicture of="figure" name={map.id} />
      </figcaption>
      <fieldset class="choice">
        <legend>Colours</legend>
        {(Object.keys(NAMES) as By[]).map((name) => (
          <button key={name} type="button" aria-pressed={by === name} onClick={() => show(name)}>{NAMES[name]}</button>
        ))}
      </fieldset>
      <p class="muted">
        <span class="link-cell" style={{ "--used": 0 }} data-box="" /> 0 <span class="link-cell" style={{ "--used": 1 }} data-box="" /> {by === "delay" ? format(whole, "ns") : "100 %: full"}
      </p>
      {map.drawings.map((drawing) => (
        <Network key={drawing.name} drawing={drawing} links={all} used={used} told={told} complete={map.groups.every(({ left_out }) => left_out === 0)} />
      ))}
      {map.undrawn > 0 && <p class="muted">{map.undrawn.toLocaleString("en-US")} more clusters are not drawn; their links are below.</p>}
      {map.groups.map(({ name, links, left_out, unused }) => {
        const fullest = links.reduce<Link | null>((a, link) => (a && valueOf(a) >= valueOf(link) ? a : link), null);
        return (
          <div key={name} class="link-group" role="group" aria-label={name}>
            <p>
              <strong>{name || "links"}</strong>{" "}
              <span class="muted">
                {[
                  fullest && `largest: ${fullest.name}, ${text(fullest)}`,
                  left_out > 0 && `${left_out.toLocaleString("en-US")} with less not drawn`,
                  unused > 0 && `${unused.toLocaleString("en-US")} not used`,
                ].filter(Boolean).join("; ")}
              </span>
            </p>
            <div class="link-cells">
              {links.map((link) => (
                <span
                  key={link.name}
                  class={`link-cell${link === fullest ? " fullest" : ""}`}
                  data-box=""
                  title={told(link)}
                  role="img"
                  aria-label={told(link)}
                  style={{ "--used": used(link) }}
                />
              ))}
            </div>
          </div>
        );
      })}
    </figure>
  );
}
