import type { LogEntry, QueryOf } from "@tessera/wire";
import type { Api } from "../http.ts";
import { readLines } from "../lines.ts";

/** Reads one answer of log lines; with `follow` it lasts until the attempt is over. */
export async function* readLogLines(
  api: Api,
  job: string,
  query: QueryOf<"readLogs">,
  signal?: AbortSignal,
): AsyncGenerator<LogEntry> {
  const stream = await api.open(
    "readLogs",
    { at: { job }, query },
    { accept: "application/x-ndjson", ...(signal && { signal }) },
  );
  yield* readLines<LogEntry>(stream);
}

/** Remembers how far each rank has been shown, so that a stream taken up again repeats and loses nothing. */
export class LogPosition {
  readonly #ranks = new Map<number, { at: string; count: number }>();
  #skipping = new Map<number, number>();

  /** From where to ask again; undefined = from the beginning, while a rank may have said something unseen. */
  since(ranks: number): string | undefined {
    if (this.#ranks.size === 0 || this.#ranks.size < ranks) return undefined;
    return [...this.#ranks.values()].reduce((least, { at }) => (at < least ? at : least), "9");
  }

  /** Called before each reading. */
  begin(): void {
    this.#skipping = new Map([...this.#ranks].map(([rank, { count }]) => [rank, count]));
  }

  /** Whether the line is new. Lines of one rank come in order of time; several may share a millisecond. */
  take({ rank, at }: LogEntry): boolean {
    const last = this.#ranks.get(rank);
    if (last === undefined || at > last.at) {
      this.#ranks.set(rank, { at, count: 1 });
      this.#skipping.delete(rank);
      return true;
    }
    if (at < last.at) return false;
    const toSkip = this.#skipping.get(rank) ?? 0;
    if (toSkip > 0) {
      this.#skipping.set(rank, toSkip - 1);
      return false;
    }
    last.count += 1;
    return true;
  }
}
