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

function drawBuckets(request: RasterRequest, raster: Raster, level: number): void {
  const { palette, colourBy, lit, width } = request;
  const { slices, bucket } = columnsOf(request, level);
  const colours = new BucketColours(palette, colourBy, lit);
  const empty = packed(palette.ground);
  const ipc = colourBy === "ipc" ? ipcOfColumns(request) : null;
  for (let row = 0; row < raster.height; ++row) {
    const rank = request.rows.rankAt(raster.firstRank + row * raster.stride);
    const base = row * width;
    for (let c = 0; c < width; ++c) {
      const slice = slices[c];
      if (!slice) {
        raster.pixels[base + c] = empty;
        continue;
      }
      const i = rank * slice.count + bucket[c]!;
      const kind = slice.kind[i]!;
      const number = ipc ? ipc(rank, c) : colourBy === "operation" ? kind : colourBy === "waiting" ? slice.pattern[i]! : (slice.region?.[i] ?? 0);
      raster.pixels[base + c] = kind === OUTSIDE ? empty : colours.pixel(number, slice.share[i]!);
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

function drawChunk(request: RasterRequest, raster: Raster, chunk: Chunk, colours: CallColours): void {
  const { run, from, ticksPerPixel, width, palette, colourBy } = request;
  const row = new RowPainter(width);
  const place = (tick: number) => (tick - from) / ticksPerPixel;
  const seenTo = from + width * ticksPerPixel;
  for (let y = 0; y < raster.height; ++y) {
    const rank = request.rows.rankAt(raster.firstRank + y * raster.stride);
    row.fill(place(chunk.from), place(chunk.to), colours.compute);
    if (colourBy === "region") drawRegions(request, chunk, rank, row, colours.compute);
    if (colourBy === "ipc") drawBursts(request, chunk, rank, row, colours.compute);
    const [first, last] = callsBetween(chunk, rank, from, seenTo);
    const coloured = colourBy !== "region" || palette.inRegions;
    for (let i = first; coloured && i < last; ++i) {
      for (const { begin, end, colour } of colours.of(chunk, i)) {
        row.paint(place(begin), place(end), colour, colours.compute);
      }
    }
    const begins = place(run.begins[rank] ?? 0);
    const ends = place(run.ends[rank] ?? run.span);
    row.paint(0, begins, palette.ground, colours.compute);
    row.paint(ends, width, palette.ground, colours.compute);
    row.write(raster.pixels, y * width, place(chunk.from), place(chunk.to));
  }
}

/** A bucket may reach beyond the rank's life; what is seen does not. */
function clipToLife(request: RasterRequest, raster: Raster): void {
  const { run, palette, from, ticksPerPixel, width } = request;
  const empty = packed(palette.ground);
  const column = (tick: number) => Math.min(Math.max((tick - from) / ticksPerPixel, 0), width);
  for (let row = 0; row < raster.height; ++row) {
    const rank = request.rows.rankAt(raster.firstRank + row * raster.stride);
    const base = row * width;
    raster.pixels.fill(empty, base, base + Math.floor(column(run.begins[rank] ?? 0)));
    raster.pixels.fill(empty, base + Math.ceil(column(run.ends[rank] ?? run.span)), base + width);
  }
}

/** Three quarters of the way to the ground. */
function fadeOthers({ palette, only, rows }: RasterRequest, raster: Raster): void {
  const ground = packed(palette.ground) & 0xfcfcfc;
  for (let row = 0; only && row < raster.height; ++row) {
    if (only.has(rows.rankAt(raster.firstRank + row * raster.stride))) continue;
    for (let at = row * raster.width; at < (row + 1) * raster.width; ++at) {
      const pixel = raster.pixels[at]! & 0xfcfcfc;
      raster.pixels[at] = (0xff000000 | ((pixel >>> 2) + 3 * (ground >>> 2))) >>> 0;
    }
  }
}

export function rasterise(request: RasterRequest): Raster {
  const { run, from, ticksPerPixel, width, firstRank, lastRank, stride } = request;
  const height = Math.max(1, Math.ceil((lastRank - firstRank) / stride));
  const level = levelFor(run, ticksPerPixel);
  const pixels = new Uint32Array(width * height);
  const raster: Raster = { width, height, pixels, from, ticksPerPixel, firstRank, stride, exact: level < 0 };
  if (run.levels.length > 0) drawBuckets(request, raster, Math.max(level, 0));
  if (level < 0) drawCalls(request, raster);
  clipToLife(request, raster);
  fadeOthers(request, raster);
  return raster;
}

function drawCalls(request: RasterRequest, raster: Raster): void {
  const { store, run, from, ticksPerPixel, width } = request;
  const colours = new CallColours(request);
  for (const ref of run.chunks) {
    if (ref.to < from || ref.from > from + width * ticksPerPixel) continue;
    const chunk = store.chunk(run, ref);
    if (chunk) drawChunk(request, raster, chunk, colours);
  }
}
