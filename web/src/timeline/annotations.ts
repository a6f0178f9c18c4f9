// What is drawn above a run's rows, chosen by what is in sight: names, messages, path, selection.

import { callAt, type Call } from "./calls";
import type { CallId } from "../common/link";
import type { Chunk, Run } from "../common/timeline";
import {
  drawAxis,
  drawBox,
  drawMessages,
  drawName,
  drawRankNames,
  drawRowNames,
  rowHeight,
  type Arrow,
  type Frame,
} from "./overlay";
import { css } from "./palette";
import { drawPath } from "./path";
import { callsBetween } from "./raster";
import type { Scene } from "./scene";
import { callName, shortName } from "./words";

const MOST_ARROWS = 400;
const NARROWEST_NAME = 42;
const LOWEST_BOXED = 5; // of rows: else boxes would hide them

/** `exact`: single calls are drawn, not buckets. */
export function annotate(c: CanvasRenderingContext2D, frame: Frame, scene: Scene, run: Run, exact: boolean): void {
  drawAxis(c, frame);
  if (scene.timeline.rows) drawRowNames(c, frame, scene.timeline);
  else drawRankNames(c, frame);
  if (exact) {
    const chunks = chunksInSight(scene, run);
    if (scene.showMessages) drawMessages(c, frame, drawn(scene, arrowsInSight(scene, chunks)), frame.text, false);
    drawNames(c, frame, scene, chunks);
  }
  const path = scene.showPath ? scene.store.path(run) : undefined;
  if (path) drawPath(c, frame, path);
  const { selection } = scene;
  if (!selection || selection.run !== run) return;
  const apart = rowHeight(frame) >= LOWEST_BOXED;
  for (const call of apart ? selection.together : []) {
    drawBox(c, frame, call.rank, call.begin, call.end, css([204, 121, 167]));
  }
  drawMessages(c, frame, drawn(scene, selection.arrows), frame.accent, true);
  drawBox(c, frame, selection.rank, selection.here.begin, selection.here.end, frame.accent);
}

/** A message ends when it has been received, a launch when its activity begins. */
function drawn({ timeline }: Scene, arrows: Arrow[]): Arrow[] {
  return timeline.rows ? arrows.map(({ from, to }) => ({ from, to: { ...to, end: to.begin } })) : arrows;
}

function chunksInSight({ store, view }: Scene, run: Run): Chunk[] {
  const refs = run.chunks.filter((ref) => ref.to > view.from && ref.from < view.to);
  return refs.flatMap((ref) => store.chunk(run, ref) ?? []);
}

function ranksInSight({ view, rows }: Scene): number[] {
  const first = Math.floor(view.top);
  const last = Math.min(Math.ceil(view.bottom), rows.count);
  return Array.from({ length: Math.max(last - first, 0) }, (_, i) => rows.rankAt(first + i));
}

/** Black or white, whichever is further from what it stands on. */
function legibleOn({ palette, colourBy }: Scene, operation: number, region: number): string {
  const byRegion = colourBy === "region" && !palette.inRegions ? palette.regions[region] : null;
  const [r, g, b] = (colourBy === "operation" ? palette.operations[operation] : byRegion) ?? palette.mpi;
  return 0.3 * r + 0.59 * g + 0.11 * b < 120 ? "#ffffff" : "#14181c";
}

function drawNames(c: CanvasRenderingContext2D, frame: Frame, scene: Scene, chunks: Chunk[]): void {
  if (rowHeight(frame) < 14) return;
  const { from, to } = scene.view;
  c.font = "11px system-ui, sans-serif";
  c.textAlign = "center";
  c.textBaseline = "middle";
  const shortest = (NARROWEST_NAME * (to - from)) / frame.width;
  for (const chunk of chunks) {
    for (const rank of ranksInSight(scene)) {
      const [first, last] = callsBetween(chunk, rank, from, to);
      for (let i = first; i < last; ++i) {
        if (chunk.end[i]! - chunk.begin[i]! < shortest) continue;
        const { operation, region } = callAt(chunk, rank, i);
        const name = shortName(callName(scene.timeline, operation, region));
        c.fillStyle = legibleOn(scene, operation, region);
        drawName(c, frame, rank, chunk.begin[i]!, chunk.end[i]!, name.replace(/^MPI_/, ""));
      }
    }
  }
}

/** Messages between calls that are both drawn; none where they would be too many to tell apart. */
function arrowsInSight(scene: Scene, chunks: Chunk[]): Arrow[] {
  const find = ({ rank, call }: CallId): Call | null => {
    for (const chunk of chunks) {
      const i = chunk.start[rank]! + call - chunk.first[rank]!;
      if (i >= chunk.start[rank]! && i < chunk.start[rank + 1]!) return callAt(chunk, rank, i);
    }
    return null;
  };
  const arrows: Arrow[] = [];
  for (const chunk of chunks) {
    for (const rank of chunk.details ? ranksInSight(scene) : []) {
      const [first, last] = callsBetween(chunk, rank, scene.view.from, scene.view.to);
      for (let i = first; i < last; ++i) {
        if (chunk.details?.received[i] === chunk.details?.received[i + 1]) continue;
        const received = callAt(chunk, rank, i);
        for (const source of received.sources) {
          const sent = find(source);
          if (sent) arrows.push({ from: sent, to: received });
        }
        if (arrows.length > MOST_ARROWS) return [];
      }
    }
  }
  return arrows;
}
