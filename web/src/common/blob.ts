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
  const packed = new Blob([fromBase64(base64)]).stream();
  const stream = packed.pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Fails when the blob is not there or shorter than said: a file that was cut off. */
export async function readBlob({ blob, bytes }: BlobRef): Promise<Uint8Array> {
  const element = document.getElementById(`blob-${blob}`);
  if (!element) throw new Error(`part ${blob} of this file is missing (was it cut off?)`);
  const inflated = await inflate(element.textContent ?? "");
  if (inflated.length < bytes) throw new Error(`part ${blob} of this file is too short`);
  return inflated;
}
