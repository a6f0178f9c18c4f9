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

/** The messages that a call received and sent, and who took part in it. */
export async function companyOf(
  store: Store,
  { classes }: Timeline,
  run: Run,
  call: Call,
): Promise<Pick<Selection, "arrows" | "together">> {
  const arrows: Arrow[] = [];
  for (const source of call.sources.slice(0, MOST_SOURCES)) {
    const sent = await findCall(store, run, source);
    if (sent) arrows.push({ from: sent, to: call });
  }
  const kind = classes[call.operation];
  const sends = kind === "send" || (call.peer >= 0 && kind !== "recv" && kind !== "collective");
  for (const to of sends ? await receiversOf(store, run, call) : []) arrows.push({ from: call, to });
  return { arrows, together: await participants(store, run, call) };
}
