import type { QueryOf, RouteId } from "@tessera/wire";
import type { WatchRoute } from "@tessera/wire/addresses";
import { useCallback, useMemo, useSyncExternalStore } from "react";
import { addressOf, callAll, type ItemOf, Refused, signedOut } from "./call.ts";
import type { State, TopicEars, Topics } from "./channel.ts";
import { noteLive, noteLost } from "./connection.ts";
import { LiveList } from "./live-list.ts";
import { openTopics } from "./topics.ts";

/** The key of an item in each list. */
const keys: Readonly<Partial<Record<RouteId, (item: never) => string>>> = {
  readFleet: (item: { name: string }) => item.name,
  listNodes: (item: { name: string }) => item.name,
  listGpus: (item: { uuid: string }) => item.uuid,
  listEngines: (item: { name: string }) => item.name,
  listPools: (item: { name: string }) => item.name,
  listEvents: (item: { at: string; kind: string; subject: string; text: string }) =>
    `${item.at} ${item.kind} ${item.subject} ${item.text}`,
};
/** Records of what happened. */
const growing: ReadonlySet<RouteId> = new Set<RouteId>(["listEvents", "listAudit"]);
const usualKey = (item: { id: string }) => item.id;

const pageLimit = 1000;
const lingerMs = 5_000;

/** A list that is watched, shared by all parts of the page that show it, and kept for a moment after the last one. */
class Stream {
  readonly id: WatchRoute;
  readonly query: object;
  readonly list: LiveList<object>;
  /** Why it cannot be watched. */
  refused: Refused | undefined;
  readonly #listeners = new Set<() => void>();
  #leave: (() => void) | undefined;
  #linger: ReturnType<typeof setTimeout> | undefined;
  #frame = 0;

  constructor(id: WatchRoute, query: object) {
    this.id = id;
    this.query = query;
    this.list = new LiveList((keys[id] ?? usualKey) as (item: object) => string, growing.has(id));
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    clearTimeout(this.#linger);
    this.open();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#linger = setTimeout(() => {
        this.close();
        this.#forget();
      }, lingerMs);
    };
  }

  open(): void {
    if (this.#leave !== undefined || document.hidden) return;
    const limited = this.id === "readFleet" ? this.query : { limit: pageLimit, ...this.query };
    this.#leave = topics().watch(addressOf(this.id, {}, limited), {
      heard: (event, data) => this.#hear(event, JSON.parse(data)),
      refused: (problem) => {
        this.refused = new Refused(problem);
        this.close();
        this.#forget(); // the next to ask may have another role by then
        this.#tell();
      },
    });
  }

  close(): void {
    this.#leave?.();
    this.#leave = undefined;
  }

  #forget(): void {
    const key = keyOf(this.id, this.query);
    if (streams.get(key) === this) streams.delete(key);
  }

  #hear(event: string, value: { items: object[]; id: string }): void {
    if (event === "sync") this.#sync(value.items);
    else if (event === "put") this.list.put(value);
    else if (event === "delete") this.list.delete(value.id);
    this.#tell();
  }

  #sync(items: object[]): void {
    this.list.sync(items);
    this.#tell();
    if (this.id !== "readFleet" && !growing.has(this.id) && items.length === pageLimit) {
      void callAll(this.id, this.query as never).then(
        (all) => {
          this.list.addMissing(all as object[]);
          this.#tell();
        },
        () => {}, // the stream itself says when the server is gone
      );
    }
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

let opened: Topics | undefined;
let isSignedIn = false;

function topics(): Topics {
  opened ??= openTopics(note);
  return opened;
}

/** Has what an address answers told on the stream of all windows, until the returned function is called. */
export function watchTopic(address: string, ears: TopicEars): () => void {
  return topics().watch(address, ears);
}

/** One heartbeat for every page, also for those that watch no list. */
function note(state: State): void {
  if (!isSignedIn) return;
  if (state.is === "live") noteLive();
  else if (state.is === "lost") noteLost();
  else signedOut(state.why);
}

/** Follows the server from now on: someone is signed in. */
export function beginStreams(): void {
  isSignedIn = true;
  topics().want(!document.hidden);
}

// A hidden window costs the server nothing.
if (typeof document !== "undefined") {
  document.addEventListener("visibilitychange", () => {
    if (!isSignedIn) return;
    topics().want(!document.hidden);
    for (const stream of streams.values()) {
      if (document.hidden) stream.close();
      else stream.open();
    }
  });
}

/** Stops following and drops what was read: another user may sign in next. */
export function forgetStreams(): void {
  isSignedIn = false;
  noteLive();
  for (const stream of streams.values()) stream.close();
  streams.clear();
  opened?.want(false);
}

/** A list that stays up to date by itself; undefined until it has arrived. Its refusal is for the boundary around it. */
export function useLive<Id extends WatchRoute>(
  id: Id,
  query: QueryOf<Id> | Record<string, never> = {},
  on = true,
): readonly ItemOf<Id>[] | undefined {
  const text = JSON.stringify(query);
  const stream = useMemo(() => (on ? streamOf(id, JSON.parse(text) as object) : undefined), [id, text, on]);
  const subscribe = useCallback((listener: () => void) => stream?.listen(listener) ?? (() => {}), [stream]);
  const now = useSyncExternalStore(subscribe, () => stream?.refused ?? stream?.list.items);
  if (now instanceof Refused) throw now;
  return now as readonly ItemOf<Id>[] | undefined;
}
