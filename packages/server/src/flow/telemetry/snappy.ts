/** A literal of a block; longer ones need a length of three bytes or more. */
const literalMax = 65_536;
/** The tag of a literal whose length follows in two bytes. */
const literalTag = 61 << 2;

/**
 * The Snappy block format with literals only: valid for every reader, and not smaller than what went in. Remote write asks for
 * the format; compressing is left to what lies between.
 */
export function snappyBlock(bytes: Uint8Array): Buffer {
  const parts: Uint8Array[] = [varint(bytes.length)];
  for (let at = 0; at < bytes.length; at += literalMax) {
    const literal = bytes.subarray(at, at + literalMax);
    const last = literal.length - 1;
    parts.push(Uint8Array.of(literalTag, last & 0xff, last >> 8), literal);
  }
  return Buffer.concat(parts);
}

/** Seven bits in a byte, the lowest first; whole numbers up to 2^53. */
export function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let left = value;
  for (; left >= 0x80; left = Math.floor(left / 0x80)) bytes.push((left % 0x80) | 0x80);
  bytes.push(left);
  return Uint8Array.from(bytes);
}
