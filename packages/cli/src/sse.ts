import { setTimeout as sleep } from "node:timers/promises";
import type { AnswerOf, QueryOf } from "@tessera/wire";
import type { WatchRoute } from "@tessera/wire/addresses";
import { createParser } from "eventsource-parser";
import { Failure, Outage } from "./failure.ts";
import type { Api } from "./http.ts";

/** One message of an event stream. */
export interface StreamMessage {
  readonly event: string;
  readonly data: string;
  /** Of this message; absent where it has none of its own. */
  readonly id: string | undefined;
}

export type ItemOf<Id extends WatchRoute> = AnswerOf<Id> extends { items: (infer Item)[] } ? Item : never;

/** A change of a watched list: all of it, one item, or one item gone. */
export type Change<Item> =
  | { readonly event: "sync"; readonly items: readonly Item[] }
  | { readonly event: "put"; readonly item: Item }
  | { readonly event: "delete"; readonly id: string };

/** The messages of an event stream; comments are heartbeats and are dropped. */
export async function* readMessages(stream: AsyncIterable<string>): AsyncGenerator<StreamMessage> {
  const arrived: StreamMessage[] = [];
  const parser = createParser({
    onEvent: ({ event = "message", data, id }) => void arrived.push({ event, data, id }),
  });
  for await (const part of stream) {
    parser.feed(part);
    yield* arrived.splice(0);
  }
}

export interface WatchOptions {
  readonly signal?: AbortSignal;
  /** Told once when the stream is lost, and once when it is back. */
  readonly onLost?: (why: Outage) => void;
  readonly onBack?: () => void;
}

const pauseMsMax = 5_000;
const outageMsMax = 300_000;

/**
 * Follows a list for ever. A lost stream is taken up again after its last event; an outage is sat out for five minutes,
 * so that restarting the server does not end every open screen.
 */
export async function* watchList<Id extends WatchRoute>(
  api: Api,
  route: Id,
  query: QueryOf<Id>,
  { signal, onLost, onBack }: WatchOptions = {},
): AsyncGenerator<Change<ItemOf<Id>>> {
  let lastId: string | undefined;
  let lostAt: number | undefined;
  let reached = false;
  for (let tries = 0; signal?.aborted !== true; tries += 1) {
    try {
      const headers: Record<string, string> = lastId === undefined ? {} : { "last-event-id": lastId };
      const accept = "text/event-stream";
      const stream = await api.open(route, { query }, { accept, headers, ...(signal && { signal }) });
      stream.setEncoding("utf8");
      reached = true;
      if (lostAt !== undefined) onBack?.();
      lostAt = undefined;
      for await (const { event, data, id } of readMessages(stream)) {
        tries = 0;
        if (id !== undefined) lastId = id;
        const change = changeOf<ItemOf<Id>>(event, data);
        if (change !== undefined) yield change;
      }
    } catch (error) {
      if (signal?.aborted) return;
      const outage = outageOf(error);
      if (outage === undefined || !reached) throw error;
      if (lostAt === undefined) {
        onLost?.(outage);
        lostAt = performance.now();
      } else if (performance.now() - lostAt > outageMsMax) throw outage;
    }
    await sleep(Math.min(pauseMsMax, 100 * 2 ** Math.min(tries, 10)), undefined, { signal }).catch(() => {});
  }
}

/** The outage behind an error while reading an open stream; undefined when it is something else. */
export function outageOf(error: unknown): Outage | undefined {
  if (error instanceof Outage) return error;
  const cut = error instanceof Error && !(error instanceof Failure) && "code" in error;
  return cut ? new Outage("the connection was lost", "is the server still running?", error) : undefined;
}

function changeOf<Item>(event: string, data: string): Change<Item> | undefined {
  const value = JSON.parse(data);
  if (event === "sync") return { event, items: value.items };
  if (event === "put") return { event, item: value };
  if (event === "delete") return { event, id: value.id };
  return undefined;
}
