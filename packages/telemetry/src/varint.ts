/** Whole numbers as differences to the number before, few bytes each. 32 bits, wrapped around. */
export function packInts(values: Int32Array): Buffer {
  const into = Buffer.allocUnsafe(values.length * 5);
  let at = 0;
  let before = 0;
  for (let index = 0; index < values.length; index++) {
    const value = values[index]!;
    const step = (value - before) | 0;
    before = value;
    let rest = ((step << 1) ^ (step >> 31)) >>> 0;
    while (rest > 0x7f) {
      into[at++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    into[at++] = rest;
  }
  return into.subarray(0, at);
}

export function unpackInts(bytes: Uint8Array, count: number): Int32Array<ArrayBuffer> {
  const values = new Int32Array(count);
  let at = 0;
  let before = 0;
  for (let index = 0; index < count; index++) {
    let rest = 0;
    let shift = 0;
    let byte: number;
    do {
      byte = bytes[at++]!;
      rest |= (byte & 0x7f) << shift;
      shift += 7;
    } while (byte > 0x7f);
    before = (before + ((rest >>> 1) ^ -(rest & 1))) | 0;
    values[index] = before;
  }
  return values;
}

/** The same for whole numbers of up to 52 bits: times, and shares of a whole fleet. */
export function packWide(values: Float64Array): Buffer {
  const into = Buffer.allocUnsafe(values.length * 8);
  let at = 0;
  let before = 0;
  for (let index = 0; index < values.length; index++) {
    const step = values[index]! - before;
    before = values[index]!;
    let rest = step < 0 ? -2 * step - 1 : 2 * step;
    while (rest > 0x7f) {
      into[at++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    into[at++] = rest;
  }
  return into.subarray(0, at);
}

export function unpackWide(bytes: Uint8Array, count: number): Float64Array<ArrayBuffer> {
  const values = new Float64Array(count);
  let at = 0;
  let before = 0;
  for (let index = 0; index < count; index++) {
    let rest = 0;
    let unit = 1;
    let byte: number;
    do {
      byte = bytes[at++]!;
      rest += (byte & 0x7f) * unit;
      unit *= 0x80;
    } while (byte > 0x7f);
    before += rest % 2 === 0 ? rest / 2 : -(rest + 1) / 2;
    values[index] = before;
  }
  return values;
}
