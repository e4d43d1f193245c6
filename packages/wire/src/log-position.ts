import type { LogEntry } from "./shapes/job.ts";

interface Told {
  readonly at: string;
  /** How many lines of that millisecond were told. */
  readonly count: number;
}

/** Remembers how far each rank of a log has been told, so that a reading that is taken up again repeats and loses nothing. */
export class LogPosition {
  readonly #told = new Map<string, Told>();
  #skipping = new Map<string, number>();

  /** From where to ask again; undefined = from the beginning, while a rank may have said something unseen. */
  since(ranks: number): string | undefined {
    const printed = [...this.#told].filter(([from]) => !from.startsWith(warnings)).map(([, { at }]) => at);
    if (printed.length === 0 || printed.length < ranks) return undefined;
    return printed.reduce((least, at) => (at < least ? at : least));
  }

  /** Called before each reading. */
  begin(): void {
    this.#skipping = new Map([...this.#told].map(([from, { count }]) => [from, count]));
  }

  /** Whether the line is new. Lines of one rank come in order of time; several may share a millisecond. */
  take(line: LogEntry): boolean {
    const from = sourceOf(line);
    const { at } = line;
    const last = this.#told.get(from);
    if (last === undefined || at > last.at) {
      this.#told.set(from, { at, count: 1 });
      this.#skipping.delete(from);
      return true;
    }
    if (at < last.at) return false;
    const toSkip = this.#skipping.get(from) ?? 0;
    if (toSkip > 0) {
      this.#skipping.set(from, toSkip - 1);
      return false;
    }
    this.#told.set(from, { at, count: last.count + 1 });
    return true;
  }
}

const warnings = "tessera ";

/** What the control plane adds is merged into a rank by time and may come a little later than what the rank printed. */
function sourceOf({ rank, stream }: LogEntry): string {
  return stream === "tessera" ? `${warnings}${rank}` : String(rank);
}
