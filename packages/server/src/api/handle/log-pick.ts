import type { LogLine } from "@tessera/engine";
import { isTrouble, plainText } from "@tessera/wire/log-text";

/** Which lines of a whole log are looked for. */
export interface Picking {
  /** Lines that hold this text, in upper or lower case. */
  readonly find?: string;
  /** Lines that look like an error. */
  readonly errors?: boolean;
  /** Lines before this instant. */
  readonly untilAt?: number;
}

/** The last lines are kept until all have been read: at most this many, and this many bytes. */
export const pickedMax = 10_000;
const pickedBytesMax = 4 * 1024 * 1024;

/** The wanted ones of lines that come by time; with `tail` the last of them. */
export async function* pickLines(
  lines: AsyncIterable<LogLine>,
  picking: Picking,
  tail: number | undefined,
): AsyncGenerator<LogLine> {
  const isWanted = wantedBy(picking);
  const { untilAt = Number.POSITIVE_INFINITY } = picking;
  const last = tail === undefined ? undefined : new LastLines(tail);
  for await (const line of lines) {
    if (line.at >= untilAt) break;
    if (!isWanted(line)) continue;
    if (last === undefined) yield line;
    else last.add(line);
  }
  if (last !== undefined) yield* last.lines();
}

function wantedBy({ find, errors = false }: Picking): (line: LogLine) => boolean {
  const wanted = find?.toLowerCase();
  return (line) => {
    if (errors && !isTrouble(line)) return false;
    return wanted === undefined || plainText(line.text).toLowerCase().includes(wanted);
  };
}

class LastLines {
  readonly #max: number;
  #lines: LogLine[] = [];
  /** Where those that are kept begin: taking the first away one by one would move all others each time. */
  #first = 0;
  #bytes = 0;

  constructor(max: number) {
    this.#max = max;
  }

  add(line: LogLine): void {
    this.#lines.push(line);
    this.#bytes += line.text.length;
    while (this.#kept > this.#max || (this.#bytes > pickedBytesMax && this.#kept > 1)) {
      this.#bytes -= this.#lines[this.#first]!.text.length;
      this.#first++;
    }
    if (this.#first > pickedMax) {
      this.#lines = this.lines();
      this.#first = 0;
    }
  }

  lines(): LogLine[] {
    return this.#lines.slice(this.#first);
  }

  get #kept(): number {
    return this.#lines.length - this.#first;
  }
}
