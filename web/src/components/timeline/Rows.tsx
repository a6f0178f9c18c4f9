import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { chunkAt, here } from "../../timeline/calls";
import type { Run } from "../../common/timeline";
import { AXIS } from "../../timeline/overlay";
import type { Scene } from "../../timeline/scene";
import { instant } from "../../common/format";
import { callerName, callName, rowName, shortName } from "../../timeline/words";
import { listen, type Mark } from "./gestures";

interface Props {
  scene: Scene;
  run: Run;
  height: number;
  named: boolean;
}

interface Hover {
  tick: number;
  rank: number;
  x: number;
  y: number;
}

function part(scene: Scene, tick: number): string {
  const { from, to } = scene.view;
  return `calc(${scene.gutter}px + (100% - ${scene.gutter}px) * ${(tick - from) / (to - from)})`;
}

/** Where the rows of a rectangle are. */
function rowsOf({ view }: Scene, { top, bottom }: Mark): { top: string; bottom: string } {
  const down = (row: number) => (row - view.top) / (view.bottom - view.top);
  return { top: `calc(${AXIS}px + (100% - ${AXIS}px) * ${down(top)})`, bottom: `calc((100% - ${AXIS}px) * ${1 - down(bottom)})` };
}

/** The name of the call there, where calls are drawn; of a kernel also what launched it. */
function underMouse(scene: Scene, run: Run, { tick, rank }: Hover): string {
  const ref = scene.exact ? chunkAt(run, tick) : undefined;
  const chunk = ref && scene.store.chunk(run, ref);
  const found = chunk && rank >= 0 && here(run, chunk, rank, tick, 0).call;
  if (!found) return "";
  const { timeline } = scene;
  const caller = callerName(timeline, found.region).split("/").map(shortName).join("/");
  return `${shortName(callName(timeline, found.operation, found.region))}${caller && ` in ${caller}`} · `;
}

/** The rows of one run: the picture, what lies above it, and what the mouse does. */
export function Rows({ scene, run, height, named }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const [mark, setMark] = useState<Mark | null>(null);
  const [hover, setHover] = useState<Hover | null>(null);
  useLayoutEffect(() => (host.current ? scene.attach(run, host.current) : undefined), [scene, run]);
  useLayoutEffect(
    () => (host.current ? listen(scene, run, host.current, { onMark: setMark, onHover: setHover }) : undefined),
    [scene, run],
  );
  const { tick_ns } = scene.timeline;
  const inside = hover && hover.x > scene.gutter && hover.y > AXIS && hover.rank >= 0 && hover.rank < scene.timeline.ranks;
  return (
    <div class="run">
      {named && <p class="run-name">{run.name}</p>}
      <div class="rows-host" ref={host} style={{ height: `${height}px` }}>
        {mark && (
          <span
            class="mark"
            style={{ left: part(scene, mark.from), right: `calc(100% - ${part(scene, mark.to)})`, ...rowsOf(scene, mark) }}
          />
        )}
        {inside && (
          <>
            <span class="hair" style={{ left: `${hover.x}px` }} />
            <span class="hair-label" style={{ left: `${hover.x}px` }}>
              {rowName(scene.timeline, hover.rank)} · {underMouse(scene, run, hover)}
              {instant(hover.tick * tick_ns, (scene.view.to - scene.view.from) * tick_ns)}
            </span>
          </>
        )}
      </div>
    </div>
  );
}
