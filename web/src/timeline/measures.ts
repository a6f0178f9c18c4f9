// Amounts by rank and window as quantities over time: counters per second of computation, instructions per cycle, time
// without a processor as a share, of any set of ranks.

import type { Unit } from "../common/report";
import type { Measure, Strip, Timeline } from "../common/timeline";
import type { Store } from "./store";

const named = ({ measures = [] }: Timeline, name: string) => measures.find((measure) => measure.name === name);

export const ipcMeasures = (timeline: Timeline) => [named(timeline, "PAPI_TOT_INS"), named(timeline, "PAPI_TOT_CYC")] as const;

const STEPS = 32; // of a code for 1

export const ipcCode = (instructions: number, cycles: number) => (cycles > 0 ? Math.min(255, 1 + Math.round((STEPS * instructions) / cycles)) : 0);
/** null: unknown. */
export const ipcOf = (code: number) => (code > 0 ? (code - 1) / STEPS : null);

/** One amount over another one, or over the time of the ranks. */
export interface Quantity {
  name: string;
  unit: Unit;
  explanation: string;
  over: Measure;
  /** null: the time of the ranks, in ns. */
  per: Measure | null;
  scale: number;
}

export const IPC = "instructions per cycle";

/** What the measures of a time line are shown as. */
export function quantitiesOf(timeline: Timeline): Quantity[] {
  const computation = named(timeline, "computation") ?? null;
  const [instructions, cycles] = ipcMeasures(timeline);
  const all = (timeline.measures ?? []).map((over): Quantity => {
    const { name, explanation } = over;
    if (over.unit === "ns") return { name, unit: "ratio", explanation: `${explanation}: share of the time of the ranks`, over, per: null, scale: 1 };
    const per = name === "samples" ? null : computation;
    return { name, unit: "rate", explanation: `${explanation && `${explanation}; `}per second${per ? " of computation" : ""}`, over, per, scale: 1e9 };
  });
  if (!instructions || !cycles) return all;
  return [{ name: IPC, unit: "none", explanation: "PAPI_TOT_INS over PAPI_TOT_CYC, in computation", over: instructions, per: cycles, scale: 1 }, ...all];
}

/** By window, over some ranks, or of one; null where nothing is known of it. undefined: not read yet. */
export function valuesOf(store: Store, { over, per, scale }: Quantity, ranks: number[]): (number | null)[] | undefined {
  const [amounts, others] = [store.measure(over), per ? store.measure(per) : null];
  if (!amounts || others === undefined) return undefined;
  const time = over.width * store.timeline.tick_ns;
  return Array.from({ length: over.windows }, (_, window) => {
    const [sum, whole] = sums(amounts, others, over.windows, ranks, window, window + 1);
    const divisor = others ? whole : time * ranks.length;
    return divisor > 0 ? (scale * sum) / divisor : null;
  });
}

/** The quantity over an interval: of the windows that it touches, the sums of both. */
export function valueOver(store: Store, { over, per, scale }: Quantity, ranks: number[], from: number, to: number): number | null {
  const [amounts, others] = [store.measure(over), per ? store.measure(per) : null];
  if (!amounts || others === undefined) return null;
  const first = Math.max(0, Math.floor((from - over.from) / over.width));
  const last = Math.min(over.windows, Math.ceil((to - over.from) / over.width));
  const [sum, whole] = sums(amounts, others, over.windows, ranks, first, last);
  const divisor = others ? whole : over.width * store.timeline.tick_ns * ranks.length * (last - first);
  return divisor > 0 ? (scale * sum) / divisor : null;
}

function sums(amounts: Float64Array, others: Float64Array | null, windows: number, ranks: number[], first: number, last: number): [number, number] {
  let [sum, whole] = [0, 0];
  for (const rank of ranks) {
    for (let i = rank * windows + first; i < rank * windows + last; ++i) {
      sum += amounts[i]!;
      whole += others?.[i] ?? 0;
    }
  }
  return [sum, whole];
}

export function stripOf({ name, unit, explanation, over }: Quantity, values: (number | null)[]): Strip {
  return { name, unit, from: over.from, width: over.width, values, explanation, run: "measured" };
}

/** Parallel efficiency and load balance of some ranks instead of all; the other strips as they are. */
export function stripOfRanks(store: Store, strip: Strip, ranks: number[]): Strip {
  const { timeline } = store;
  const computation = named(timeline, "computation");
  if (!computation || ranks.length === timeline.ranks || strip.run !== "measured") return strip;
  const amounts = store.measure(computation);
  if (!amounts) return strip;
  const { windows, from, width } = computation;
  const byWindow = (value: (sum: number, most: number) => number | null) =>
    Array.from({ length: windows }, (_, window) => {
      const own = ranks.map((rank) => amounts[rank * windows + window]!);
      return value(own.reduce((a, b) => a + b, 0), own.reduce((a, b) => Math.max(a, b), 0));
    });
  const here = { from, width, known: [], explanation: `${strip.explanation}; of the ranks in view` };
  if (strip.name === "parallel efficiency") return { ...strip, ...here, values: byWindow((sum) => sum / ranks.length / (width * timeline.tick_ns)) };
  if (strip.name === "load balance") return { ...strip, ...here, values: byWindow((sum, most) => (most > 0 ? sum / ranks.length / most : null)) };
  return { ...strip, name: `${strip.name} (all ranks)` };
}
