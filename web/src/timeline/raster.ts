// The rows of a run as a picture with one row of pixels per rank, which is then stretched to the
// screen. It is wider than the screen, so that panning needs no new picture.
//
// Where a pixel is at least about half a bucket wide, it takes the colour of its bucket, in which all
// calls have their share: nothing short vanishes. Where it is narrower, the calls themselves are
// drawn, each as wide as it is: a pixel mixes what lies in it. What has not been read yet is drawn
// from a coarser level. The cost is that of the pixels and the calls in sight, not of the trace.

import type { ColourBy } from "../common/link";
import { OUTSIDE, type Chunk, type Run, type Slice } from "../common/timeline";
import { BucketColours, mix, packed, plainColour, WAITING_PALE, type Highlight, type Palette, type Rgb } from "./palette";
import type { Rows } from "./groups";
import type { Store } from "./store";

export interface RasterRequest {
  store: Store;
  run: Run;
  palette: Palette;
  colourBy: ColourBy;
  lit: Highlight | null;
  from: number;
  ticksPerPixel: number;
  width: number;
  /** Every `stride`-th rank of [firstRank, lastRank). */
  firstRank: number;
  lastRank: number;
  stride: number;
  /** Whose first and last are rows then. */
  rows: Rows;
  /** These ranks stand out, the others are faded; null: all alike. */
  only: Set<number> | null;
}

export interface Raster {
  width: number;
  height: number;
  pixels: Uint32Array;
  from: number;
  ticksPerPixel: number;
  firstRank: number;
  stride: number;
  /** Made of single calls, not of buckets. */
  exact: boolean;
}

/** The finest level whose buckets are not narrower than a pixel; -1: draw calls. */
export function levelFor(run: Run, ticksPerPixel: number): number {
  const finest = run.levels[0];
  if (!finest) return -1;
  if (run.chunks.length > 0 && finest.width > 2 * ticksPerPixel) return -1;
  const index = run.levels.findIndex(({ width }) => width >= 0.75 * ticksPerPixel);
  return index < 0 ? run.levels.length - 1 : index;
}

interface Columns {
  slices: (Slice | null)[];
  bucket: Int32Array;
}

/** For each column the slice to look into: of `level`, or of a coarser one that is there already. */
function columnsOf(request: RasterRequest, level: number): Columns {
  const { store, run, from, ticksPerPixel, width } = request;
  const columns: Columns = { slices: new Array<Slice | null>(width).fill(null), bucket: new Int32Array(width) };
  let missing = true;
  for (let at = level; missing && at < run.levels.length; ++at) {
    const { width: ticks, blobs } = run.levels[at]!;
    missing = false;
    for (const ref of blobs) {
      const begin = Math.max(0, Math.floor((ref.from * ticks - from) / ticksPerPixel - 0.5));
      const end = Math.min(width, Math.ceil(((ref.from + ref.count) * ticks - from) / ticksPerPixel));
      if (end <= begin || !columns.slices.slice(begin, end).includes(null)) continue;
      const slice = store.slice(ref);
      if (!slice) missing = true;
      if (!slice) continue;
      for (let c = begin; c < end; ++c) {
        const bucket = Math.floor((from + (c + 0.5) * ticksPerPixel) / ticks) - ref.from;
        if (columns.slices[c] || bucket < 0 || bucket >= ref.count) continue;
        columns.slices[c] = slice;
        columns.bucket[c] = bucket;
      }
    }
  }
  return columns;
}

/** The code of the window that a column lies in. */
function ipcOfColumns({ store, from, ticksPerPixel }: RasterRequest): (rank: number, column: number) => number {
  const known = store.ipcByWindow();
  if (!known) return () => 0;
  const { codes, windows: of } = known;
  return (rank, column) => {
    const window = Math.floor((from + (column + 0.5) * ticksPerPixel - of.from) / of.width);
    return window >= 0 && window < of.windows ? codes[rank * of.windows + window]! : 0;
  };
}

/** Rows of buckets of one level, and of coarser ones where it has not been read. */
class BucketRows {
  private readonly columns: Columns;
  private readonly colours: BucketColours;
  private readonly empty: number;
  private readonly ipc: ((rank: number, column: number) => number) | null;

  constructor(private readonly request: RasterRequest, level: number) {
    const { palette, colourBy, lit } = request;
    this.columns = columnsOf(request, level);
    this.colours = new BucketColours(palette, colourBy, lit);
    this.empty = packed(palette.ground);
    this.ipc = colourBy === "ipc" ? ipcOfColumns(request) : null;
  }

  draw(pixels: Uint32Array, base: number, rank: number): void {
    const { columns, colours, empty, ipc } = this;
    const { width, colourBy } = this.request;
    for (let c = 0; c < width; ++c) {
      const slice = columns.slices[c];
      if (!slice) {
        pixels[base + c] = empty;
        continue;
      }
      const i = rank * slice.count + columns.bucket[c]!;
      const kind = slice.kind[i]!;
      const number = ipc ? ipc(rank, c) : colourBy === "operation" ? kind : colourBy === "waiting" ? slice.pattern[i]! : (slice.region?.[i] ?? 0);
      pixels[base + c] = kind === OUTSIDE ? empty : colours.pixel(number, slice.share[i]!);
    }
  }
}

/** A row of pixels as sums of colours, each weighed by the part of the pixel that it covers. */
class RowPainter {
  private readonly sums: Float32Array;

  constructor(private readonly width: number) {
    this.sums = new Float32Array(3 * width);
  }

  fill(from: number, to: number, [r, g, b]: Rgb): void {
    const { sums } = this;
    for (let c = Math.max(0, Math.floor(from)); c < Math.min(this.width, Math.ceil(to)); ++c) {
      sums[3 * c] = r;
      sums[3 * c + 1] = g;
      sums[3 * c + 2] = b;
    }
  }

  /** Replaces `under`, in pixels from the row's begin. */
  paint(from: number, to: number, colour: Rgb, under: Rgb): void {
    const begin = Math.max(from, 0);
    const end = Math.min(to, this.width);
    if (!(end > begin)) return;
    const first = Math.floor(begin);
    const last = Math.min(Math.ceil(end), this.width);
    for (let c = first; c < last; ++c) {
      const part = Math.min(end, c + 1) - Math.max(begin, c);
      const { sums } = this;
      for (let k = 0; k < 3; ++k) {
        const at = 3 * c + k;
        // A pixel covered as a whole forgets what was there, errors of rounding included.
        sums[at] = part >= 1 ? colour[k]! : sums[at]! + part * (colour[k]! - under[k]!);
      }
    }
  }

  write(pixels: Uint32Array, base: number, from: number, to: number): void {
    for (let c = Math.max(0, Math.floor(from)); c < Math.min(this.width, Math.ceil(to)); ++c) {
      const byte = (k: number) => Math.max(0, Math.min(255, this.sums[3 * c + k]! | 0));
      pixels[base + c] = ((255 << 24) | (byte(2) << 16) | (byte(1) << 8) | byte(0)) >>> 0;
    }
  }
}

interface Stretch {
  begin: number;
  end: number;
  colour: Rgb;
}

/** Colours of calls, all made before anything is drawn. */
class CallColours {
  /** Where no call is. */
  readonly compute: Rgb;
  private readonly colours: Rgb[];
  private readonly pale: Rgb[];
  private readonly atEnd: boolean[];

  constructor(private readonly request: RasterRequest) {
    const { palette, colourBy, lit, store } = request;
    this.colours = Array.from({ length: 256 }, (_, i) => plainColour(palette, colourBy, i, lit));
    this.pale = this.colours.map((colour) => mix(colour, palette.ground, WAITING_PALE));
    this.compute = colourBy === "waiting" ? palette.compute : this.colours[0]!;
    this.atEnd = store.timeline.patterns.map((pattern) => pattern.endsWith("completion"));
  }

  /** A call as one or two stretches: that in which it waits looks different. */
  of(chunk: Chunk, i: number): Stretch[] {
    const { colourBy, palette } = this.request;
    const begin = chunk.begin[i]!;
    const end = chunk.end[i]!;
    const wait = chunk.details?.wait[i] ?? 0;
    const operation = chunk.operation[i]!;
    const byOperation = this.colours[operation] ?? palette.mpi;
    const inRegions = palette.inRegions ?? palette.mpi;
    const plain = colourBy === "operation" ? byOperation : colourBy === "ipc" ? palette.mpi : colourBy === "waiting" ? this.colours[0]! : inRegions;
    if (!chunk.details || wait === 0 || colourBy === "region" || colourBy === "ipc") return [{ begin, end, colour: plain }];
    const waiting = colourBy === "waiting" ? this.colours[wait]! : this.pale[operation]!;
    const length = Math.min(chunk.details.waitLength[i]!, end - begin);
    const atEnd = this.atEnd[wait] ?? false;
    const border = atEnd ? end - length : begin + length;
    return [
      { begin, end: border, colour: atEnd ? plain : waiting },
      { begin: border, end, colour: atEnd ? waiting : plain },
    ];
  }
}

/** The calls of [first, last) that overlap a time: `begin` ascends but for threads' overlaps. */
export function callsBetween(chunk: Chunk, rank: number, from: number, to: number): [number, number] {
  const first = chunk.start[rank]!;
  const last = chunk.start[rank + 1]!;
  const search = (past: (i: number) => boolean) => {
    let low = first;
    let high = last;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (past(middle)) high = middle;
      else low = middle + 1;
    }
    return low;
  };
  return [search((i) => chunk.end[i]! >= from), search((i) => chunk.begin[i]! > to)];
}

function drawRegions(request: RasterRequest, chunk: Chunk, rank: number, row: RowPainter, compute: Rgb): void {
  const { details } = chunk;
  if (!details) return;
  const { palette, lit, from, ticksPerPixel } = request;
  for (let i = details.regionStart[rank]!; i < details.regionStart[rank + 1]!; ++i) {
    const path = details.regionPath[i]!;
    if (path === 0) continue;
    const end = i + 1 < details.regionStart[rank + 1]! ? details.regionAt[i + 1]! : chunk.to;
    const begin = (details.regionAt[i]! - from) / ticksPerPixel;
    row.paint(begin, (end - from) / ticksPerPixel, plainColour(palette, "region", path, lit), compute);
  }
}

/** Computation between calls by its instructions per cycle. */
function drawBursts({ palette, from, ticksPerPixel, width }: RasterRequest, chunk: Chunk, rank: number, row: RowPainter, compute: Rgb): void {
  const ipc = chunk.details?.ipc;
  if (!ipc) return;
  const [first, last] = callsBetween(chunk, rank, from, from + width * ticksPerPixel);
  const end = Math.min(last + 1, chunk.start[rank + 1]!); // the last burst in sight may end at a call that is not
  for (let i = first; i < end; ++i) {
    const begin = i > chunk.start[rank]! ? chunk.end[i - 1]! : chunk.from;
    row.paint((begin - from) / ticksPerPixel, (chunk.begin[i]! - from) / ticksPerPixel, palette.ipc[ipc[i]!]!, compute);
  }
}

/** Rows of single calls, of the chunks that have been read. */
class CallRows {
  private readonly chunks: Chunk[];
  private readonly colours: CallColours;
  private readonly painter: RowPainter;

  constructor(private readonly request: RasterRequest) {
    const { store, run, from, ticksPerPixel, width } = request;
    const refs = run.chunks.filter((ref) => ref.to >= from && ref.from <= from + width * ticksPerPixel);
    this.chunks = refs.flatMap((ref) => store.chunk(run, ref) ?? []);
    this.colours = new CallColours(request);
    this.painter = new RowPainter(width);
  }

  draw(pixels: Uint32Array, base: number, rank: number): void {
    for (const chunk of this.chunks) this.drawChunk(pixels, base, rank, chunk);
  }

  private drawChunk(pixels: Uint32Array, base: number, rank: number, chunk: Chunk): void {
    const { colours, painter, request } = this;
    const { run, from, ticksPerPixel, width, palette, colourBy } = request;
    const place = (tick: number) => (tick - from) / ticksPerPixel;
    painter.fill(place(chunk.from), place(chunk.to), colours.compute);
    if (colourBy === "region") drawRegions(request, chunk, rank, painter, colours.compute);
    if (colourBy === "ipc") drawBursts(request, chunk, rank, painter, colours.compute);
    const [first, last] = callsBetween(chunk, rank, from, from + width * ticksPerPixel);
    const coloured = colourBy !== "region" || palette.inRegions;
    for (let i = first; coloured && i < last; ++i) {
      for (const { begin, end, colour } of colours.of(chunk, i)) {
        painter.paint(place(begin), place(end), colour, colours.compute);
      }
    }
    painter.paint(0, place(run.begins[rank] ?? 0), palette.ground, colours.compute);
    painter.paint(place(run.ends[rank] ?? run.span), width, palette.ground, colours.compute);
    painter.write(pixels, base, place(chunk.from), place(chunk.to));
  }
}

/** Makes a raster row by row, so that many of them need not take one frame. */
export class Rasteriser {
  readonly raster: Raster;
  private next = 0;
  private readonly buckets: BucketRows | null;
  private readonly calls: CallRows | null;

  constructor(private readonly request: RasterRequest) {
    const { run, from, ticksPerPixel, width, firstRank, lastRank, stride } = request;
    const height = Math.max(1, Math.ceil((lastRank - firstRank) / stride));
    const level = levelFor(run, ticksPerPixel);
    this.raster = { width, height, pixels: new Uint32Array(width * height), from, ticksPerPixel, firstRank, stride, exact: level < 0 };
    this.buckets = run.levels.length > 0 ? new BucketRows(request, Math.max(level, 0)) : null;
    this.calls = level < 0 ? new CallRows(request) : null;
  }

  /** Until all rows are drawn, or the time of performance.now(). Whether they are. */
  draw(deadline: number): boolean {
    const { height } = this.raster;
    while (this.next < height) {
      this.drawRow(this.next++);
      if (this.next < height && performance.now() > deadline) return false;
    }
    return true;
  }

  private drawRow(row: number): void {
    const { pixels, width, firstRank, stride } = this.raster;
    const rank = this.request.rows.rankAt(firstRank + row * stride);
    this.buckets?.draw(pixels, row * width, rank);
    this.calls?.draw(pixels, row * width, rank);
    clipToLife(this.request, pixels, row * width, rank);
    if (this.request.only && !this.request.only.has(rank)) fade(this.request, pixels, row * width);
  }
}

/** A bucket may reach beyond the rank's life; what is seen does not. */
function clipToLife({ run, palette, from, ticksPerPixel, width }: RasterRequest, pixels: Uint32Array, base: number, rank: number): void {
  const empty = packed(palette.ground);
  const column = (tick: number) => Math.min(Math.max((tick - from) / ticksPerPixel, 0), width);
  pixels.fill(empty, base, base + Math.floor(column(run.begins[rank] ?? 0)));
  pixels.fill(empty, base + Math.ceil(column(run.ends[rank] ?? run.span)), base + width);
}

/** Three quarters of the way to the ground. */
function fade({ palette, width }: RasterRequest, pixels: Uint32Array, base: number): void {
  const ground = packed(palette.ground) & 0xfcfcfc;
  for (let at = base; at < base + width; ++at) {
    const pixel = pixels[at]! & 0xfcfcfc;
    pixels[at] = (0xff000000 | ((pixel >>> 2) + 3 * (ground >>> 2))) >>> 0;
  }
}
