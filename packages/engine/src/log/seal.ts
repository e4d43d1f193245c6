/**
 * What seals the files of one log. Each file begins with a header that names the key; then come frames, each with its
 * length before and behind it, so that the last lines are found from the end.
 */
export interface LogSeal {
  readonly headerBytes: number;
  /** Whether a file that begins so is sealed; others are of the time before logs were. */
  isSealed(start: Buffer): boolean;
  /** A new file; `name` is bound to it. */
  begin(name: string): SealedLog & { readonly header: Buffer };
  /** A file that was begun before. Throws where its key is gone, or where it was another file. */
  resume(header: Buffer, name: string): SealedLog;
}

/** One file that is sealed. */
export interface SealedLog {
  seal(at: number, plain: Buffer): Buffer;
  open(at: number, frame: Buffer): Buffer;
}

export const lengthBytes = 4;
/** What is written at once is far less; a longer frame is damage. */
export const frameBytesMax = 64 << 20;

/** A frame with its length on both sides. */
export function framed(frame: Buffer): Buffer {
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt32BE(frame.length);
  return Buffer.concat([length, frame, length]);
}
