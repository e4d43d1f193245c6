import { Damaged } from "./faults.ts";

/** The bytes of a row do not add up. */
export class DamagedRow extends Damaged {
  constructor(why: string) {
    super(`a row of the series is damaged: ${why}`);
  }
}

/** How values are stored: whole ones in 1, 2 or 4 bytes, others as doubles. */
export type Form = 0 | 1 | 2 | 3;
export const forms = 4;
const bytesOfForm = [1, 2, 4, 8] as const;
export const valueBytesMax = 8;

/** Seven bits in each byte: enough for numbers of keys and steps. */
export const varintBytesMax = 4;

/** The narrowest form that keeps each of these values as it is. */
export function formOf(values: Float64Array, count: number): Form {
  let most = 0;
  for (let no = 0; no < count; no++) {
    const value = values[no]!;
    if (!Number.isInteger(value) || value < 0) return 3;
    most = Math.max(most, value);
  }
  if (most <= 0xff) return 0;
  if (most <= 0xffff) return 1;
  return most <= 0xffff_ffff ? 2 : 3;
}

export class ByteWriter {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytesMax: number) {
    this.#bytes = Buffer.allocUnsafe(bytesMax);
  }

  varint(value: number): void {
    let rest = value;
    for (; rest > 0x7f; rest >>>= 7) this.#bytes[this.#at++] = (rest & 0x7f) | 0x80;
    this.#bytes[this.#at++] = rest;
  }

  values(form: Form, values: Float64Array, count: number): void {
    for (let no = 0; no < count; no++) this.#at = this.#value(form, values[no]!);
  }

  done(): Uint8Array {
    return this.#bytes.subarray(0, this.#at);
  }

  #value(form: Form, value: number): number {
    switch (form) {
      case 0:
        return this.#bytes.writeUInt8(value, this.#at);
      case 1:
        return this.#bytes.writeUInt16LE(value, this.#at);
      case 2:
        return this.#bytes.writeUInt32LE(value, this.#at);
      case 3:
        return this.#bytes.writeDoubleLE(value, this.#at);
    }
  }
}

export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  varint(): number {
    let value = 0;
    for (let shift = 0; shift < 7 * varintBytesMax; shift += 7) {
      const byte = this.#bytes[this.#take(1)]!;
      value |= (byte & 0x7f) << shift;
      if (byte <= 0x7f) return value;
    }
    throw new DamagedRow("it has a number that is too long");
  }

  /** A loop for each form, because charts read millions of values. */
  values(form: Form, into: Float64Array, count: number): void {
    const at = this.#take(count * bytesOfForm[form]);
    const view = this.#view;
    switch (form) {
      case 0:
        for (let no = 0; no < count; no++) into[no] = view.getUint8(at + no);
        return;
      case 1:
        for (let no = 0; no < count; no++) into[no] = view.getUint16(at + 2 * no, true);
        return;
      case 2:
        for (let no = 0; no < count; no++) into[no] = view.getUint32(at + 4 * no, true);
        return;
      case 3:
        for (let no = 0; no < count; no++) into[no] = view.getFloat64(at + 8 * no, true);
    }
  }

  /** Nothing follows. */
  end(): void {
    if (this.#at < this.#bytes.length) throw new DamagedRow("it goes on after its end");
  }

  /** Where the next bytes begin. */
  #take(bytes: number): number {
    const at = this.#at;
    this.#at += bytes;
    if (this.#at > this.#bytes.length) throw new DamagedRow("it ends too early");
    return at;
  }
}
