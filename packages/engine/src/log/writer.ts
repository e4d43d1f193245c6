import {
  closeSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { LogLine } from "../port.ts";
import { framed, type LogSeal, lengthBytes, type SealedLog } from "./seal.ts";

export const streamLetters = { stdout: "o", stderr: "e", setup: "s", tessera: "t" } as const satisfies {
  readonly [stream in LogLine["stream"]]: string;
};

/**
 * The log of one member: numbered files, the oldest of which goes when there are too many. Nothing here waits for a
 * reader, and a full disk costs lines, never the job.
 */
export class LogWriter {
  readonly #folder: string;
  readonly #fileBytesMax: number;
  readonly #filesMax: number;
  #number = 0;
  #file = -1;
  #bytes = 0;
  #linesLost = 0;
  readonly #seal: LogSeal | undefined;
  #sealed: SealedLog | undefined;

  /** Without `seal` its files are plain. */
  constructor(folder: string, bytesMax: number, filesMax: number, seal?: LogSeal) {
    this.#folder = folder;
    this.#seal = seal;
    this.#fileBytesMax = Math.max(1, Math.floor(bytesMax / filesMax));
    this.#filesMax = filesMax;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#number = Math.max(0, ...logNumbers(folder));
    this.#open();
  }

  write(stream: LogLine["stream"], at: number, lines: readonly string[]): void {
    if (lines.length === 0) return;
    const letter = streamLetters[stream];
    this.#append(lines.map((line) => `${at} ${letter} ${line}\n`).join(""), lines.length);
  }

  close(): void {
    if (this.#file >= 0) closeSync(this.#file);
    this.#file = -1;
  }

  #append(text: string, lines: number): void {
    try {
      if (this.#bytes >= this.#fileBytesMax) this.#rotate();
      if (this.#linesLost > 0) {
        this.#put(`${Date.now()} t ${this.#linesLost} lines could not be written here\n`);
        this.#linesLost = 0;
      }
      this.#put(text);
    } catch {
      this.#linesLost += lines;
    }
  }

  #put(text: string): void {
    if (this.#sealed === undefined) {
      this.#bytes += writeSync(this.#file, text);
      return;
    }
    const frame = framed(this.#sealed.seal(this.#bytes, Buffer.from(text)));
    let written = 0;
    try {
      while (written < frame.length) written += writeSync(this.#file, frame, written);
      this.#bytes += frame.length;
    } catch (error) {
      ftruncateSync(this.#file, this.#bytes); // half a frame would hide all that follow
      throw error;
    }
  }

  #rotate(): void {
    this.close();
    this.#number += 1;
    this.#open();
    for (const old of logNumbers(this.#folder)) {
      if (old <= this.#number - this.#filesMax) rmSync(join(this.#folder, logName(old)), { force: true });
    }
  }

  #open(): void {
    const name = logName(this.#number);
    this.#file = openSync(join(this.#folder, name), "a+", 0o600);
    this.#bytes = 0;
    if (this.#seal === undefined) return;
    const { size } = fstatSync(this.#file);
    const header = Buffer.alloc(this.#seal.headerBytes);
    if (size === 0) {
      const begun = this.#seal.begin(name);
      this.#bytes = writeSync(this.#file, begun.header);
      this.#sealed = begun;
    } else if (
      size > header.length &&
      readSync(this.#file, header, 0, header.length, 0) &&
      this.#resume(header, name)
    ) {
      this.#bytes = wholeEnd(this.#file, header.length, size);
      ftruncateSync(this.#file, this.#bytes);
    } else {
      this.#rotate(); // plain, from before logs were sealed, or its key is gone
    }
  }

  #resume(header: Buffer, name: string): boolean {
    if (this.#seal?.isSealed(header) !== true) return false;
    try {
      this.#sealed = this.#seal.resume(header, name);
      return true;
    } catch {
      return false;
    }
  }
}

/** Where the last whole frame ends: a crash may have torn the one after it. */
function wholeEnd(file: number, from: number, size: number): number {
  const length = Buffer.alloc(lengthBytes);
  for (let at = from; ; ) {
    const read = readSync(file, length, 0, lengthBytes, at);
    const next = at + length.readUInt32BE(0) + 2 * lengthBytes;
    if (read < lengthBytes || next > size) return at;
    at = next;
  }
}

export function logName(number: number): string {
  return `${number}.log`;
}

/** The numbers of the files in a log folder, oldest first. */
export function logNumbers(folder: string): number[] {
  return readdirSync(folder)
    .filter((name) => /^\d+\.log$/.test(name))
    .map((name) => Number.parseInt(name, 10))
    .sort((a, b) => a - b);
}
