import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
import {
  type FileKey,
  frameMore,
  headerBytes,
  headerOf,
  isSealed,
  newFileKey,
  openFrame,
  openHeader,
  sealFrame,
  slotsUnder,
  type WrappingKey,
  wrappingIdsOf,
} from "./form.ts";

const lengthBytes = 4;
/** What a frame of a file holds; the last one less, and so may those where a sender was cut off. */
const pieceBytes = 64 * 1024;
const more = lengthBytes + frameMore;

/** How many bytes a sealed file holds that was written in one go. */
export function bytesIn(size: number): number {
  const frames = Math.ceil((size - headerBytes) / (pieceBytes + more));
  return Math.max(0, size - headerBytes - frames * more);
}

/** Writes a sealed file, or goes on where one was cut off. */
export class SealedWriter {
  readonly #file: number;
  readonly #key: FileKey;
  #at: number;
  #held: Buffer[] = [];
  #heldBytes = 0;
  /** How many bytes it held when it was opened. */
  readonly had: number;

  private constructor(file: number, key: FileKey, at: number, had: number) {
    this.#file = file;
    this.#key = key;
    this.#at = at;
    this.had = had;
  }

  static create(path: string, label: Buffer, by: WrappingKey): SealedWriter {
    const file = openSync(path, "wx", 0o600);
    const key = newFileKey(label);
    writeAll(file, headerOf(key, by), 0);
    return new SealedWriter(file, key, headerBytes, 0);
  }

  /** Throws where its key is gone. */
  static resume(path: string, known: readonly WrappingKey[]): SealedWriter {
    const file = openSync(path, "r+");
    try {
      const key = openHeader(readExactly(file, 0, headerBytes), known);
      const { end, bytes } = wholeFrames(file);
      ftruncateSync(file, end); // what a crash tore
      return new SealedWriter(file, key, end, bytes);
    } catch (error) {
      closeSync(file);
      throw error;
    }
  }

  write(part: Uint8Array): void {
    this.#held.push(Buffer.from(part));
    this.#heldBytes += part.length;
    if (this.#heldBytes < pieceBytes) return;
    let all = Buffer.concat(this.#held);
    for (; all.length >= pieceBytes; all = all.subarray(pieceBytes)) this.#put(all.subarray(0, pieceBytes));
    this.#held = [all];
    this.#heldBytes = all.length;
  }

  close(): void {
    try {
      if (this.#heldBytes > 0) this.#put(Buffer.concat(this.#held));
    } finally {
      closeSync(this.#file);
    }
  }

  #put(piece: Buffer): void {
    const frame = sealFrame(this.#key, this.#at, piece);
    const length = Buffer.alloc(lengthBytes);
    length.writeUInt32BE(frame.length);
    this.#at += writeAll(this.#file, Buffer.concat([length, frame]), this.#at);
  }
}

/** How many bytes a sealed file holds, however it was written. */
export function bytesWritten(path: string): number {
  const file = openSync(path, "r");
  try {
    return wholeFrames(file).bytes;
  } finally {
    closeSync(file);
  }
}

/** What a sealed file holds, piece by piece, from the frame on in which `start` is. Closes the file. */
export function* openedPieces(file: number, known: readonly WrappingKey[], start = 0): Generator<Buffer> {
  try {
    const key = openHeader(readExactly(file, 0, headerBytes), known);
    const first = Math.floor(start / pieceBytes);
    let skip = start - first * pieceBytes;
    for (let at = headerBytes + first * (pieceBytes + more); ; ) {
      const length = lengthAt(file, at);
      if (length === undefined) return;
      const frame = readExactly(file, at + lengthBytes, length);
      if (frame.length < length) return;
      const piece = openFrame(key, at, frame);
      at += lengthBytes + length;
      yield skip === 0 ? piece : piece.subarray(skip);
      skip = 0;
    }
  } finally {
    closeSync(file);
  }
}

/** Has another key wrap a file from now on; returns its label. Nothing of what it holds is written again. */
export function rewrap(path: string, known: readonly WrappingKey[], by: WrappingKey): Buffer {
  const file = openSync(path, "r+");
  try {
    const header = readExactly(file, 0, headerBytes);
    const key = openHeader(header, known);
    const ids = wrappingIdsOf(header);
    if (ids.length === 1 && ids[0] === by.id) return key.label;
    for (const { at, bytes } of slotsUnder(key, by)) {
      writeAll(file, bytes, at);
      fsyncSync(file); // one place is whole at every moment
    }
    return key.label;
  } finally {
    closeSync(file);
  }
}

/** The ids of the keys that wrap a file; none where it is plain. */
export function wrappedBy(path: string): string[] {
  const file = openSync(path, "r");
  try {
    const header = readExactly(file, 0, headerBytes);
    return header.length === headerBytes && isSealed(header) ? wrappingIdsOf(header) : [];
  } finally {
    closeSync(file);
  }
}

/** What a file is, as its header has it. */
export function labelIn(path: string, known: readonly WrappingKey[]): Buffer {
  const file = openSync(path, "r");
  try {
    return openHeader(readExactly(file, 0, headerBytes), known).label;
  } finally {
    closeSync(file);
  }
}

/** Says what a file is, where that was not known when it was begun. */
export function relabel(path: string, known: readonly WrappingKey[], by: WrappingKey, label: Buffer): void {
  const file = openSync(path, "r+");
  try {
    const { key } = openHeader(readExactly(file, 0, headerBytes), known);
    for (const { at, bytes } of slotsUnder({ key, label }, by)) writeAll(file, bytes, at);
  } finally {
    closeSync(file);
  }
}

function wholeFrames(file: number): { readonly end: number; readonly bytes: number } {
  const { size } = fstatSync(file);
  let bytes = 0;
  for (let at = headerBytes; ; ) {
    const length = lengthAt(file, at);
    if (length === undefined || at + lengthBytes + length > size) return { end: at, bytes };
    bytes += length - frameMore;
    at += lengthBytes + length;
  }
}

function lengthAt(file: number, at: number): number | undefined {
  const found = readExactly(file, at, lengthBytes);
  if (found.length < lengthBytes) return undefined;
  const length = found.readUInt32BE(0);
  return length < frameMore || length > pieceBytes + frameMore ? undefined : length;
}

function readExactly(file: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let got = 0;
  while (got < length) {
    const read = readSync(file, bytes, got, length - got, at + got);
    if (read === 0) break;
    got += read;
  }
  return bytes.subarray(0, got);
}

function writeAll(file: number, bytes: Buffer, at: number): number {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done, bytes.length - done, at + done);
  return bytes.length;
}
