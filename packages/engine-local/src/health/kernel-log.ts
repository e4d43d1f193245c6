import { closeSync, constants, fstatSync, openSync, readFileSync, readSync, writeFileSync } from "node:fs";

/** A line of the kernel log. */
export interface KernelLine {
  readonly text: string;
  /** Since the start of the machine; absent where the log does not say. */
  readonly upMs?: number;
}

/** How far the log has been read, in the numbers of the start of the machine that `boot` names. */
interface Position {
  readonly boot: string;
  /** Of /dev/kmsg: the number of the next record. Of a file: the next byte. */
  readonly next: number;
}

export interface KernelLogOptions {
  /** /dev/kmsg, or a file that grows. */
  readonly file: string;
  readonly memory: string;
  readonly bootId: string;
}

const bytesAtOnce = 64 * 1024;
/** The kernel keeps less than this; a file that is larger is read in several turns. */
const linesAtOnce = 20_000;

/**
 * Reads the kernel log on from where an earlier process ended. The position is written one turn after the lines were handed
 * out: after a crash the last ones are told again rather than never.
 */
export class KernelLog {
  readonly #options: KernelLogOptions;
  #descriptor: number | undefined;
  #isDevice = false;
  #next: number | undefined;
  #written: number | undefined;

  constructor(options: KernelLogOptions) {
    this.#options = options;
  }

  /** What is new. Throws where the log cannot be read. */
  read(): KernelLine[] {
    this.#open();
    this.#remember();
    return this.#isDevice ? this.#records() : this.#lines();
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #open(): void {
    if (this.#descriptor !== undefined) return;
    const { file } = this.#options;
    this.#descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    this.#isDevice = fstatSync(this.#descriptor).isCharacterDevice();
    const known = this.#recall();
    this.#written = known;
    this.#next = known ?? 0;
    // What a running kernel said before this engine was first started may be long repaired.
    if (known === undefined && this.#isDevice) this.#records();
  }

  #recall(): number | undefined {
    try {
      const { boot, next } = JSON.parse(readFileSync(this.#options.memory, "utf8")) as Position;
      return boot === this.#options.bootId ? next : 0;
    } catch {
      return undefined;
    }
  }

  #remember(): void {
    if (this.#next === undefined || this.#next === this.#written) return;
    const position: Position = { boot: this.#options.bootId, next: this.#next };
    try {
      writeFileSync(this.#options.memory, JSON.stringify(position), { mode: 0o600 });
      this.#written = this.#next;
    } catch {} // on a full disk lines are told twice after a restart
  }

  /** One read gives one record: `level,number,microseconds,flags;text`. */
  #records(): KernelLine[] {
    const lines: KernelLine[] = [];
    const buffer = Buffer.alloc(bytesAtOnce);
    while (lines.length < linesAtOnce) {
      let length: number;
      try {
        length = readSync(this.#descriptor!, buffer, 0, buffer.length, null);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === "EPIPE") continue; // older records were overwritten meanwhile
        if (code === "EAGAIN") break;
        throw error;
      }
      if (length === 0) break;
      const record = parseRecord(buffer.toString("utf8", 0, length));
      if (record.number === undefined || record.number < this.#next!) continue;
      this.#next = record.number + 1;
      lines.push(record);
    }
    return lines;
  }

  /** Whole lines only: the last may still be written. A file that was made shorter is read from its beginning. */
  #lines(): KernelLine[] {
    const { size } = fstatSync(this.#descriptor!);
    if (size < this.#next!) this.#next = 0;
    const buffer = Buffer.alloc(Math.min(size - this.#next!, 4 << 20));
    const length = readSync(this.#descriptor!, buffer, 0, buffer.length, this.#next!);
    const end = buffer.subarray(0, length).lastIndexOf("\n") + 1;
    this.#next! += end;
    return buffer
      .toString("utf8", 0, end)
      .split("\n")
      .filter((text) => text !== "")
      .map(parseRecord);
  }
}

/** A record of /dev/kmsg, or a line as `dmesg` prints it. */
export function parseRecord(line: string): KernelLine & { readonly number?: number } {
  const record = /^\d+,(\d+),(\d+),[^;]*;([^\n]*)/.exec(line);
  if (record !== null)
    return { number: Number(record[1]), upMs: Math.floor(Number(record[2]) / 1000), text: record[3]! };
  const printed = /^(?:<\d+>)?\[\s*(\d+\.\d+)\]\s*(.*)$/.exec(line);
  return printed === null ? { text: line } : { upMs: Math.floor(Number(printed[1]) * 1000), text: printed[2]! };
}
