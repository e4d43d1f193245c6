import { createHmac } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import type { Event } from "@tessera/core";
import type { CommitListener, Committed } from "../flow/commits.ts";
import { eventsOf } from "../flow/write/recover.ts";
import type { StoreReader } from "../store/port.ts";

export interface WebhookOptions {
  readonly url: string;
  readonly key: Buffer;
  /** Where the number of the last row is kept of which everything was delivered. */
  readonly cursorFile: string;
  readonly reader: Pick<StoreReader, "rows" | "head">;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly now: () => number;
  readonly warn: (text: string) => void;
}

const rowsPerPage = 200;
const answerMsMax = 10_000;
const pauseMsFirst = 1_000;
const pauseMsMax = 300_000;

/**
 * Tells another system of budgets and invoices. What is told comes from the journal, in its order, and the cursor moves
 * only when it was taken: a receiver may hear a thing twice and never misses one, whatever crashes. The body is signed
 * with the key in `keys/webhook.key`, so that a receiver can tell us from others and an old message from a new one.
 */
export class Webhook implements CommitListener {
  readonly #options: WebhookOptions;
  readonly #closing = new AbortController();
  #cursor: number;
  #running: Promise<void> | undefined;
  #again = false;
  /** Messages taken, and attempts that failed, since the start. */
  delivered = 0;
  failed = 0;

  constructor(options: WebhookOptions, startFrom: number) {
    this.#options = options;
    const known = existsSync(options.cursorFile) ? Number(readFileSync(options.cursorFile, "utf8")) : Number.NaN;
    this.#cursor = Number.isSafeInteger(known) ? known : startFrom;
    this.#wake();
  }

  after({ events }: Committed): void {
    if (events.some(isTold)) this.#wake();
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
    while (this.#again && !this.#closing.signal.aborted) {
      this.#again = false;
      try {
        await this.#drain();
      } catch (error) {
        if (!this.#closing.signal.aborted) this.#options.warn(`webhook: ${(error as Error).message}`);
      }
    }
  }

  async #drain(): Promise<void> {
    for (;;) {
      const rows = await this.#options.reader.rows(this.#cursor + 1, rowsPerPage);
      for (const row of rows) {
        for (const [index, event] of eventsOf(row.events).entries()) {
          if (isTold(event)) await this.#deliver(event, `${row.seq}.${index}`);
        }
        this.#cursor = row.seq;
      }
      if (rows.length > 0) this.#keepCursor();
      if (rows.length < rowsPerPage) return;
    }
  }

  /** Again and again, ever more slowly, until it is taken or the server closes. */
  async #deliver(event: Event, id: string): Promise<void> {
    const { signal } = this.#closing;
    for (let pauseMs = pauseMsFirst; ; pauseMs = Math.min(pauseMsMax, pauseMs * 2)) {
      const fault = await this.#send(event, id);
      if (fault === undefined) {
        this.delivered++;
        return;
      }
      this.failed++;
      this.#options.warn(`webhook: ${event.kind} was not taken (${fault}); again in ${pauseMs / 1_000} s`);
      await this.#options.sleep(pauseMs, signal);
      signal.throwIfAborted();
    }
  }

  async #send(event: Event, id: string): Promise<string | undefined> {
    const { url, key, now } = this.#options;
    const body = JSON.stringify(messageOf(event, id));
    const at = Math.floor(now() / 1_000);
    const signature = createHmac("sha256", key).update(`${at}.${body}`).digest("hex");
    try {
      const answer = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/cloudevents+json", "tessera-signature": `t=${at},v1=${signature}` },
        body,
        redirect: "manual", // a receiver that sends us elsewhere is not the one that was named
        signal: AbortSignal.any([this.#closing.signal, AbortSignal.timeout(answerMsMax)]),
      });
      await answer.body?.cancel();
      return answer.ok ? undefined : `status ${answer.status}`;
    } catch (error) {
      return ((error as Error).cause as Error | undefined)?.message ?? (error as Error).message;
    }
  }

  #keepCursor(): void {
    const draft = `${this.#options.cursorFile}.new`;
    writeFileSync(draft, `${this.#cursor}\n`, { mode: 0o600 });
    renameSync(draft, this.#options.cursorFile);
  }
}

const told = new Set<Event["kind"]>([
  "budget-reached",
  "budget-foreseen",
  "own-budget-spent",
  "credit-reached",
  "invoice-issued",
]);

function isTold({ kind }: Event): boolean {
  return told.has(kind);
}

/** As a CloudEvent: the id is the same each time it is sent. */
function messageOf(event: Event, id: string): object {
  const { kind, v: _, at, ...rest } = event;
  return {
    specversion: "1.0",
    id,
    source: "/tessera",
    type: `tessera.${kind}`,
    time: new Date(at).toISOString(),
    datacontenttype: "application/json",
    data: rest,
  };
}
