import { setTimeout as sleep } from "node:timers/promises";
import { type ApiClient, jittered } from "./client.ts";
import { ApiError, ClusterAway, isStatus } from "./error.ts";
import type { KubeObject, List } from "./types.ts";

export interface MirrorSpec<Item extends KubeObject> {
  /** Where the kind is listed; for all namespaces. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Where one object is read, to confirm that it is gone. */
  readonly pathOf: (item: Item) => string;
  /** What is kept of an object: managed fields and the like would only take memory. */
  readonly keep: (item: Item) => Item;
  /** The API may not have this kind at all; then it has no objects. */
  readonly optional?: true;
  /** Everything was listed. */
  readonly onListed?: () => void;
  readonly onChange: (now: Item | undefined, before: Item | undefined) => void;
}

type WatchEvent<Item> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK"; readonly object: Item }
  | {
      readonly type: "ERROR";
      readonly object: { readonly code: number; readonly reason: string; readonly message: string };
    };

const pageSize = 500;
const waitMsFirst = 100;
const waitMsMax = 10_000;
/** The server ends a watch itself after this long, so that connections spread over its replicas. */
const watchSeconds = 540;
/** A bookmark comes about once a minute; a connection that is silent for longer is dead without saying so. */
const silentMsMax = 150_000;
/** An optional kind that is not there is looked for again, since it may be installed meanwhile. */
const absentMs = 300_000;
/** How many deleted objects are remembered, so that a late answer does not bring one back. */
const goneMax = 10_000;

/**
 * A copy of all objects of one kind, kept by one watch. Level-triggered: a listener sees the newest state of each object,
 * perhaps not all states in between. An object that is missing in a list is asked for by name before it counts as gone.
 */
export class Mirror<Item extends KubeObject> {
  readonly #client: ApiClient;
  readonly #spec: MirrorSpec<Item>;
  readonly #items = new Map<string, Item>();
  readonly #gone = new Set<string>();
  readonly #closing = new AbortController();
  #synced = false;
  #watching = false;
  #trouble: Error | undefined;
  #waiters: (() => void)[] = [];
  /** How often everything was listed, for figures. */
  lists = 0;

  constructor(client: ApiClient, spec: MirrorSpec<Item>) {
    this.#client = client;
    this.#spec = spec;
    void this.#run();
  }

  get(key: string): Item | undefined {
    return this.#items.get(key);
  }

  values(): IterableIterator<Item> {
    return this.#items.values();
  }

  /** Waits until everything was listed once and the watch is up; throws what stands in the way. */
  async ready(timeoutMs: number): Promise<void> {
    const until = performance.now() + timeoutMs;
    while (!this.#synced || !this.#watching) {
      const left = until - performance.now();
      if (left <= 0 || this.#closing.signal.aborted || isFinal(this.#trouble)) {
        throw this.#trouble ?? new ClusterAway(`${this.#spec.path} could not be listed within ${timeoutMs / 1000} s`);
      }
      const timer = new AbortController();
      await Promise.race([
        new Promise<void>((resolve) => this.#waiters.push(resolve)),
        sleep(left, undefined, { signal: timer.signal }).catch(() => {}),
      ]);
      timer.abort();
    }
  }

  /** Takes in the answer to a call of ours, unless something newer was seen. */
  put(item: Item): void {
    this.#take(item);
  }

  close(): void {
    this.#closing.abort();
    this.#wake();
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    let version: string | undefined;
    for (let wait = waitMsFirst; !signal.aborted; ) {
      try {
        version ??= await this.#list();
        const begun = performance.now();
        version = await this.#watch(version);
        // A watch that is closed at once, time and again, must not become a loop.
        wait = performance.now() - begun > waitMsMax ? waitMsFirst : Math.min(2 * wait, waitMsMax);
      } catch (error) {
        if (signal.aborted) return;
        this.#trouble = error as Error;
        if (isStatus(error, 410)) version = undefined;
        else wait = Math.min(2 * wait, waitMsMax);
        if (this.#spec.optional && isStatus(error, 404)) {
          this.#synced = true;
          this.#watching = true;
          wait = absentMs;
          version = undefined;
        } else {
          this.#watching = false;
        }
        // Also in trouble: those that wait may have nothing to wait for any more.
        this.#wake();
      }
      await sleep(jittered(wait), undefined, { signal, ref: false }).catch(() => {});
    }
  }

  async #list(): Promise<string> {
    const { path, query } = this.#spec;
    const { signal } = this.#closing;
    this.lists++;
    const seen = new Set<string>();
    let next: string | undefined;
    let version = "";
    do {
      const page: List<Item> = await this.#client.get(path, {
        query: { ...query, limit: pageSize, continue: next },
        signal,
        timeoutMs: 60_000,
      });
      for (const item of page.items) {
        seen.add(keyOf(item));
        this.#take(item);
      }
      next = page.metadata.continue === "" ? undefined : page.metadata.continue;
      version = page.metadata.resourceVersion ?? version;
    } while (next !== undefined);
    for (const [key, item] of [...this.#items]) if (!seen.has(key)) await this.#confirm(item);
    this.#synced = true;
    this.#spec.onListed?.();
    return version;
  }

  /** Missing from one list is not gone: the object itself is asked for. */
  async #confirm(item: Item): Promise<void> {
    try {
      const found = await this.#client.get<Item>(this.#spec.pathOf(item), { signal: this.#closing.signal });
      if (found.metadata.uid === item.metadata.uid) this.#take(found);
      else this.#remove(item);
    } catch (error) {
      if (!isStatus(error, 404)) throw error;
      this.#remove(item);
    }
  }

  /** Follows changes from `version` on; returns the version to go on with when the watch is closed. */
  async #watch(version: string): Promise<string> {
    const { path, query } = this.#spec;
    const { signal } = this.#closing;
    let at = version;
    const answer = await this.#client.stream(path, {
      query: { ...query, watch: true, allowWatchBookmarks: true, resourceVersion: at, timeoutSeconds: watchSeconds },
      signal,
    });
    answer.socket.setKeepAlive(true, 10_000);
    const silence = setTimeout(() => answer.destroy(), silentMsMax).unref();
    this.#watching = true;
    this.#trouble = undefined;
    this.#wake();
    try {
      for await (const line of linesOf(answer)) {
        silence.refresh();
        const event = JSON.parse(line) as WatchEvent<Item>;
        if (event.type === "ERROR") {
          const { code, reason, message } = event.object;
          throw new ApiError(code, reason, message);
        }
        at = event.object.metadata.resourceVersion ?? at;
        if (event.type === "DELETED") this.#remove(event.object);
        else if (event.type !== "BOOKMARK") this.#take(event.object);
      }
    } catch (error) {
      if (error instanceof ApiError) throw error;
      // The connection broke: what was seen so far was seen.
    } finally {
      clearTimeout(silence);
      answer.destroy();
    }
    return at;
  }

  #take(found: Item): void {
    const key = keyOf(found);
    const before = this.#items.get(key);
    const { uid } = found.metadata;
    if (uid !== undefined && this.#gone.has(uid)) return;
    if (before !== undefined && before.metadata.uid === uid && !isNewer(found, before)) return;
    // The same name with another uid: the old object is gone, and this is another.
    if (before !== undefined && before.metadata.uid !== uid) {
      if (!isNewer(found, before)) return;
      this.#remove(before);
    }
    const now = this.#spec.keep(found);
    this.#items.set(key, now);
    this.#spec.onChange(now, before?.metadata.uid === uid ? before : undefined);
  }

  #remove(item: Item): void {
    const key = keyOf(item);
    const { uid } = item.metadata;
    if (uid !== undefined) {
      this.#gone.add(uid);
      if (this.#gone.size > goneMax) for (const oldest of this.#gone) if (this.#gone.delete(oldest)) break;
    }
    const before = this.#items.get(key);
    if (before === undefined || before.metadata.uid !== uid) return;
    this.#items.delete(key);
    // The last state comes with the event; a status that was set with the deletion would be missed otherwise.
    this.#spec.onChange(undefined, isNewer(item, before) ? this.#spec.keep(item) : before);
  }

  #wake(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const each of waiters) each();
  }
}

/** Waiting does not help against missing rights. */
function isFinal(trouble: Error | undefined): boolean {
  return isStatus(trouble, 401) || isStatus(trouble, 403);
}

export function keyOf({ metadata }: KubeObject): string {
  return metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
}

/** Versions of one kind are numbers that grow. */
function isNewer(a: KubeObject, b: KubeObject): boolean {
  return Number(a.metadata.resourceVersion) > Number(b.metadata.resourceVersion);
}

async function* linesOf(stream: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest: Buffer[] = [];
  for await (const part of stream) {
    let from = 0;
    for (let end = part.indexOf(10, from); end !== -1; end = part.indexOf(10, from)) {
      rest.push(part.subarray(from, end));
      const line = rest.length === 1 ? rest[0]!.toString("utf8") : Buffer.concat(rest).toString("utf8");
      rest = [];
      from = end + 1;
      if (line !== "") yield line;
    }
    if (from < part.length) rest.push(part.subarray(from));
  }
}
