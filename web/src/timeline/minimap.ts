// The whole run at a glance: of all ranks together the shares of time that are MPI and waiting, from the
// coarsest level. Of a training run those of the streams, whose waiting its threads do not see.

import type { Run } from "../common/timeline";
import { css, mix, type Palette } from "./palette";
import type { Store } from "./store";

export interface Composition {
  width: number;
  mpi: Float32Array;
  waiting: Float32Array;
}

/** undefined: not read yet. */
export function compositionOf(store: Store, run: Run): Composition | undefined {
  const level = run.levels[run.levels.length - 1];
  if (!level) return undefined;
  const { ranks, rows } = store.timeline;
  const counted = Array.from({ length: ranks }, (_, row) => row).filter((row) => rows?.[row]?.stream ?? true);
  const mpi = new Float32Array(level.buckets);
  const waiting = new Float32Array(level.buckets);
  for (const ref of level.blobs) {
    const slice = store.slice(ref);
    if (!slice) return undefined;
    for (let i = 0; i < slice.count; ++i) {
      let both = 0;
      let waits = 0;
      for (const rank of counted) {
        const share = slice.share[rank * slice.count + i]!;
        both += share >> 4;
        waits += share & 15;
      }
      mpi[ref.from + i] = both / 15 / Math.max(counted.length, 1);
      waiting[ref.from + i] = waits / 15 / Math.max(counted.length, 1);
    }
  }
  return { width: level.width, mpi, waiting };
}

export function drawComposition(
  c: CanvasRenderingContext2D,
  { width: ticks, mpi, waiting }: Composition,
  span: number,
  left: number,
  width: number,
  height: number,
  palette: Palette,
): void {
  const step = (ticks / Math.max(span, 1)) * (width - left);
  const bar = (values: Float32Array, colour: string) => {
    c.fillStyle = colour;
    values.forEach((value, i) => {
      const high = value * height;
      c.fillRect(left + i * step, height - high, Math.min(step + 0.5, width - left - i * step), high);
    });
  };
  c.fillStyle = css(palette.compute);
  c.fillRect(left, 0, width - left, height);
  bar(mpi, css(mix(palette.mpi, [0, 114, 178], 0.5)));
  bar(waiting, css([213, 94, 0]));
}
