// Columns of numbers, one after the other in a blob (doc/formats/page.md).

export class Columns {
  private at = 0;

  constructor(private readonly bytes: Uint8Array) {}

  /** Not a copy. */
  u8(count: number): Uint8Array {
    if (this.at + count > this.bytes.length) throw new Error("a column ends early");
    this.at += count;
    return this.bytes.subarray(this.at - count, this.at);
  }

  varint(): number {
    const { bytes } = this;
    let byte = bytes[this.at++];
    if (byte === undefined) throw new Error("a column ends early");
    if (byte < 128) return byte;
    let value = byte & 127;
    let scale = 128;
    do {
      byte = bytes[this.at++];
      if (byte === undefined) throw new Error("a column ends early");
      value += (byte & 127) * scale; // not by shifts: up to 53 bits
      scale *= 128;
    } while (byte >= 128);
    return value;
  }

  zigzag(): number {
    return unzigzag(this.varint());
  }

  varints(count: number): Float64Array {
    const values = new Float64Array(count);
    for (let i = 0; i < count; ++i) values[i] = this.varint();
    return values;
  }

  zigzags(count: number): Float64Array {
    const values = this.varints(count);
    for (let i = 0; i < count; ++i) values[i] = unzigzag(values[i] as number);
    return values;
  }

  skipVarints(count: number): void {
    for (let left = count; left > 0; ) {
      const byte = this.bytes[this.at++];
      if (byte === undefined) throw new Error("a column ends early");
      if (byte < 128) --left;
    }
  }
}

export function unzigzag(z: number): number {
  return z % 2 === 0 ? z / 2 : -(z + 1) / 2;
}
