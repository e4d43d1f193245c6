import type { Outage } from "../flow/control.ts";
import type { RollUpAnswer, RollUpQuery } from "../flow/series/query.ts";
import { FairQueue } from "./fair-queue.ts";

/** Questions that wait, of one caller and of all; with more, one is refused. */
const limits = { perCaller: 32, all: 256 };
/** Questions that the thread has at a time. It answers in order: more in flight only delays later callers. */
const askedMax = 8;

interface Question {
  readonly query: RollUpQuery;
  readonly resolve: (answer: RollUpAnswer) => void;
  readonly reject: (error: Error) => void;
}

/** Questions to the thread of the series. Callers take turns: the charts of one hold up none of another. */
export class SeriesQuestions {
  readonly #send: (id: number, query: RollUpQuery) => void;
  readonly #waiting = new FairQueue<Question>(limits);
  readonly #asked = new Map<number, { readonly caller: string; readonly item: Question }>();
  #nextId = 1;

  constructor(send: (id: number, query: RollUpQuery) => void) {
    this.#send = send;
  }

  /** Rejects with QueueFull when too much waits. */
  ask(query: RollUpQuery, caller: string): Promise<RollUpAnswer> {
    return new Promise((resolve, reject) => {
      this.#waiting.add(caller, { query, resolve, reject });
      this.#next();
    });
  }

  answered(id: number, answer: RollUpAnswer): void {
    this.#done(id)?.resolve(answer);
  }

  failed(id: number, why: Outage): void {
    this.#done(id)?.reject(why);
  }

  /** There is no thread to answer them. */
  refuseAll(why: Outage): void {
    for (const id of [...this.#asked.keys()]) this.#free(id)!.reject(why);
    for (let next = this.#waiting.take(); next !== undefined; next = this.#waiting.take()) {
      this.#waiting.done(next.caller);
      next.item.reject(why);
    }
  }

  /** Sends what may be asked now. */
  #next(): void {
    while (this.#asked.size < askedMax) {
      const next = this.#waiting.take();
      if (next === undefined) return;
      const id = this.#nextId++;
      this.#asked.set(id, next);
      this.#send(id, next.item.query);
    }
  }

  /** Undefined for a question that was refused meanwhile. */
  #done(id: number): Question | undefined {
    const question = this.#free(id);
    this.#next();
    return question;
  }

  #free(id: number): Question | undefined {
    const asked = this.#asked.get(id);
    if (asked === undefined) return undefined;
    this.#asked.delete(id);
    this.#waiting.done(asked.caller);
    return asked.item;
  }
}
