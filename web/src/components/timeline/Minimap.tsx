import { useLayoutEffect, useRef } from "preact/hooks";
import { compositionOf, drawComposition } from "../../timeline/minimap";
import { wordsOf } from "../../timeline/words";
import type { Scene } from "../../timeline/scene";
import { format } from "../../common/format";

const HEIGHT = 40;

interface Props {
  scene: Scene;
  version: number;
}

/** The whole run, with the part that is seen marked; a click or a drag moves it there. */
export function Minimap({ scene, version }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const run = scene.timeline.runs[0];
  const span = Math.max(scene.timeline.span, 1);
  const composition = run ? compositionOf(scene.store, run) : undefined;
  useLayoutEffect(() => {
    const element = canvas.current;
    const context = element?.getContext("2d");
    if (!element || !context || !composition) return;
    const width = element.clientWidth;
    const scale = Math.min(devicePixelRatio || 1, 2);
    element.width = width * scale;
    element.height = HEIGHT * scale;
    context.scale(scale, scale);
    drawComposition(context, composition, span, scene.gutter, width, HEIGHT, scene.palette);
  }, [Boolean(composition), scene.palette, canvas.current?.clientWidth, version === 1]);
  const go = (event: PointerEvent) => {
    if (event.buttons !== 1) return;
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const middle = ((event.clientX - box.left - scene.gutter) / (box.width - scene.gutter)) * span;
    const half = (scene.view.to - scene.view.from) / 2;
    scene.look({ ...scene.view, from: middle - half, to: middle + half });
  };
  const at = (tick: number) => `calc(${scene.gutter}px + (100% - ${scene.gutter}px) * ${tick / span})`;
  const { busy } = wordsOf(scene.timeline);
  const of = scene.timeline.rows ? "all streams: share of busy time" : `all ranks: share of ${busy}`;
  return (
    <div class="minimap" onPointerDown={go} onPointerMove={go} title={`Whole run, ${of} and of waiting`}>
      <canvas
        ref={canvas}
        role="img"
        aria-label={`Shares of ${scene.timeline.rows ? "busy time" : busy} and of waiting over the run of ${format(span * scene.timeline.tick_ns, "ns")}`}
      />
      <span
        class="window"
        style={{ left: at(scene.view.from), right: `calc(100% - ${at(scene.view.to)})` }}
      />
    </div>
  );
}
