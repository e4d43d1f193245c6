import type { QueryOf, RouteId } from "@tessera/wire";
import type { WatchRoute } from "@tessera/wire/addresses";
import { useCallback, useMemo, useSyncExternalStore } from "react";
import { addressOf, call, callAll, type ItemOf } from "./call.ts";
import { noteLive, noteLost } from "./connection.ts";
import { EventStream } from "./event-stream.ts";
import { LiveList } from "./live-list.ts";

/** The key of an item in each list. */
const keys: Readonly<Partial<Record<RouteId, (item: never) => string>>> = {
  readFleet: (item: { name: string }) => item.name,
  listNodes: (item: { name: string }) => item.name,
  listGpus: (item: { uuid: string }) => item.uuid,
  listEngines: (item: { name: string }) => item.name,
  listPools: (item: { name: string }) => item.name,
  listEvents: (item: { at: string; kind: string; subject: string; text: string }) =>
    `${item.at} ${item.kind} ${item.subject} ${item.text}`,
  listAudit: (item: { at: string; requestId: string; action: string; target: string }) =>
    `${item.at} ${item.requestId} ${item.action} ${item.target}`,
};
const usualKey = (item: { id: string }) => item.id;

const pageLimit = 1000;
const lingerMs = 5_000;
/** Of the six connections that a browser has for one server, some must be left for requests. */
const streamsMax = 2;
const retryMsMax = 5_000;

/** One event stream, shared by all parts of the page that show the same list, and kept open for a moment after the last one. */
class Stream {
  readonly id: WatchRoute;
  readonly query: object;
  readonly list: LiveList<object>;
  readonly #listeners = new Set<() => void>();
  #source: EventStream | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #linger: ReturnType<typeof setTimeout> | undefined;
  #retryMs = 500;
  #frame = 0;

  constructor(id: WatchRoute, query: object) {
    this.id = id;
    this.query = query;
    this.list = new LiveList((keys[id] ?? usualKey) as (item: object) => string);
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    clearTimeout(this.#linger);
    if (this.#source === undefined) this.open();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#linger = setTimeout(() => {
        this.close();
        const key = keyOf(this.id, this.query);
        if (streams.get(key) === this) streams.delete(key);
      }, lingerMs);
    };
  }

  get isOpen(): boolean {
    return this.#source !== undefined;
  }

  get isWanted(): boolean {
    return this.#listeners.size > 0;
  }

  open(): void {
    if (this.#source !== undefined || document.hidden) return;
    makeRoom();
    const limited = this.id === "readFleet" ? this.query : { limit: pageLimit, ...this.query };
    const source: EventStream = new EventStream(addressOf(this.id, {}, limited), {
      opened: () => {
        this.#retryMs = 500;
        noteLive(this);
      },
      heard: (event, data) => this.#hear(event, JSON.parse(data)),
      lost: () => this.#failed(source),
    });
    this.#source = source;
  }

  #hear(event: string, value: { items: object[]; id: string }): void {
    if (event === "sync") this.#sync(value.items);
    else if (event === "put") this.list.put(value);
    else if (event === "delete") this.list.delete(value.id);
    this.#tell();
  }

  close(): void {
    clearTimeout(this.#retry);
    this.#source?.close();
    this.#source = undefined;
    noteLive(this);
  }

  #sync(items: object[]): void {
    this.list.sync(items);
    this.#tell();
    if (this.id !== "readFleet" && this.id !== "listEvents" && this.id !== "listAudit" && items.length === pageLimit) {
      void callAll(this.id, this.query as never).then(
        (all) => {
          this.list.addMissing(all as object[]);
          this.#tell();
        },
        () => {}, // the stream itself says when the server is gone
      );
    }
  }

  #failed(source: EventStream): void {
    if (this.#source !== source) return;
    noteLost(this);
    this.#source = undefined;
    this.#retry = setTimeout(() => {
      // A refusal cannot be told from an outage here; an ordinary request can.
      void call("whoAmI").catch(() => {});
      this.open();
    }, this.#retryMs);
    this.#retryMs = Math.min(retryMsMax, this.#retryMs * 2);
  }

  /** At most once a frame, however much arrives. */
  #tell(): void {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      for (const listener of this.#listeners) listener();
    });
  }
}

const streams = new Map<string, Stream>();

/** Closes streams that only linger, the oldest first, until a new one can be opened. */
function makeRoom(): void {
  let open = [...streams.values()].filter(({ isOpen }) => isOpen).length;
  for (const [key, stream] of streams) {
    if (open < streamsMax) return;
    if (!stream.isOpen || stream.isWanted) continue;
    stream.close();
    streams.delete(key);
    open--;
  }
}

function keyOf(id: string, query: object): string {
  return `${id} ${JSON.stringify(query)}`;
}

function streamOf(id: WatchRoute, query: object): Stream {
  const key = keyOf(id, query);
  let stream = streams.get(key);
  if (stream === undefined) {
    stream = new Stream(id, query);
    streams.set(key, stream);
  }
  return stream;
}

// Browsers allow few connections to one server, shared by all tabs: hidden tabs give theirs back.
if (typeof document !== "undefined") {
  document.addEventListener("visibilitychange", () => {
    for (const stream of streams.values()) {
      if (document.hidden) stream.close();
      else stream.open();
    }
  });
}

/** Closes all streams and drops what was read: another user may sign in next. */
export function forgetStreams(): void {
  for (const stream of streams.values()) stream.close();
  streams.clear();
}

/** A list that stays up to date by itself; undefined until it has arrived. */
export function useLive<Id extends WatchRoute>(
  id: Id,
  query: QueryOf<Id> | Record<string, never> = {},
  on = true,
): readonly ItemOf<Id>[] | undefined {
  const text = JSON.stringify(query);
  const stream = useMemo(() => (on ? streamOf(id, JSON.parse(text) as object) : undefined), [id, text, on]);
  const subscribe = useCallback((listener: () => void) => stream?.listen(listener) ?? (() => {}), [stream]);
  return useSyncExternalStore(subscribe, () => stream?.list.items) as readonly ItemOf<Id>[] | undefined;
}
