/** Numbers of a column, and which of them in which order. */
export type Values = Int32Array | Float64Array;

/** The most bytes that a number takes: 52 bits and the sign in steps of seven. */
const bytesEachMax = 8;
const int32Max = 0x7fff_ffff;
const int30Max = 0x3fff_ffff;

/** A place to write packed numbers to; it is used again and again, since memory that is new costs more than the packing. */
export class Packed {
  #bytes = Buffer.allocUnsafe(64 * 1024);
  length = 0;

  /** Makes room for a number of further values. */
  roomFor(count: number): Buffer {
    const needed = this.length + count * bytesEachMax;
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
      this.#bytes.copy(larger, 0, 0, this.length);
      this.#bytes = larger;
    }
    return this.#bytes;
  }

  view(from = 0, to = this.length): Buffer {
    return this.#bytes.subarray(from, to);
  }
}

/** Whole numbers of 32 bits as differences to the number before, few bytes each; the rows of `order` in its order. */
export function packInts(values: Int32Array, order: Int32Array, into: Packed): void {
  const bytes = into.roomFor(order.length);
  let at = into.length;
  let before = 0;
  for (let index = 0; index < order.length; index++) {
    const value = values[order[index]!]!;
    const step = (value - before) | 0;
    before = value;
    let rest = (step << 1) ^ (step >> 31);
    while ((rest & ~0x7f) !== 0) {
      bytes[at++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    bytes[at++] = rest;
  }
  into.length = at;
}

export function unpackInts(bytes: Uint8Array, count: number): Int32Array<ArrayBuffer> {
  const values = new Int32Array(count);
  let at = 0;
  let before = 0;
  for (let index = 0; index < count; index++) {
    let byte = bytes[at++]!;
    let rest = byte & 0x7f;
    for (let shift = 7; byte > 0x7f; shift += 7) {
      byte = bytes[at++]!;
      rest |= (byte & 0x7f) << shift;
    }
    before = (before + ((rest >>> 1) ^ -(rest & 1))) | 0;
    values[index] = before;
  }
  return values;
}

/** The same for whole numbers of up to 52 bits: times, and shares of a whole fleet. */
export function packWide(values: Values, order: Int32Array, into: Packed): void {
  const bytes = into.roomFor(order.length);
  let at = into.length;
  let before = 0;
  for (let index = 0; index < order.length; index++) {
    const value = values[order[index]!]!;
    const step = value - before;
    before = value;
    let rest = step < 0 ? -2 * step - 1 : 2 * step;
    while (rest > int32Max) {
      bytes[at++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    let small = rest | 0;
    while (small > 0x7f) {
      bytes[at++] = (small & 0x7f) | 0x80;
      small >>= 7;
    }
    bytes[at++] = small;
  }
  into.length = at;
}

export function unpackWide(bytes: Uint8Array, count: number): Float64Array<ArrayBuffer> {
  const values = new Float64Array(count);
  let at = 0;
  let before = 0;
  for (let index = 0; index < count; index++) {
    let byte = bytes[at++]!;
    let rest = byte & 0x7f;
    for (let unit = 0x80; byte > 0x7f; unit *= 0x80) {
      byte = bytes[at++]!;
      rest += (byte & 0x7f) * unit;
    }
    if (rest <= int30Max) before += (rest >> 1) ^ -(rest & 1);
    else before += rest % 2 === 0 ? rest / 2 : -(rest + 1) / 2;
    values[index] = before;
  }
  return values;
}
