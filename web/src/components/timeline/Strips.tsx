import { useLayoutEffect, useRef } from "preact/hooks";
import { format } from "../../common/format";
import type { Phase, Strip } from "../../common/timeline";
import type { Scene } from "../../timeline/scene";
import { Hint } from "../parts/Hint";

const HEIGHT = 28;
/** What people read for a phase's kind. */
const KINDS: Record<string, string> = { computing: "computation", imbalance: "load imbalance" };

interface Props {
  scene: Scene;
  strip: Strip;
  version: number;
  /** Of the interval in view, where it is no mean of the values. */
  inView?: number | null;
}

function largest(strip: Strip): number {
  const most = strip.values.reduce<number>((a, v) => Math.max(a, v ?? 0), 0);
  return strip.unit === "ratio" && most <= 1 ? 1 : most || 1;
}

function draw(canvas: HTMLCanvasElement, scene: Scene, strip: Strip): void {
  const c = canvas.getContext("2d");
  if (!c) return;
  const scale = Math.min(devicePixelRatio || 1, 2);
  const { clientWidth: width } = canvas;
  canvas.width = width * scale;
  canvas.height = HEIGHT * scale;
  c.scale(scale, scale);
  const { from, to } = scene.view;
  const top = largest(strip);
  const style = getComputedStyle(canvas);
  const perTick = width / (to - from);
  c.fillStyle = style.getPropertyValue("--line-1");
  c.globalAlpha = 0.28;
  const first = Math.max(0, Math.floor((from - strip.from) / strip.width));
  const last = Math.min(strip.values.length, Math.ceil((to - strip.from) / strip.width));
  c.beginPath();
  const line: [number, number][] = [];
  for (let i = first; i < last; ++i) {
    const value = strip.values[i];
    if (value === null || value === undefined) continue;
    const x1 = (strip.from + i * strip.width - from) * perTick;
    const x2 = x1 + strip.width * perTick;
    const y = HEIGHT - 1 - (HEIGHT - 3) * Math.min(value / top, 1);
    line.push([x1, y], [x2, y]);
    c.fillRect(x1, y, x2 - x1, HEIGHT - y);
  }
  c.globalAlpha = 1;
  c.strokeStyle = style.getPropertyValue("--line-1");
  line.forEach(([x, y], i) => (i === 0 ? c.moveTo(x, y) : c.lineTo(x, y)));
  c.stroke();
}

/** Of what is seen, where no table has a value. */
function mean(scene: Scene, { from, width, values }: Strip): number | null {
  const first = Math.max(0, Math.floor((scene.view.from - from) / width));
  const last = Math.ceil((scene.view.to - from) / width);
  const seen = values.slice(first, last).filter((v): v is number => v !== null);
  return seen.length > 0 ? seen.reduce((sum, v) => sum + v, 0) / seen.length : null;
}

/** The number of a strip and what it is of: as in the tables where these have the interval in view. */
function figure(scene: Scene, strip: Strip): { of: string; value: number | null } {
  const { from, to } = scene.view;
  const [whole, ...phases] = strip.known ?? [];
  if (whole && from <= whole.from && to >= whole.to) return { of: "analysed interval", value: whole.value };
  const near = (to - from) / 1000;
  const phase = phases.find((p) => Math.abs(p.from - from) <= near && Math.abs(p.to - to) <= near);
  return phase ? { of: "phase in view", value: phase.value } : { of: "mean of intervals in view", value: mean(scene, strip) };
}

/** A monitor: one quantity over time, below the rows and on their axis. */
export function StripView({ scene, strip, version, inView }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useLayoutEffect(() => {
    if (canvas.current) draw(canvas.current, scene, strip);
  }, [scene, strip, version, scene.palette, strip.values]);
  const { of, value } = inView === undefined ? figure(scene, strip) : { of: "in view", value: inView };
  return (
    <div class="strip">
      <p class="strip-name">
        <Hint text={strip.explanation}>{strip.name}</Hint>{" "}
        <span class="muted">{of} </span>
        <strong>{format(value, strip.unit)}</strong>
        <span class="muted"> (axis 0 to {format(largest(strip), strip.unit)})</span>
      </p>
      <canvas ref={canvas} style={{ marginLeft: `${scene.gutter}px`, width: `calc(100% - ${scene.gutter}px)` }} aria-hidden="true" />
    </div>
  );
}

function told({ name, kind, phase, explanation }: Phase): string {
  if (kind === "step") return `${name}: ${explanation}`;
  return `${name}, dominant factor: ${KINDS[kind] ?? kind} (intervals with number ${phase + 1} behave similarly): ${explanation}`;
}

/** Stretches of time with a behaviour of their own; each is a button that shows it. */
export function Phases({ scene }: { scene: Scene }) {
  const { phases } = scene.timeline;
  if (phases.length === 0) return null;
  const { from, to } = scene.view;
  const part = (tick: number) => Math.min(Math.max((tick - from) / (to - from), 0), 1);
  return (
    <div class="phases" style={{ marginLeft: `${scene.gutter}px` }} aria-label="Phases" role="group">
      {phases.map((phase, i) => {
        const left = part(phase.from);
        const width = part(phase.to) - left;
        if (width <= 0) return null;
        return (
          <button
            key={i}
            type="button"
            class={`phase kind-${phase.kind.replace(/[^a-z]/g, "")}`}
            style={{ left: `${100 * left}%`, width: `${100 * width}%` }}
            title={told(phase)}
            onClick={() => scene.look({ ...scene.view, from: phase.from, to: phase.to })}
          >
            {KINDS[phase.kind] ?? phase.kind}{" "}
            <span class="muted">{phase.kind === "step" ? phase.phase : phase.phase + 1}</span>
          </button>
        );
      })}
    </div>
  );
}
