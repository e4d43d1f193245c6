import { totalmem } from "node:os";
import { Worker } from "node:worker_threads";
import { Outage } from "../flow/control.ts";
import type { RollUpAnswer, RollUpQuery } from "../flow/series/query.ts";
import type { FromSeries, SeriesSeen, SeriesStart, ToSeries } from "./series-messages.ts";

const mebibyte = 1024 * 1024;
/** A state of its own, and the lines. */
const memory = { maxOldGenerationSizeMb: Math.max(512, Math.floor(totalmem() / mebibyte / 4)) };
const tellEveryMs = 5_000;
const restartMs = 30_000;
const closeMsMax = 10_000;
/** Questions that wait; with more, one is refused. */
const questionsMax = 64;

/** What the journal says of the past, rolled up. */
export interface JournalSeries {
  read(query: RollUpQuery): Promise<RollUpAnswer>;
}

interface Waiting {
  readonly resolve: (answer: RollUpAnswer) => void;
  readonly reject: (error: Error) => void;
}

/** The API's side of the thread that follows the journal. */
export class ThreadedSeries implements JournalSeries {
  readonly #start: SeriesStart;
  readonly #seen: () => SeriesSeen;
  readonly #warn: (text: string) => void;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #nextId = 1;
  #timer: NodeJS.Timeout | undefined;
  #restart: NodeJS.Timeout | undefined;
  #closed: (() => void) | undefined;

  constructor(start: SeriesStart, seen: () => SeriesSeen, warn: (text: string) => void) {
    this.#start = start;
    this.#seen = seen;
    this.#warn = warn;
    this.#open();
    this.#timer = setInterval(() => this.#post({ kind: "seen", ...this.#seen() }), tellEveryMs);
    this.#timer.unref();
  }

  read(query: RollUpQuery): Promise<RollUpAnswer> {
    if (this.#worker === undefined) return Promise.reject(new Outage("the series are not there now"));
    if (this.#waiting.size >= questionsMax) return Promise.reject(new Outage("too many charts are asked for at once"));
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#post({ kind: "ask", id, query, ...this.#seen() });
    });
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    clearTimeout(this.#restart);
    const worker = this.#worker;
    if (worker === undefined) return;
    const closed = new Promise<void>((resolve) => {
      this.#closed = resolve;
      setTimeout(resolve, closeMsMax).unref();
    });
    this.#post({ kind: "close" });
    await closed;
    this.#worker = undefined;
    await worker.terminate();
  }

  #open(): void {
    const program = new URL("./series-thread.js", import.meta.url);
    const worker = new Worker(program, { workerData: this.#start, resourceLimits: memory });
    this.#worker = worker;
    worker.unref();
    worker.on("message", (message: FromSeries) => this.#hear(message));
    worker.on("error", (error) => this.#fail(error.message));
  }

  #hear(message: FromSeries): void {
    switch (message.kind) {
      case "answer":
        this.#take(message.id)?.resolve(message.answer);
        return;
      case "failed":
        this.#take(message.id)?.reject(new Outage(message.message));
        return;
      case "warning":
        this.#warn(message.text);
        return;
      case "closed":
        this.#closed?.();
    }
  }

  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }

  /** Nothing is lost: what was not written yet follows from the journal. */
  #fail(why: string): void {
    this.#worker = undefined;
    for (const { reject } of this.#waiting.values()) reject(new Outage(why));
    this.#waiting.clear();
    this.#closed?.();
    if (this.#closed !== undefined) return;
    this.#warn(`the series stopped (${why}) and begin again in ${restartMs / 1_000} s`);
    this.#restart = setTimeout(() => this.#open(), restartMs);
    this.#restart.unref();
  }

  #post(message: ToSeries): void {
    this.#worker?.postMessage(message);
  }
}
