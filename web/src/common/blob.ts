// Binary parts of the page: base64 of zlib streams in script elements that no browser runs
// (doc/formats/page.md). They are inflated when what they hold is to be seen.

export interface BlobRef {
  blob: number;
  /** After inflating. */
  bytes: number;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

export async function inflate(base64: string): Promise<Uint8Array> {
  return inflated(new Blob([fromBase64(base64)]).stream());
}

/** Whether the page is served by the program: then blobs are asked for, and so are rows of SQL. */
export const served = () => document.getElementById("report")?.dataset.served !== undefined;

export const ENDED = "the program that served this page has ended; start 'slackline view' again";

async function inflated(bytes: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<Uint8Array> {
  return new Uint8Array(await new Response(bytes.pipeThrough(new DecompressionStream("deflate"))).arrayBuffer());
}

async function askedFor({ blob, bytes }: BlobRef): Promise<Uint8Array> {
  const response = await fetch(`blob/${blob}`).catch(() => null);
  if (!response?.ok || !response.body) throw new Error(ENDED);
  const all = await inflated(response.body);
  if (all.length < bytes) throw new Error(`part ${blob} of this page is too short`);
  return all;
}

/** Fails when the blob is not there or shorter than said: a file that was cut off. */
export async function readBlob({ blob, bytes }: BlobRef): Promise<Uint8Array> {
  if (served()) return askedFor({ blob, bytes });
  const element = document.getElementById(`blob-${blob}`);
  if (!element) throw new Error(`part ${blob} of this file is missing (was it cut off?)`);
  const inflated = await inflate(element.textContent ?? "");
  if (inflated.length < bytes) throw new Error(`part ${blob} of this file is too short`);
  return inflated;
}
