import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { chartData, type ChartData, type Panel } from "../chart/data";
import { corners, curvesOf, largestFor, type Curve } from "../chart/curve";
import type { Marks } from "../chart/marks";
import { currentColours, largest, panelOptions, titled } from "../chart/options";
import { zoneClass } from "../chart/zones";
import { axisScale, format } from "../common/format";
import { explain } from "../common/glossary";
import type { Series, Unit } from "../common/report";
import { csv, seriesTable } from "../common/table";
import type { Theme } from "../common/theme";
import { CopyButton } from "./parts/CopyButton";
import { DataTable } from "./parts/DataTable";
import { Hint } from "./parts/Hint";
import { SavePicture } from "./parts/SavePicture";
import { Tolerance } from "./Tolerance";

interface Props {
  series: Series;
  theme: Theme;
  /** The first panel alone, small, as a picture that links to the whole. */
  glance?: boolean;
}

const TALL = 250;
const LOW = 110;
const GLANCE = 150;

function ZoneKey({ series }: { series: Series }) {
  if (series.zones.length === 0) return null;
  return (
    <ul class="zones">
      {series.zones.map((zone, i) => (
        <li key={i}>
          <span class={`swatch ${zoneClass(i)}`} aria-hidden="true" />
          {zone.name}
          <span class="muted">
            {format(zone.from, series.x_unit)} to {format(zone.to, series.x_unit)}
          </span>
        </li>
      ))}
    </ul>
  );
}

interface PanelHeadProps {
  panel: Panel;
  linesBefore: number;
  cursor: number | null;
}

/** A measured run is one point: its value can always be told. */
function theOnly(ys: (number | null)[] | undefined, unit: Unit): string {
  const values = (ys ?? []).filter((y): y is number => y !== null);
  return values.length === 1 ? format(values[0]!, unit) : "";
}

function PanelHead({ panel, linesBefore, cursor }: PanelHeadProps) {
  const unit = axisScale(largest(panel.ys), panel.lines[0]?.unit ?? "none").unit;
  return (
    <p class="panel-head">
      {panel.lines.map((line, i) => (
        <span key={i}>
          <span class={`stroke line-${((linesBefore + i) % 4) + 1}`} aria-hidden="true" />
          <Hint text={explain(line.name)}>{titled(line.name, unit)}</Hint>
          <strong>
            {line.points ? theOnly(panel.ys[i], line.unit) : cursor === null ? "" : format(panel.ys[i]?.[cursor] ?? null, line.unit)}
          </strong>
        </span>
      ))}
    </p>
  );
}

/** Draws every panel into its element; returns the charts, to be destroyed. */
function drawPanels(
  hosts: HTMLElement[],
  data: ChartData,
  series: Series,
  glance: boolean,
  marks: () => Marks,
  onCursor: (index: number | null) => void,
): uPlot[] {
  const colours = currentColours();
  let linesBefore = 0;
  return data.panels.slice(0, hosts.length).map((panel, i) => {
    const host = hosts[i] as HTMLElement;
    const options = panelOptions({
      series,
      panel,
      x: data.x,
      last: i === hosts.length - 1,
      linesBefore,
      width: Math.max(host.clientWidth, 120),
      height: glance ? GLANCE : i === 0 ? TALL : LOW,
      colours,
      onCursor,
      marks,
    });
    linesBefore += panel.lines.length;
    return new uPlot(options, [data.x, ...panel.ys] as uPlot.AlignedData, host);
  });
}

/** The series' own point that is `step` points away from the cursor. */
function stopFrom({ stops }: ChartData, cursor: number | null, step: number): number {
  const reached = stops.filter((stop) => stop <= (cursor ?? -1)).length - 1;
  const between = cursor !== null && stops[reached] !== cursor && step < 0 ? 1 : 0;
  const wanted = Math.min(Math.max(reached + step + between, 0), stops.length - 1);
  return stops[wanted] ?? 0;
}

/** The cursor moves by points with the arrow keys; Escape shows the whole interval again. */
function onKey(
  event: KeyboardEvent,
  charts: uPlot[],
  data: ChartData,
  cursor: number | null,
): void {
  const { x } = data;
  const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, Home: -1e9, End: 1e9 };
  const step = steps[event.key];
  if (event.key === "Escape") {
    const [from, to] = [x[0], x[x.length - 1]];
    if (from !== undefined && to !== undefined) {
      charts.forEach((chart) => chart.setScale("x", { min: from, max: to }));
    }
  }
  if (step === undefined) return;
  event.preventDefault();
  const value = x[stopFrom(data, cursor, step * (event.shiftKey ? 10 : 1))] ?? 0;
  charts.forEach((chart) => chart.setCursor({ left: chart.valToPos(value, "x"), top: 0 }));
}

/** The mark at what was asked for follows the mouse that pressed near it. */
function dragMark(host: HTMLElement, chart: uPlot, asked: () => number | null, ask: (x: number) => void): () => void {
  const NEAR = 8;
  let held = false;
  const place = (event: PointerEvent) => event.clientX - chart.over.getBoundingClientRect().left;
  const near = (event: PointerEvent) => {
    const at = asked();
    return at !== null && Math.abs(place(event) - chart.valToPos(at, "x")) < NEAR;
  };
  const down = (event: MouseEvent) => {
    if (!near(event as PointerEvent)) return;
    held = true;
    event.stopPropagation(); // uPlot would begin to zoom
  };
  const move = (event: PointerEvent) => {
    chart.over.style.cursor = held || near(event) ? "ew-resize" : "";
    if (held) ask(Math.max(0, chart.posToVal(place(event), "x")));
  };
  const up = () => {
    held = false;
  };
  host.addEventListener("mousedown", down, true);
  addEventListener("pointermove", move);
  addEventListener("pointerup", up);
  return () => {
    host.removeEventListener("mousedown", down, true);
    removeEventListener("pointermove", move);
    removeEventListener("pointerup", up);
  };
}

/** What to ask a curve first: 2 % slower, where that is in sight. */
function firstQuestion(curve: Curve | null): number | null {
  if (!curve) return null;
  const last = curve.x[curve.x.length - 1] ?? curve.now;
  return Math.min(largestFor(curve, 0.02) ?? last, last);
}

/** Lines over one axis as stacked panels with a common cursor, and the numbers as a table. */
export function Chart({ series, theme, glance = false }: Props) {
  const data = useMemo(() => chartData(series), [series]);
  const curves = useMemo(() => (glance ? [] : curvesOf(series)), [series, glance]);
  const curve = curves[0] ?? null;
  const critical = useMemo(() => corners(series), [series]);
  const [asked, ask] = useState<number | null>(() => firstQuestion(curve));
  const marks = useRef<Marks>({ now: null, asked: null, corners: [] });
  marks.current = { now: series.now ?? null, asked, corners: critical };
  const [cursor, setCursor] = useState<number | null>(null);
  const [open, setOpen] = useState(false);
  const hosts = useRef<HTMLElement[]>([]);
  const charts = useRef<uPlot[]>([]);
  useLayoutEffect(() => {
    charts.current = drawPanels(hosts.current, data, series, glance, () => marks.current, setCursor);
    const fit = () =>
      charts.current.forEach((chart, i) => {
        const width = hosts.current[i]?.clientWidth ?? 0;
        if (width > 0 && width !== chart.width) chart.setSize({ width, height: chart.height });
      });
    const observer = new ResizeObserver(fit);
    if (hosts.current[0]) observer.observe(hosts.current[0]);
    const undo = charts.current.map((chart, i) =>
      curve ? dragMark(hosts.current[i]!, chart, () => marks.current.asked, ask) : () => {},
    );
    return () => {
      undo.forEach((take) => take());
      observer.disconnect();
      charts.current.forEach((chart) => chart.destroy());
    };
  }, [data, series, theme]);
  useEffect(() => charts.current.forEach((chart) => chart.redraw(false, false)), [asked]);
  const table = useMemo(() => seriesTable(series), [series]);
  if (data.panels.length === 0) return <p class="muted">{series.title}: no data.</p>;
  let linesBefore = 0;
  return (
    <figure class="chart" id={glance ? undefined : series.id}>
      <figcaption>
        <span class="caption">{series.title}</span>
        {glance ? (
          <a class="evidence" href={`#${encodeURIComponent(series.id)}`}>more</a>
        ) : (
          <span class="actions">
            <CopyButton label="Copy as CSV" text={() => csv(table)} />
            <SavePicture of="figure" name={series.id} />
          </span>
        )}
      </figcaption>
      <ZoneKey series={series} />
      <div
        class="panels"
        tabIndex={0}
        role="group"
        aria-label={`${series.title}: arrow keys move the cursor, Escape shows the whole interval`}
        onKeyDown={(event) => onKey(event, charts.current, data, cursor)}
      >
        <p class={glance && cursor === null ? "off-screen" : "cursor-at"} aria-live="polite">
          {cursor === null ? (
            <span class="muted">Point to read, drag to zoom, double-click to reset</span>
          ) : (
            <>
              {series.x_name} <strong>{format(data.x[cursor] ?? null, series.x_unit)}</strong>
            </>
          )}
        </p>
        {data.panels.slice(0, glance ? 1 : undefined).map((panel, i) => {
          const before = linesBefore;
          linesBefore += panel.lines.length;
          return (
            <div key={i}>
              <PanelHead panel={panel} linesBefore={before} cursor={cursor} />
              <div
                ref={(element) => {
                  if (element) hosts.current[i] = element;
                }}
              />
            </div>
          );
        })}
      </div>
      {curve && asked !== null && <Tolerance series={series} curves={curves} asked={asked} ask={ask} />}
      {!glance && curve && critical.length > 0 && (
        <p class="muted evidence">
          Dotted: assumed value. Ticks on the axis: {critical.length} critical values, where the critical path
          changes.
        </p>
      )}
      {!glance && (
        <details onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>Data</summary>
          {open && <DataTable table={table} />}
        </details>
      )}
    </figure>
  );
}
