import type { Event } from "@tessera/core";
import type { CommitListener, Committed } from "../flow/commits.ts";
import { eventsOf } from "../flow/write/recover.ts";
import type { StoreReader } from "../store/port.ts";
import { type Item, Outbox, type OutboxStatus } from "./outbox.ts";
import { signedPost } from "./signed-post.ts";

export interface WebhookOptions {
  readonly url: string;
  readonly key: Buffer;
  /** Where the number of the last row is kept of which everything was delivered. */
  readonly cursorFile: string;
  /** The row to begin after where none is kept, and the last one of the journal. */
  readonly startFrom: number;
  readonly headSeq: number;
  readonly reader: Pick<StoreReader, "rows" | "head">;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly now: () => number;
  readonly warn: (text: string) => void;
}

const rowsPerPage = 200;

interface Told {
  readonly event: Event;
  readonly id: string;
}

/** Tells another system of budgets, invoices and tokens that expire, one message at a time. */
export class Webhook implements CommitListener {
  readonly #outbox: Outbox<Told>;

  constructor({ url, key, cursorFile, startFrom, headSeq, reader, sleep, now, warn }: WebhookOptions) {
    this.#outbox = new Outbox<Told>({
      name: "webhook",
      cursorFile,
      startFrom: () => String(startFrom),
      isKnown: (cursor) => /^\d{1,15}$/.test(cursor) && Number(cursor) <= headSeq,
      read: (after) => readEvents(reader, Number(after)),
      send: async (messages, signal) => {
        for (const { event, id } of messages) {
          const body = JSON.stringify(messageOf(event, id));
          await signedPost({ url, body, contentType: "application/cloudevents+json" }, key, now(), signal);
        }
      },
      batchMax: 1,
      isNews: ({ events }) => events.some(isTold),
      sleep,
      warn,
    });
  }

  /** Messages taken, and attempts that failed, since the start. */
  get status(): OutboxStatus {
    return this.#outbox.status;
  }

  after(committed: Committed): void {
    this.#outbox.after(committed);
  }

  close(): Promise<void> {
    return this.#outbox.close();
  }
}

async function readEvents(reader: Pick<StoreReader, "rows">, after: number) {
  const rows = await reader.rows(after + 1, rowsPerPage);
  const items = rows.flatMap(({ seq, events }) => {
    const found = [...eventsOf(events).entries()].filter(([, event]) => isTold(event));
    return found.map(([index, event], i): Item<Told> => {
      const isLast = i === found.length - 1;
      return { message: { event, id: `${seq}.${index}` }, upTo: String(isLast ? seq : seq - 1) };
    });
  });
  return { items, upTo: String(rows.at(-1)?.seq ?? after), more: rows.length === rowsPerPage };
}

const told = new Set<Event["kind"]>([
  "budget-reached",
  "budget-foreseen",
  "own-budget-spent",
  "job-idle",
  "credit-reached",
  "invoice-issued",
  "token-expiring",
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
