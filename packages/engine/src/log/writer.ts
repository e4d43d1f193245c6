import { closeSync, mkdirSync, openSync, readdirSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { LogLine } from "../port.ts";

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

  constructor(folder: string, bytesMax: number, filesMax: number) {
    this.#folder = folder;
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
        const note = `${Date.now()} t ${this.#linesLost} lines could not be written here\n`;
        this.#bytes += writeSync(this.#file, note);
        this.#linesLost = 0;
      }
      this.#bytes += writeSync(this.#file, text);
    } catch {
      this.#linesLost += lines;
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
    this.#file = openSync(join(this.#folder, logName(this.#number)), "a", 0o600);
    this.#bytes = 0;
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
