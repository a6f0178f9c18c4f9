// Mouse and touch over the rows. The wheel alone scrolls the page, as everywhere else.

import type { Run } from "../../common/timeline";
import type { Scene } from "../../timeline/scene";
import { panned, zoomed, zoomedRanks, type View } from "../../timeline/view";

const CLICK = 4; // pixels that a click may move
const THIN = 8; // pixels: a rectangle of less is a line

interface Drag {
  x: number;
  y: number;
  view: View;
  moved: boolean;
  /** Marks a rectangle instead of moving. */
  marks: boolean;
}

/** A rectangle of time and rows. */
export type Mark = View;

export interface Handlers {
  onMark: (mark: Mark | null) => void;
  onHover: (at: { tick: number; rank: number; x: number; y: number } | null) => void;
}

/** Returns what takes the listeners away again. */
export function listen(scene: Scene, run: Run, host: HTMLElement, { onMark, onHover }: Handlers): () => void {
  let drag: Drag | null = null;
  const place = (event: MouseEvent) => {
    const box = host.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const across = () => Math.max(1, host.clientWidth - scene.gutter);

  /** A drag along the rows means all that are in sight, one across them all times in sight. */
  const marked = (from: Drag, x: number, y: number): Mark => {
    const { view } = scene;
    const [a, b] = [from.x, x].sort((p, q) => p - q).map((at) => scene.at(host, at, 0).tick) as [number, number];
    const [high, low] = [from.y, y].sort((p, q) => p - q).map((at) => scene.rowAt(host, at)) as [number, number];
    const time = Math.abs(x - from.x) >= THIN ? { from: Math.max(a, view.from), to: Math.min(b, view.to) } : view;
    const rows = Math.abs(y - from.y) >= THIN ? { top: Math.max(Math.floor(high), 0), bottom: Math.min(Math.ceil(low), scene.rows.count) } : view;
    return { from: time.from, to: time.to, top: rows.top, bottom: Math.max(rows.bottom, rows.top + 1) };
  };

  const down = (event: PointerEvent) => {
    if (event.button !== 0) return;
    host.setPointerCapture(event.pointerId);
    drag = { ...place(event), view: scene.view, moved: false, marks: event.shiftKey };
  };
  const move = (event: PointerEvent) => {
    const { x, y } = place(event);
    if (!drag) return onHover({ ...scene.at(host, x, y), x, y });
    if (Math.hypot(x - drag.x, y - drag.y) > CLICK) drag.moved = true;
    if (!drag.moved) return;
    if (drag.marks) return onMark(marked(drag, x, y));
    const { height } = host.getBoundingClientRect();
    const rows = drag.view.bottom - drag.view.top < scene.bounds.ranks ? (drag.y - y) / height : 0;
    scene.look(panned(drag.view, (drag.x - x) / across(), rows));
  };
  const up = (event: PointerEvent) => {
    const { x, y } = place(event);
    const ended = drag;
    drag = null;
    if (!ended) return;
    if (ended.marks && ended.moved) {
      onMark(null);
      scene.look(marked(ended, x, y));
    } else if (!ended.moved && x > scene.gutter) {
      const { tick, rank } = scene.at(host, x, y);
      const slack = (2.5 * (scene.view.to - scene.view.from)) / across();
      void scene.selectAt(run, tick, rank, slack);
    }
  };
  const leave = () => onHover(null);
  const wheel = (event: WheelEvent) => {
    const { x, y } = place(event);
    const { tick, rank } = scene.at(host, x, y);
    const unit = event.deltaMode === 1 ? 16 : 1;
    if (event.altKey) scene.look(zoomedRanks(scene.view, 1.002 ** (event.deltaY * unit), rank + 0.5));
    else if (event.ctrlKey || event.metaKey) scene.look(zoomed(scene.view, 1.004 ** (event.deltaY * unit), tick));
    else {
      const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
      if (Math.abs(sideways) < Math.abs(event.deltaY) && !event.shiftKey) return;
      scene.look(panned(scene.view, (sideways * unit) / across(), 0));
    }
    event.preventDefault();
  };
  const twice = (event: MouseEvent) => {
    const { x, y } = place(event);
    scene.look(zoomed(scene.view, 0.25, scene.at(host, x, y).tick));
  };
  host.addEventListener("pointerdown", down);
  host.addEventListener("pointermove", move);
  host.addEventListener("pointerup", up);
  host.addEventListener("pointerleave", leave);
  host.addEventListener("dblclick", twice);
  host.addEventListener("wheel", wheel, { passive: false });
  return () => {
    host.removeEventListener("pointerdown", down);
    host.removeEventListener("pointermove", move);
    host.removeEventListener("pointerup", up);
    host.removeEventListener("pointerleave", leave);
    host.removeEventListener("dblclick", twice);
    host.removeEventListener("wheel", wheel);
  };
}
