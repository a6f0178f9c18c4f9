// The time line as a thing that is looked at: its view, what is chosen, and the drawing of the runs'
// rows. It knows canvases, not components; those listen to `changed`.

import type { Theme } from "../common/theme";
import { chunkAt, findCall, here, type Call, type Here } from "./calls";
import { rankText, type Bookmark, type CallId, type ColourBy } from "../common/link";
import { groupsBy, Rows, type RankGroup } from "./groups";
import { mainPart, type MainPart } from "./main_part";
import { NOBODY, type Run, type Timeline } from "../common/timeline";
import { AXIS, gutterOf } from "./overlay";
import { paletteOf, type Highlight, type Palette } from "./palette";
import { Pane } from "./pane";
import { companyOf, selectionOfBucket, type Selection } from "./selection";
import type { Extent } from "./statistics";
import { Store } from "./store";
import { clamped, whole, type Bounds, type View } from "./view";

const MOST_ROWS = 2048;
const QUICK_MS = 30;
const SHORTEST_NS = 200;
/** A tick is never wider than a pixel, but for times that are exact. */
const MOST_PIXELS = 2048;

export class Scene {
  readonly store: Store;
  readonly bounds: Bounds;
  readonly gutter: number;
  view: View;
  colourBy: ColourBy = "operation";
  lit: Highlight | null = null;
  /** Two ranks that were asked for by a matrix' cell. */
  only: [number, number] | null = null;
  showPath = true;
  showMessages = true;
  selection: Selection | null = null;
  /** Whether the statistics of the view are shown, and of which calls. */
  statistics = false;
  /** Ranks that have rows, ascending; null: all. */
  chosen: number[] | null = null;
  /** Ranks or groups of them. */
  rows: Rows;
  groups: RankGroup[] | null = null;
  groupedBy = "";
  expanded: ReadonlySet<string> = new Set();
  filter = "";
  bookmarks: Bookmark[] = [];
  palette: Palette;
  /** Frames drawn: for whoever measures. */
  frames = 0;
  private panes: Pane[] = [];
  private pending = 0;
  private drawingTook = 0;
  private arrived = 0;
  /** Scenes that show the same stretch of time, the one that others follow first. */
  private peers: Scene[] = [this];

  constructor(
    readonly timeline: Timeline,
    private theme: Theme,
    /** `what`: the view alone, or also what is said about it. */
    private readonly changed: (what: "view" | "all") => void,
  ) {
    this.store = new Store(timeline, () => this.dataArrived());
    const wanted = timeline.tick_ns > 1 ? MOST_PIXELS : SHORTEST_NS;
    const shortest = Math.min(wanted, Math.max(timeline.span, 1));
    this.bounds = { span: timeline.span, ranks: timeline.ranks, shortest };
    this.gutter = gutterOf(timeline);
    this.rows = new Rows(timeline.ranks);
    this.view = whole(this.bounds);
    this.palette = paletteOf(timeline, theme, this.store.amounts);
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    this.palette = paletteOf(this.timeline, theme, this.store.amounts);
    this.allStale();
  }

  /**
   * At once, since printing waits for no frame. The upper canvases begin anew instead of being cleared:
   * Chromium prints what was done to a canvas, and on paper clearing is painting white.
   */
  drawNow(): void {
    for (const pane of this.panes) pane.forget();
    this.draw(true);
  }

  get rendererName(): string {
    return this.panes[0]?.rendererName ?? "";
  }

  /** Whether single calls are drawn now. */
  get exact(): boolean {
    return this.panes[0]?.exact ?? false;
  }

  get rasters(): number {
    return this.panes.reduce((sum, { rasters }) => sum + rasters, 0);
  }

  /** Every how many ranks a row stands for. */
  get stride(): number {
    return Math.max(1, Math.ceil((this.view.bottom - this.view.top) / MOST_ROWS));
  }

  attach(run: Run, host: HTMLElement): () => void {
    const pane = new Pane(this, run, host);
    this.panes.push(pane);
    const observer = new ResizeObserver(() => {
      pane.stale = true;
      this.redraw();
    });
    observer.observe(host);
    return () => {
      observer.disconnect();
      pane.remove();
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
  private lookLike({ timeline, view, colourBy, lit, only, chosen, showPath, showMessages }: Scene): void {
    const ratio = timeline.tick_ns / this.timeline.tick_ns;
    const alike = timeline.ranks === this.timeline.ranks;
    const { top, bottom } = alike ? view : this.view;
    this.view = clamped({ from: view.from * ratio, to: view.to * ratio, top, bottom }, this.bounds);
    if (colourBy !== this.colourBy || lit !== this.lit) this.allStale();
    if (alike && chosen !== this.chosen) {
      this.chosen = chosen;
      this.rows = new Rows(this.timeline.ranks, chosen);
      this.bounds.ranks = this.rows.count;
      this.allStale();
    }
    Object.assign(this, { colourBy, lit, showPath, showMessages, only: alike ? only : null });
  }

  /**
   * Looks at the part between MPI_Init and MPI_Finalize where these take long. What to say of it, or nothing. Reading takes a
   * while: whoever looks elsewhere meanwhile stays there.
   */
  async lookAtMainPart(): Promise<string> {
    const { from, to } = this.view;
    const part = await this.mainPart();
    if (!part.said) return "";
    for (const peer of this.peers.filter((other) => other !== this)) {
      const other = await peer.mainPart();
      const ratio = peer.timeline.tick_ns / this.timeline.tick_ns;
      Object.assign(part, { from: Math.min(part.from, other.from * ratio), to: Math.max(part.to, other.to * ratio) });
    }
    if (this.view.from !== from || this.view.to !== to) return "";
    this.look({ ...this.view, from: part.from, to: part.to });
    return part.said;
  }

  private async mainPart(): Promise<MainPart> {
    const { runs, span } = this.timeline;
    const chunks = runs[0]?.chunks ?? [];
    const [first, last] = [chunks[0], chunks[chunks.length - 1]];
    if (!runs[0] || !first || !last) return { from: 0, to: span, said: "" };
    const [head, tail] = [await this.store.chunkNow(runs[0], first), await this.store.chunkNow(runs[0], last)];
    return mainPart(this.timeline, head, tail);
  }

  showAll(): void {
    this.only = null;
    this.chosen = null;
    this.regroup();
    this.allStale();
    this.look(whole(this.bounds));
  }

  /** What is drawn is right no longer, only its place is. */
  repaint(): void {
    this.allStale();
    this.redraw();
  }

  private allStale(): void {
    for (const pane of this.panes) pane.stale = true;
  }

  redraw(): void {
    if (this.pending) return;
    this.pending = requestAnimationFrame(() => {
      this.pending = 0;
      this.draw();
    });
  }

  /** What is said of the picture is so no longer. */
  tell(): void {
    queueMicrotask(() => this.changed("view"));
  }

  private draw(whole = false): void {
    const begin = performance.now();
    for (const pane of this.panes) pane.draw(whole);
    this.drawingTook = performance.now() - begin;
    ++this.frames;
  }

  /** Where drawing takes long, what arrives meanwhile is drawn together. */
  private dataArrived(): void {
    if (this.arrived) return;
    const draw = () => {
      this.arrived = 0;
      this.setTheme(this.theme); // colours go to what there is most of
      if (this.groupedBy && !this.groups) this.regroup();
      this.repaint();
      this.changed("all");
    };
    if (this.drawingTook < QUICK_MS) draw();
    else this.arrived = window.setTimeout(draw, 2 * this.drawingTook);
  }

  /** The instant and the rank under a point of a pane, in CSS pixels. */
  at(host: HTMLElement, x: number, y: number): { tick: number; rank: number } {
    const { from, to } = this.view;
    const across = (x - this.gutter) / Math.max(1, host.clientWidth - this.gutter);
    return { tick: from + across * (to - from), rank: this.rows.rankAt(Math.floor(this.rowAt(host, y))) };
  }

  /** With a fraction, as in a View. */
  rowAt(host: HTMLElement, y: number): number {
    const { top, bottom } = this.view;
    return top + ((y - AXIS) / Math.max(1, host.clientHeight - AXIS)) * (bottom - top);
  }

  async selectAt(run: Run, tick: number, rank: number, slack: number): Promise<void> {
    if (!(rank >= 0 && rank < this.timeline.ranks)) return;
    const ref = chunkAt(run, tick);
    if (!ref) return this.select(selectionOfBucket(this.store, run, rank, tick));
    const found = here(run, await this.store.chunkNow(run, ref), rank, tick, slack);
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
    this.select({ run, rank, here: found, arrows: [], together: [] });
    const told = found.call && (await this.inFirstRun(run, found.call));
    if (!told || !found.call) return;
    const { begin, end } = found.call;
    const call = told === found.call ? told : { ...told, begin, end, wait: 0, waitLength: 0, cause: NOBODY };
    const known = { ...found, call, region: call.region };
    const company = await companyOf(this.store, this.timeline, run, call, told);
    if (this.selection?.here === found) this.select({ run, rank, here: known, ...company });
  }

  /** The same call in the first run, whose chunks describe the calls of all runs. */
  private async inFirstRun(run: Run, call: Call): Promise<Call | null> {
    const first = this.timeline.runs[0];
    return !first || run === first ? call : findCall(this.store, first, call);
  }

  private select(selection: Selection | null): void {
    this.selection = selection;
    this.redraw();
    this.changed("all");
  }

  /** What statistics and trees are of: the time and the ranks in view. */
  get extent(): Extent {
    const { from, to, top, bottom } = this.view;
    return { from, to, ranks: this.rows.ranksIn(top, bottom) };
  }

  /** The first and the last rank in view. */
  get ranksShown(): [number, number] {
    const { view, rows } = this;
    return [rows.rankAt(Math.floor(view.top)), rows.rankAt(Math.min(Math.ceil(view.bottom), rows.count) - 1)];
  }

  /** The rows of ranks from first to last; all where neither is shown. */
  rowsBetween(first: number, last: number): Pick<View, "top" | "bottom"> {
    const places = [this.rows.rowOf(first), this.rows.rowOf(last)].filter((row) => row >= 0);
    if (places.length === 0) return { top: 0, bottom: this.rows.count };
    return { top: Math.min(...places), bottom: Math.max(...places) + 1 };
  }

  /** Rows of these ranks alone; null: of all. */
  choose(ranks: number[] | null): void {
    const chosen = ranks && ranks.length > 0 && ranks.length < this.timeline.ranks ? ranks : null;
    if (rankText(chosen ?? []) === rankText(this.chosen ?? [])) return;
    this.chosen = chosen;
    this.regroup();
  }

  /** "": not at all. */
  groupBy(by: string): void {
    this.groupedBy = by;
    this.expanded = new Set();
    this.regroup();
  }

  toggleGroup(name: string): void {
    const names = [...this.expanded];
    this.expand(this.expanded.has(name) ? names.filter((other) => other !== name) : [...names, name]);
  }

  expand(names: string[]): void {
    this.expanded = new Set(names);
    this.regroup();
  }

  /** All rows are in sight then. */
  private regroup(): void {
    const run = this.timeline.runs[0];
    this.groups = run && this.groupedBy ? groupsBy(this.store, run, this.groupedBy, this.chosen) : null;
    this.rows = new Rows(this.timeline.ranks, this.chosen, this.groups, this.expanded);
    this.bounds.ranks = this.rows.count;
    this.allStale();
    this.look({ ...this.view, top: 0, bottom: this.rows.count });
    this.changed("all");
  }

  setFilter(filter: string): void {
    this.filter = filter;
    this.changed("all");
  }

  showStatistics(shown: boolean): void {
    this.statistics = shown;
    this.changed("all");
  }

  setBookmarks(bookmarks: Bookmark[]): void {
    this.bookmarks = bookmarks;
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
    const row = this.rows.rowOf(rank);
    if (row < 0) return this.look(view); // not among those that were chosen
    if (row < top || row + 1 > bottom) {
      const rows = bottom - top;
      view = { ...view, top: row + 0.5 - rows / 2, bottom: row + 0.5 + rows / 2 };
    }
    this.look(view);
  }
}
