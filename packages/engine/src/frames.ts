import { once } from "node:events";
import type { Readable, Writable } from "node:stream";

/** What passes through the socket of an entry: a kind, a length, the bytes. */
export const kinds = {
  /** The first frame: what is wanted. */
  ask: 0,
  /** The first answer: it is open, or why it cannot be. */
  opened: 1,
  refused: 2,
  input: 3,
  inputEnd: 4,
  output: 5,
  outputEnd: 6,
  errors: 7,
  errorsEnd: 8,
  resize: 9,
  /** The last frame. */
  end: 10,
} as const;

export interface Frame {
  readonly kind: number;
  readonly bytes: Buffer;
}

const headBytes = 5;
/** Both sides are ours and cut what they send; a longer frame is not one of ours. */
const frameBytesMax = 1 << 20;

export function frameOf(kind: number, bytes: Uint8Array = new Uint8Array()): Buffer {
  const frame = Buffer.allocUnsafe(headBytes + bytes.length);
  frame.writeUInt8(kind, 0);
  frame.writeUInt32BE(bytes.length, 1);
  frame.set(bytes, headBytes);
  return frame;
}

export function jsonFrame(kind: number, value: unknown): Buffer {
  return frameOf(kind, Buffer.from(JSON.stringify(value)));
}

export function jsonIn<Value>({ bytes }: Frame): Value {
  return JSON.parse(bytes.toString("utf8")) as Value;
}

/** Frames as they arrive. Reads no further ahead than the stream's own buffer while the consumer is busy. */
export async function* framesOf(stream: Readable): AsyncGenerator<Frame> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const part of stream) {
    rest = rest.length === 0 ? (part as Buffer) : Buffer.concat([rest, part as Buffer]);
    let at = 0;
    while (rest.length - at >= headBytes) {
      const length = rest.readUInt32BE(at + 1);
      if (length > frameBytesMax) throw new Error(`a frame of ${length} bytes is too long`);
      const end = at + headBytes + length;
      if (rest.length < end) break;
      yield { kind: rest.readUInt8(at), bytes: rest.subarray(at + headBytes, end) };
      at = end;
    }
    rest = rest.subarray(at);
  }
}

/** Writes and waits until more may be written; says false once nothing can be written any more. */
export async function send(stream: Writable, bytes: Uint8Array): Promise<boolean> {
  if (stream.destroyed || stream.writableEnded) return false;
  if (stream.write(bytes)) return true;
  const settled = new AbortController();
  try {
    await Promise.race([
      once(stream, "drain", { signal: settled.signal }),
      once(stream, "close", { signal: settled.signal }),
    ]);
  } catch {
    return false; // the error of the stream is told to the one who owns it
  } finally {
    settled.abort();
  }
  return !stream.destroyed;
}
