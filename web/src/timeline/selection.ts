// What is chosen in a time line, and what belongs to it.

import { bucketAt, findCall, participants, receiversOf, type Bucket, type Call, type Here } from "./calls";
import type { Run, Timeline } from "../common/timeline";
import type { Arrow } from "./overlay";
import type { Store } from "./store";

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

const MOST_SOURCES = 64;

/** Of a run without single calls. */
export function selectionOfBucket(store: Store, run: Run, rank: number, tick: number): Selection {
  const bucket = bucketAt(store, run, rank, tick);
  const here = { call: null, begin: bucket.begin, end: bucket.end, region: bucket.region };
  return { run, rank, here, arrows: [], together: [], bucket };
}

/** The same calls in another run than the first, which tells who belongs together. */
async function inRun(store: Store, run: Run, calls: Call[]): Promise<Call[]> {
  if (run === store.timeline.runs[0]) return calls;
  const found: Call[] = [];
  for (const call of calls) {
    const same = await findCall(store, run, call);
    if (same) found.push(same);
  }
  return found.sort((a, b) => a.begin - b.begin);
}

/**
 * The messages that a call received and sent, and who took part in it. `told`: the same call as the first
 * run has it.
 */
export async function companyOf(
  store: Store,
  { classes, runs }: Timeline,
  run: Run,
  call: Call,
  told: Call,
): Promise<Pick<Selection, "arrows" | "together">> {
  const arrows: Arrow[] = [];
  const first = runs[0] ?? run;
  for (const source of call.sources.slice(0, MOST_SOURCES)) {
    const sent = await findCall(store, run, source);
    if (sent) arrows.push({ from: sent, to: call });
  }
  const kind = classes[call.operation];
  const sends = kind === "send" || (call.peer >= 0 && kind !== "recv" && kind !== "collective");
  const receivers = sends ? await receiversOf(store, first, told) : [];
  for (const to of await inRun(store, run, receivers)) arrows.push({ from: call, to });
  return { arrows, together: await inRun(store, run, await participants(store, first, told)) };
}
