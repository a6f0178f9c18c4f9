// One run's rows on the screen: two canvases, the raster that was made for what is seen, and when it must be
// made anew.

import { annotate } from "./annotations";
import type { Run } from "../common/timeline";
import { AXIS, rowHeight, type Frame } from "./overlay";
import { presenterFor, type Presenter } from "./presenter";
import { Rasteriser, type Raster } from "./raster";
import type { Scene } from "./scene";

const MARGIN = 1; // screens left and right of the view in a raster
const WIDEST = 8192; // of a texture
/** Of a frame: a raster that takes longer is made in several, and the one before is stretched meanwhile. */
const SLICE_MS = 6;

export class Pane {
  /** What is drawn is right no longer, only its place is. */
  stale = true;
  /** Rasters made: for whoever measures. */
  rasters = 0;
  private readonly rows: HTMLCanvasElement;
  private readonly above = document.createElement("canvas");
  private readonly presenter: Presenter;
  private raster: Raster | null = null;
  /** The next one, as long as it is not complete. */
  private making: Rasteriser | null = null;

  constructor(
    private readonly scene: Scene,
    readonly run: Run,
    private readonly host: HTMLElement,
  ) {
    const rows = document.createElement("canvas");
    rows.className = "rows";
    this.above.className = "above";
    host.prepend(rows, this.above);
    const made = presenterFor(rows);
    this.rows = made.canvas;
    this.presenter = made.presenter;
  }

  remove(): void {
    this.presenter.destroy();
    this.rows.remove();
    this.above.remove();
  }

  get rendererName(): string {
    return this.presenter.name;
  }

  /** Whether single calls are drawn now. */
  get exact(): boolean {
    return this.raster?.exact ?? false;
  }

  /** The upper canvas begins anew instead of being cleared. */
  forget(): void {
    this.above.width = 0;
  }

  /** `whole`: not in several frames. */
  draw(whole = false): void {
    const { scene, rows, above } = this;
    const scale = Math.min(devicePixelRatio || 1, 2);
    const { clientWidth: width, clientHeight: height } = above;
    const { gutter } = scene;
    if (width <= gutter || height <= AXIS) return;
    resize(rows, Math.round((width - gutter) * scale), Math.round((height - AXIS) * scale));
    const fresh = resize(above, Math.round(width * scale), Math.round(height * scale));
    this.renew(whole);
    const frame = this.frame(width, height);
    const row = rowHeight(frame);
    this.presenter.draw(scene.view, row >= 4 ? Math.min(0.2, 1.5 / row + 0.04) : 0, scene.palette.ground);
    const context = above.getContext("2d");
    if (!context) return;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    if (!fresh) context.clearRect(0, 0, width, height);
    annotate(context, frame, scene, this.run, this.exact);
    this.host.ariaBusy = String(scene.store.busy || this.making !== null);
  }

  private covers(raster: Raster | null): boolean {
    if (!raster) return false;
    const { view, bounds, stride } = this.scene;
    const perPixel = (view.to - view.from) / this.rows.width;
    const end = raster.from + raster.width * raster.ticksPerPixel;
    const lastRank = raster.firstRank + raster.height * raster.stride;
    return (
      Math.abs(perPixel / raster.ticksPerPixel - 1) < 1e-6 &&
      view.from >= Math.max(raster.from, 0) - perPixel &&
      view.to <= Math.min(end, Math.max(bounds.span, 1)) + perPixel &&
      view.top >= raster.firstRank &&
      view.bottom <= lastRank &&
      raster.stride === stride
    );
  }

  private renew(whole: boolean): void {
    if (this.stale || !this.covers(this.making?.raster ?? this.raster)) this.begin();
    if (!this.making) return;
    const deadline = whole || !this.raster ? Infinity : performance.now() + SLICE_MS;
    if (!this.making.draw(deadline)) return this.scene.redraw();
    const { exact } = this;
    this.raster = this.making.raster;
    this.making = null;
    ++this.rasters;
    this.presenter.upload(this.raster);
    if (exact !== this.exact) this.scene.tell();
  }

  private begin(): void {
    const { store, palette, colourBy, lit, only, stride, rows, view } = this.scene;
    const screen = this.rows.width;
    const perPixel = (view.to - view.from) / screen;
    const width = Math.min(Math.round((1 + 2 * MARGIN) * screen), WIDEST);
    const left = Math.max(Math.floor((width - screen) / 2), 0);
    store.forgetWishes();
    this.making = new Rasteriser({
      store,
      run: this.run,
      palette,
      colourBy,
      lit,
      from: view.from - left * perPixel,
      ticksPerPixel: perPixel,
      width,
      firstRank: Math.floor(view.top / stride) * stride,
      lastRank: Math.min(Math.ceil(view.bottom), rows.count),
      rows,
      stride,
      only: only && new Set(only),
    });
    this.stale = false;
  }

  private frame(width: number, height: number): Frame {
    const style = getComputedStyle(this.above);
    const get = (name: string) => style.getPropertyValue(name).trim();
    return {
      view: this.scene.view,
      rows: this.scene.rows,
      gutter: this.scene.gutter,
      width,
      height,
      tickNs: this.scene.timeline.tick_ns,
      text: get("--muted"),
      grid: get("--grid"),
      accent: get("--text"),
      path: get("--path"),
      ground: this.scene.palette.ground,
    };
  }
}

/** Whether it had another size, and is empty now. */
function resize(canvas: HTMLCanvasElement, width: number, height: number): boolean {
  const other = canvas.width !== width || canvas.height !== height;
  if (other) Object.assign(canvas, { width, height });
  return other;
}
