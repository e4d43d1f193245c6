import { totalmem } from "node:os";
import { Worker } from "node:worker_threads";
import { Outage } from "../flow/control.ts";
import type { RollUpAnswer, RollUpQuery } from "../flow/series/query.ts";
import type { FromSeries, SeriesSeen, SeriesStart, ToSeries } from "./series-messages.ts";
import { SeriesQuestions } from "./series-questions.ts";

const mebibyte = 1024 * 1024;
/** A state of its own, and the lines. */
const memory = { maxOldGenerationSizeMb: Math.max(512, Math.floor(totalmem() / mebibyte / 4)) };
const tellEveryMs = 5_000;
const restartMs = 30_000;
const closeMsMax = 10_000;

/** What the journal says of the past, rolled up. */
export interface JournalSeries {
  /** Rejects with an Outage where it cannot be read now, with QueueFull where too many questions wait. */
  read(query: RollUpQuery, caller: string): Promise<RollUpAnswer>;
}

/** The API's side of the thread that follows the journal. */
export class ThreadedSeries implements JournalSeries {
  readonly #start: SeriesStart;
  readonly #seen: () => SeriesSeen;
  readonly #warn: (text: string) => void;
  readonly #questions = new SeriesQuestions((id, query) => this.#post({ kind: "ask", id, query, ...this.#seen() }));
  #worker: Worker | undefined;
  /** Why there is no worker, where there is none. */
  #absence = "";
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

  read(query: RollUpQuery, caller: string): Promise<RollUpAnswer> {
    if (this.#worker === undefined) return Promise.reject(new Outage(this.#absence));
    return this.#questions.ask(query, caller);
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
    this.#end("the server ends");
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
        this.#questions.answered(message.id, message.answer);
        return;
      case "failed":
        this.#questions.failed(message.id, new Outage(message.message));
        return;
      case "warning":
        this.#warn(message.text);
        return;
      case "closed":
        this.#closed?.();
    }
  }

  /** Nothing is lost: what was not written yet follows from the journal. */
  #fail(why: string): void {
    this.#end(why);
    this.#closed?.();
    if (this.#closed !== undefined) return;
    this.#warn(`the series stopped (${why}) and begin again in ${restartMs / 1_000} s`);
    this.#restart = setTimeout(() => this.#open(), restartMs);
    this.#restart.unref();
  }

  #end(why: string): void {
    this.#worker = undefined;
    this.#absence = why;
    this.#questions.refuseAll(new Outage(why));
  }

  #post(message: ToSeries): void {
    this.#worker?.postMessage(message);
  }
}
