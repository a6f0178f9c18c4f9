// Inflates and decodes what is looked at, keeps what was looked at last, and says when something has
// arrived. Whoever draws asks for what it wants, draws what is there, and is called again.

import { readBlob, type BlobRef } from "../common/blob";
import { decodeChunk, decodeMeasure, decodePath, decodeSlice, decodeWaits, emptyFirstRun, noteFirstRun, type ChunkContext, type FirstRun } from "./decode";
import type { ColourBy } from "../common/link";
import { ipcCode, ipcMeasures } from "./measures";
import type { Chunk, ChunkRef, CriticalPath, LongWait, Measure, Run, Slice, SliceRef, Timeline } from "../common/timeline";

/** Decoded calls take about 90 bytes each, decoded cells 4. */
const CALLS_KEPT = 1_500_000;
const CELLS_KEPT = 32_000_000;
const AT_ONCE = 3;

interface Kept<T> {
  value: T;
  weight: number;
}

/** The least recently used go first. */
class Cache<T> {
  private readonly entries = new Map<number, Kept<T>>();
  private total = 0;

  constructor(private readonly limit: number) {}

  get(key: number): T | undefined {
    const kept = this.entries.get(key);
    if (!kept) return undefined;
    this.entries.delete(key);
    this.entries.set(key, kept);
    return kept.value;
  }

  set(key: number, value: T, weight: number): void {
    this.entries.set(key, { value, weight });
    this.total += weight;
    for (const [oldest, kept] of this.entries) {
      if (this.total <= this.limit || oldest === key) break;
      this.entries.delete(oldest);
      this.total -= kept.weight;
    }
  }
}

/** How often each number occurs. */
function count(numbers: Uint8Array, into: number[]): void {
  const counts = new Uint32Array(256);
  for (let i = 0; i < numbers.length; ++i) ++counts[numbers[i]!]!;
  counts.forEach((sum, number) => (into[number] = (into[number] ?? 0) + sum));
}

function note(numbers: Uint8Array | Uint32Array, into: Set<number>): void {
  const flags = new Uint8Array(256);
  for (let i = 0; i < numbers.length; ++i) {
    const number = numbers[i]!;
    if (number > 255) into.add(number);
    else flags[number] = 1;
  }
  flags.forEach((flag, number) => flag && into.add(number));
}

export class Store {
  readonly regions: boolean;
  /** Numbers of what has been read so far: a legend of what is not there would be long. */
  readonly seen: Record<ColourBy, Set<number>> = {
    operation: new Set([0]),
    waiting: new Set(),
    region: new Set([0]),
    ipc: new Set(),
  };
  /** Cells of the coarsest levels in which each number has most of the time. */
  readonly amounts: Record<ColourBy, number[]> = { operation: [], waiting: [], region: [], ipc: [] };
  /** What went wrong while reading, to be shown. */
  failure = "";
  private readonly coarsest: Set<number>;
  private readonly slices = new Cache<Slice>(CELLS_KEPT);
  private readonly chunks = new Cache<Chunk>(CALLS_KEPT);
  private readonly paths = new Map<number, CriticalPath>();
  private readonly waits = new Map<number, LongWait[]>();
  private readonly measures = new Map<number, Float64Array>();
  private ipcCodes: Uint8Array | undefined;
  private readonly running = new Set<number>();
  private readonly failed = new Set<number>();
  private queue: { ref: BlobRef; use: (bytes: Uint8Array) => unknown }[] = [];
  private firstRun: Promise<FirstRun> | null = null;

  constructor(
    readonly timeline: Timeline,
    private readonly changed: () => void,
  ) {
    this.regions = timeline.regions.length > 1;
    const levels = timeline.runs[0]?.levels ?? [];
    this.coarsest = new Set(levels[levels.length - 1]?.blobs.map(({ blob }) => blob));
  }

  /** Forgets what was asked for and not begun: the view has moved on. */
  forgetWishes(): void {
    this.queue = this.queue.filter(({ ref }) => this.running.has(ref.blob));
  }

  slice(ref: SliceRef): Slice | undefined {
    const { ranks } = this.timeline;
    const known = this.slices.get(ref.blob);
    if (!known) {
      this.want(ref, (bytes) => {
        const slice = decodeSlice(bytes, ref, ranks, this.regions);
        this.slices.set(ref.blob, slice, ranks * ref.count);
        note(slice.kind, this.seen.operation);
        note(slice.pattern, this.seen.waiting);
        if (slice.region) note(slice.region, this.seen.region);
        if (this.coarsest.has(ref.blob)) this.countIn(slice);
      });
    }
    return known;
  }

  private countIn({ kind, pattern, region }: Slice): void {
    count(kind, this.amounts.operation);
    count(pattern, this.amounts.waiting);
    if (region) count(region, this.amounts.region);
  }

  chunk(run: Run, ref: ChunkRef): Chunk | undefined {
    const known = this.chunks.get(ref.blob);
    if (!known) this.want(ref, (bytes) => this.keepChunk(run, ref, bytes));
    return known;
  }

  /** For who can wait. */
  async chunkNow(run: Run, ref: ChunkRef): Promise<Chunk> {
    const known = this.chunks.get(ref.blob);
    return known ?? this.keepChunk(run, ref, await readBlob(ref));
  }

  private async keepChunk(run: Run, ref: ChunkRef, bytes: Uint8Array): Promise<Chunk> {
    const first = run === this.timeline.runs[0];
    const chunk = decodeChunk(bytes, ref, this.context, first ? null : await this.readFirstRun());
    this.chunks.set(ref.blob, chunk, chunk.begin.length);
    if (chunk.details) {
      note(chunk.operation, this.seen.operation);
      note(chunk.details.wait, this.seen.waiting);
      note(chunk.details.regionPath, this.seen.region);
    }
    return chunk;
  }

  private get context(): ChunkContext {
    const { ranks, regions, classes, functions = false, ipc = false, pauses = false, threads = false } = this.timeline;
    return { ranks, regions: regions.length, classes, functions, ipc, pauses, threads };
  }

  /** Once: the chunks of the other runs refer to all of them. */
  private readFirstRun(): Promise<FirstRun> {
    const read = async () => {
      const all = emptyFirstRun(this.timeline.ranks);
      for (const ref of this.timeline.runs[0]?.chunks ?? []) {
        noteFirstRun(all, this.chunks.get(ref.blob) ?? decodeChunk(await readBlob(ref), ref, this.context, null));
      }
      return all;
    };
    return (this.firstRun ??= read());
  }

  path({ path }: Run): CriticalPath | undefined {
    if (!path) return undefined;
    const known = this.paths.get(path.blob);
    if (!known) this.want(path, (bytes) => this.paths.set(path.blob, decodePath(bytes, path.count)));
    return known;
  }

  /** For who can wait; null: the run has none. */
  async pathNow({ path }: Run): Promise<CriticalPath | null> {
    if (!path) return null;
    const known = this.paths.get(path.blob) ?? decodePath(await readBlob(path), path.count);
    this.paths.set(path.blob, known);
    return known;
  }

  longWaits({ waits }: Run): LongWait[] | undefined {
    if (!waits) return undefined;
    const known = this.waits.get(waits.blob);
    if (!known) {
      this.want(waits, (bytes) => this.waits.set(waits.blob, decodeWaits(bytes, waits.count)));
    }
    return known;
  }

  /** Row by row. */
  measure(measure: Measure): Float64Array | undefined {
    const known = this.measures.get(measure.blob);
    if (!known) this.want(measure, (bytes) => this.measures.set(measure.blob, decodeMeasure(bytes, this.timeline.ranks * measure.windows)));
    return known;
  }

  /** Codes of the instructions per cycle by rank and window. */
  ipcByWindow(): { codes: Uint8Array; windows: Measure } | undefined {
    const [instructions, cycles] = ipcMeasures(this.timeline);
    if (!instructions || !cycles) return undefined;
    const [gained, took] = [this.measure(instructions), this.measure(cycles)];
    if (!gained || !took) return undefined;
    this.ipcCodes ??= Uint8Array.from(gained, (sum, i) => ipcCode(sum, took[i]!));
    return { codes: this.ipcCodes, windows: cycles };
  }

  /** Whether something that was asked for is still to come. */
  get busy(): boolean {
    return this.running.size > 0 || this.queue.length > 0;
  }

  private want(ref: BlobRef, use: (bytes: Uint8Array) => unknown): void {
    if (this.failed.has(ref.blob)) return;
    if (this.running.has(ref.blob) || this.queue.some((wish) => wish.ref.blob === ref.blob)) return;
    this.queue.push({ ref, use });
    this.work();
  }

  private work(): void {
    while (this.running.size < AT_ONCE) {
      const wish = this.queue.shift();
      if (!wish) return;
      this.running.add(wish.ref.blob);
      readBlob(wish.ref)
        .then(wish.use)
        .then(
          () => {},
          (error: unknown) => {
            this.failed.add(wish.ref.blob); // asking again would fail again
            this.failure = error instanceof Error ? error.message : String(error);
          },
        )
        .finally(() => {
          this.running.delete(wish.ref.blob);
          this.changed();
          this.work();
        });
    }
  }
}
