// The time line as a thing that is looked at: its view, what is chosen, and the drawing of the runs'
// rows. It knows canvases, not components; those listen to `changed`.

import type { Theme } from "../theme";
import { annotate } from "./annotations";
import { bucketAt, chunkAt, findCall, here, participants, receiversOf, type Bucket, type Call, type Here } from "./calls";
import type { CallId, ColourBy } from "./link";
import type { Chunk, Run, Timeline } from "./model";
import { AXIS, GUTTER, rowHeight, type Arrow, type Frame } from "./overlay";
import { paletteOf, type Highlight, type Palette } from "./palette";
import { presenterFor, type Presenter } from "./presenter";
import { rasterise, type Raster } from "./raster";
import { Store } from "./store";
import { clamped, whole, type Bounds, type View } from "./view";

export interface Selection {
  run: Run;
  rank: number;
  here: Here;
  /** Messages that it received or sent. */
  arrows: Arrow[];
  /** Of a collective, by their arrival. */
  together: Call[];
  /** Instead of a call, where calls are not inside. */
  bucket?: Bucket;
}

interface Pane {
  run: Run;
  rows: HTMLCanvasElement;
  above: HTMLCanvasElement;
  presenter: Presenter;
  raster: Raster | null;
  stale: boolean;
}

const MARGIN = 1; // screens left and right of the view in a raster
const WIDEST = 8192; // of a texture
const MOST_ROWS = 2048;
const SHORTEST_NS = 200;
const LONG_START = 0.2; // of the run

export class Scene {
  readonly store: Store;
  readonly bounds: Bounds;
  view: View;
  colourBy: ColourBy = "operation";
  lit: Highlight | null = null;
  /** Two ranks that were asked for by a matrix' cell. */
  only: [number, number] | null = null;
  showPath = true;
  showMessages = true;
  selection: Selection | null = null;
  palette: Palette;
  /** Frames drawn, and rasters made: for whoever measures. */
  frames = 0;
  rasters = 0;
  private panes: Pane[] = [];
  private pending = 0;
  /** Scenes that show the same stretch of time, the one that others follow first. */
  private peers: Scene[] = [this];

  constructor(
    readonly timeline: Timeline,
    theme: Theme,
    /** `what`: the view alone, or also what is said about it. */
    private readonly changed: (what: "view" | "all") => void,
  ) {
    this.store = new Store(timeline, () => this.dataArrived());
    const shortest = Math.min(Math.max(1, SHORTEST_NS / timeline.tick_ns), Math.max(timeline.span, 1));
    this.bounds = { span: timeline.span, ranks: timeline.ranks, shortest };
    this.view = whole(this.bounds);
    this.palette = paletteOf(timeline, theme);
  }

  setTheme(theme: Theme): void {
    this.palette = paletteOf(this.timeline, theme);
    for (const pane of this.panes) pane.stale = true;
  }

  /**
   * At once, since printing waits for no frame. The upper canvases begin anew instead of being cleared:
   * Chromium prints what was done to a canvas, and on paper clearing is painting white.
   */
  drawNow(): void {
    for (const { above } of this.panes) above.width = 0;
    this.draw();
  }

  get rendererName(): string {
    return this.panes[0]?.presenter.name ?? "";
  }

  /** Whether single calls are drawn now. */
  get exact(): boolean {
    return this.panes[0]?.raster?.exact ?? false;
  }

  /** Every how many ranks a row stands for. */
  get stride(): number {
    return Math.max(1, Math.ceil((this.view.bottom - this.view.top) / MOST_ROWS));
  }

  attach(run: Run, host: HTMLElement): () => void {
    const rows = document.createElement("canvas");
    const above = document.createElement("canvas");
    rows.className = "rows";
    above.className = "above";
    host.prepend(rows, above);
    const made = presenterFor(rows);
    const pane: Pane = { run, rows: made.canvas, above, presenter: made.presenter, raster: null, stale: true };
    this.panes.push(pane);
    const observer = new ResizeObserver(() => {
      pane.stale = true;
      this.redraw();
    });
    observer.observe(host);
    return () => {
      observer.disconnect();
      pane.presenter.destroy();
      pane.rows.remove();
      above.remove();
      this.panes = this.panes.filter((other) => other !== pane);
    };
  }

  look(view: View): void {
    this.view = clamped(view, this.bounds);
    for (const peer of this.peers) {
      if (peer !== this) peer.lookLike(this);
      peer.redraw();
      peer.changed("view");
    }
  }

  /** From now on this one shows what the other one does, and the other way round. */
  follow(leader: Scene): void {
    this.peers = leader.peers;
    this.peers.push(this);
    this.lookLike(leader);
  }

  /** Ranks only where there are equally many. */
  private lookLike({ timeline, view, colourBy, lit, only, showPath, showMessages }: Scene): void {
    const ratio = timeline.tick_ns / this.timeline.tick_ns;
    const alike = timeline.ranks === this.timeline.ranks;
    const { top, bottom } = alike ? view : this.view;
    this.view = clamped({ from: view.from * ratio, to: view.to * ratio, top, bottom }, this.bounds);
    if (colourBy !== this.colourBy || lit !== this.lit) {
      for (const pane of this.panes) pane.stale = true;
    }
    Object.assign(this, { colourBy, lit, showPath, showMessages, only: alike ? only : null });
  }

  /**
   * Where MPI_Init takes a large part of the run, as it does when ranks start one after the other, begins
   * behind it. What to say of it, or nothing.
   */
  async skipStart(): Promise<string> {
    const run = this.timeline.runs[0];
    const ref = run?.chunks[0];
    if (!run || !ref) return "";
    const end = endOfInit(this.timeline, await this.store.chunkNow(run, ref));
    const rest = run.span - end;
    if (end < LONG_START * run.span || rest <= 0) return "";
    this.look({ ...whole(this.bounds), from: end - 0.02 * rest, to: run.span });
    return "MPI_Init is left of what is seen.";
  }

  showAll(): void {
    this.only = null;
    for (const pane of this.panes) pane.stale = true;
    this.look(whole(this.bounds));
  }

  /** What is drawn is right no longer, only its place is. */
  repaint(): void {
    for (const pane of this.panes) pane.stale = true;
    this.redraw();
  }

  redraw(): void {
    if (this.pending) return;
    this.pending = requestAnimationFrame(() => {
      this.pending = 0;
      this.draw();
    });
  }

  private draw(): void {
    for (const pane of this.panes) this.drawPane(pane);
    ++this.frames;
  }

  private dataArrived(): void {
    this.repaint();
    this.changed("all");
  }

  private drawPane(pane: Pane): void {
    const scale = Math.min(devicePixelRatio || 1, 2);
    const { clientWidth: width, clientHeight: height } = pane.above;
    if (width <= GUTTER || height <= AXIS) return;
    resize(pane.rows, Math.round((width - GUTTER) * scale), Math.round((height - AXIS) * scale));
    const fresh = resize(pane.above, Math.round(width * scale), Math.round(height * scale));
    if (pane.stale || !this.covers(pane.raster, pane.rows.width)) this.makeRaster(pane);
    const frame = this.frameOf(pane, width, height);
    const row = rowHeight(frame);
    pane.presenter.draw(this.view, row >= 4 ? Math.min(0.2, 1.5 / row + 0.04) : 0, this.palette.ground);
    const context = pane.above.getContext("2d");
    if (!context) return;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    if (!fresh) context.clearRect(0, 0, width, height);
    annotate(context, frame, this, pane.run, pane.raster?.exact ?? false);
  }

  private covers(raster: Raster | null, width: number): boolean {
    if (!raster) return false;
    const { from, to, top, bottom } = this.view;
    const perPixel = (to - from) / width;
    const end = raster.from + raster.width * raster.ticksPerPixel;
    const lastRank = raster.firstRank + raster.height * raster.stride;
    return (
      Math.abs(perPixel / raster.ticksPerPixel - 1) < 1e-6 &&
      from >= Math.max(raster.from, 0) - perPixel &&
      to <= Math.min(end, Math.max(this.bounds.span, 1)) + perPixel &&
      top >= raster.firstRank &&
      bottom <= lastRank &&
      raster.stride === this.stride
    );
  }

  private makeRaster(pane: Pane): void {
    const { from, to, top, bottom } = this.view;
    const screen = pane.rows.width;
    const perPixel = (to - from) / screen;
    const width = Math.min(Math.round((1 + 2 * MARGIN) * screen), WIDEST);
    const left = Math.max(Math.floor((width - screen) / 2), 0);
    const { stride } = this;
    const firstRank = Math.floor(top / stride) * stride;
    this.store.forgetWishes();
    pane.raster = rasterise({
      store: this.store,
      run: pane.run,
      palette: this.palette,
      colourBy: this.colourBy,
      lit: this.lit,
      from: from - left * perPixel,
      ticksPerPixel: perPixel,
      width,
      firstRank,
      lastRank: Math.min(Math.ceil(bottom), this.timeline.ranks),
      stride,
      only: this.only && new Set(this.only),
    });
    ++this.rasters;
    pane.stale = false;
    pane.presenter.upload(pane.raster);
  }

  private frameOf(pane: Pane, width: number, height: number): Frame {
    const style = getComputedStyle(pane.above);
    const get = (name: string) => style.getPropertyValue(name).trim();
    return {
      view: this.view,
      width,
      height,
      tickNs: this.timeline.tick_ns,
      text: get("--muted"),
      grid: get("--grid"),
      accent: get("--text"),
      path: get("--path"),
      ground: this.palette.ground,
    };
  }

  /** The instant and the rank under a point of a pane, in CSS pixels. */
  at(host: HTMLElement, x: number, y: number): { tick: number; rank: number } {
    const { from, to, top, bottom } = this.view;
    const across = (x - GUTTER) / Math.max(1, host.clientWidth - GUTTER);
    const down = (y - AXIS) / Math.max(1, host.clientHeight - AXIS);
    return { tick: from + across * (to - from), rank: Math.floor(top + down * (bottom - top)) };
  }

  async selectAt(run: Run, tick: number, rank: number, slack: number): Promise<void> {
    if (!(rank >= 0 && rank < this.timeline.ranks)) return;
    const ref = chunkAt(run, tick);
    if (!ref) {
      const bucket = bucketAt(this.store, run, rank, tick);
      const found = { call: null, begin: bucket.begin, end: bucket.end, region: bucket.region };
      return this.select({ run, rank, here: found, arrows: [], together: [], bucket });
    }
    const found = here(this.store, run, await this.store.chunkNow(run, ref), rank, tick, slack);
    await this.selectHere(run, rank, found);
  }

  /** Also moves the view where it is not in sight. False: there is no such call. */
  async selectCall(run: Run, id: CallId): Promise<boolean> {
    const call = await findCall(this.store, run, id);
    if (!call) return false;
    await this.selectHere(run, id.rank, { call, begin: call.begin, end: call.end, region: call.region });
    this.reveal(call.begin, call.end, id.rank);
    return true;
  }

  async selectHere(run: Run, rank: number, found: Here): Promise<void> {
    const { call } = found;
    this.select({ run, rank, here: found, arrows: [], together: [] });
    if (!call || run !== this.timeline.runs[0]) return;
    const arrows: Arrow[] = [];
    for (const source of call.sources.slice(0, 64)) {
      const sent = await findCall(this.store, run, source);
      if (sent) arrows.push({ from: sent, to: call });
    }
    const kind = this.timeline.classes[call.operation];
    const sends = kind === "send" || (call.peer >= 0 && kind !== "recv" && kind !== "collective");
    for (const to of sends ? await receiversOf(this.store, run, call) : []) arrows.push({ from: call, to });
    const together = await participants(this.store, run, call);
    if (this.selection?.here === found) this.select({ run, rank, here: found, arrows, together });
  }

  private select(selection: Selection | null): void {
    this.selection = selection;
    this.redraw();
    this.changed("all");
  }

  clearSelection(): void {
    this.select(null);
  }

  /** Moves as little as needed; zooms when the thing would be too small or does not fit. */
  reveal(begin: number, end: number, rank: number): void {
    const { from, to, top, bottom } = this.view;
    let view = { ...this.view };
    const length = Math.max(end - begin, 1);
    const tiny = length / (to - from) < 0.004;
    if (tiny || length > to - from) {
      const margin = length * (tiny ? 12 : 0.3);
      view = { ...view, from: begin - margin, to: end + margin };
    } else if (begin < from || end > to) {
      const middle = (begin + end) / 2;
      view = { ...view, from: middle - (to - from) / 2, to: middle + (to - from) / 2 };
    }
    if (rank < top || rank + 1 > bottom) {
      const rows = bottom - top;
      view = { ...view, top: rank + 0.5 - rows / 2, bottom: rank + 0.5 + rows / 2 };
    }
    this.look(view);
  }
}

/** Whether it had another size, and is empty now. */
function resize(canvas: HTMLCanvasElement, width: number, height: number): boolean {
  const other = canvas.width !== width || canvas.height !== height;
  if (other) Object.assign(canvas, { width, height });
  return other;
}

/** When the last rank leaves MPI_Init. */
function endOfInit({ operations, ranks }: Timeline, { start, end, details }: Chunk): number {
  let last = 0;
  for (let rank = 0; rank < ranks; ++rank) {
    const i = start[rank]!;
    const name = i < start[rank + 1]! ? operations[details?.operation[i] ?? 0] : "";
    if (/^MPI_Init(_thread)?$/.test(name ?? "")) last = Math.max(last, end[i]!);
  }
  return last;
}
