import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import type { CommitListener, Committed } from "../flow/commits.ts";

/** One thing to tell, and the cursor once it was taken. */
export interface Item<Message> {
  readonly message: Message;
  readonly upTo: string;
}

/** What comes after a cursor, in order. */
export interface Page<Message> {
  readonly items: readonly Item<Message>[];
  /** The cursor at the end of the page. */
  readonly upTo: string;
  readonly more: boolean;
}

export interface OutboxOptions<Message> {
  /** What it is called in warnings and metrics. */
  readonly name: string;
  /** Where the cursor is kept: the place up to which everything was taken. */
  readonly cursorFile: string;
  /** Where to begin without a cursor; `kept` is one of rows that the journal does not have: a backup was restored. */
  readonly startFrom: (kept: string | undefined) => string;
  readonly isKnown: (cursor: string) => boolean;
  readonly read: (after: string) => Promise<Page<Message>>;
  /** Tells the other side, in order; throws when it was not taken. */
  readonly send: (messages: readonly Message[], signal: AbortSignal) => Promise<void>;
  readonly batchMax: number;
  /** Whether a commit may hold something to tell. */
  readonly isNews: (committed: Committed) => boolean;
  /** How long to wait after a commit, so that what comes together is told together. */
  readonly gatherMs?: number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly warn: (text: string) => void;
  /** It began to fail, for this reason, or works again. */
  readonly turned?: (fault: string | undefined) => void;
}

/** How it stands, for metrics. */
export interface OutboxStatus {
  readonly name: string;
  readonly delivered: number;
  readonly failed: number;
  readonly isFailing: boolean;
}

const pauseMsFirst = 1_000;
const pauseMsMax = 300_000;

/**
 * Tells another system what the journal holds, in its order. The cursor moves only when something was taken: a receiver
 * may hear a thing twice and never misses one, whatever crashes. Nothing waits for it.
 */
export class Outbox<Message> implements CommitListener {
  readonly #options: OutboxOptions<Message>;
  readonly #closing = new AbortController();
  #cursor: string;
  #running: Promise<void> | undefined;
  #again = false;
  #delivered = 0;
  #failed = 0;
  #isFailing = false;

  constructor(options: OutboxOptions<Message>) {
    this.#options = options;
    const kept = existsSync(options.cursorFile) ? readFileSync(options.cursorFile, "utf8").trim() : undefined;
    this.#cursor = kept !== undefined && options.isKnown(kept) ? kept : options.startFrom(kept);
    // Also before anything was taken: the next start goes on from here, whatever became of this one.
    if (this.#cursor !== kept) this.#keepCursor(this.#cursor);
    this.#wake();
  }

  get status(): OutboxStatus {
    const { name } = this.#options;
    return { name, delivered: this.#delivered, failed: this.#failed, isFailing: this.#isFailing };
  }

  after(committed: Committed): void {
    if (this.#options.isNews(committed)) this.#wake();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  #wake(): void {
    this.#again = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  async #run(): Promise<void> {
    const { name, gatherMs = 0, sleep, warn } = this.#options;
    const { signal } = this.#closing;
    while (this.#again && !signal.aborted) {
      if (gatherMs > 0) await sleep(gatherMs, signal);
      this.#again = false;
      try {
        await this.#drain();
      } catch (error) {
        if (!signal.aborted) warn(`${name}: ${error instanceof Error ? error.message : error}`);
      }
    }
  }

  async #drain(): Promise<void> {
    const { read, batchMax } = this.#options;
    for (;;) {
      const { items, upTo, more } = await read(this.#cursor);
      for (let from = 0; from < items.length; from += batchMax) {
        const batch = items.slice(from, from + batchMax);
        await this.#deliver(batch.map(({ message }) => message));
        this.#keepCursor(batch.at(-1)?.upTo ?? upTo);
      }
      if (upTo !== this.#cursor) this.#keepCursor(upTo);
      if (!more) return;
    }
  }

  /** Again and again, ever more slowly, until it is taken or the server closes. */
  async #deliver(messages: readonly Message[]): Promise<void> {
    const { name, send, sleep, warn } = this.#options;
    const { signal } = this.#closing;
    for (let pauseMs = pauseMsFirst; ; pauseMs = Math.min(pauseMsMax, pauseMs * 2)) {
      signal.throwIfAborted();
      try {
        await send(messages, signal);
        this.#delivered += messages.length;
        this.#turn(undefined);
        return;
      } catch (error) {
        signal.throwIfAborted();
        const fault = error instanceof Error ? error.message : String(error);
        this.#failed++;
        warn(`${name}: ${messages.length} not taken (${fault}); again in ${pauseMs / 1_000} s`);
        this.#turn(fault);
      }
      await sleep(pauseMs, signal);
    }
  }

  #turn(fault: string | undefined): void {
    if (this.#isFailing === (fault !== undefined)) return;
    this.#isFailing = fault !== undefined;
    this.#options.turned?.(fault);
  }

  #keepCursor(cursor: string): void {
    const { cursorFile, name, warn } = this.#options;
    this.#cursor = cursor;
    try {
      writeFileSync(`${cursorFile}.new`, `${cursor}\n`, { mode: 0o600 });
      renameSync(`${cursorFile}.new`, cursorFile);
    } catch (error) {
      // On a full disk what was taken is told again after a restart, no more.
      warn(`${name}: ${error instanceof Error ? error.message : error}`);
    }
  }
}
