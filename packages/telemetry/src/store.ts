import { Worker } from "node:worker_threads";
import { memoryOf } from "./batch.ts";
import { Lines } from "./lines.ts";
import type { FromThread, Questions, ThreadStart, ToThread } from "./messages.ts";
import { packRows } from "./packer.ts";
import {
  type BusyQuery,
  type BusyRow,
  type SeriesAnswer,
  type SeriesQuery,
  TelemetryAway,
  type TelemetryFilter,
  type TelemetryStatus,
  type TelemetryStore,
  TelemetryTooWide,
} from "./port.ts";
import type { MemberRow, TelemetryRow } from "./row.ts";
import { type TelemetrySettings, usualSettings } from "./settings.ts";

export interface StoreParts {
  /** Absent: nothing outlives the process. */
  readonly dir?: string;
  readonly settings?: TelemetrySettings;
  readonly warn: (text: string) => void;
}

/** Batches that the thread has not taken in yet; with more, it is too slow, and rows are dropped. */
const batchesMax = 32;
/** Questions that wait; with more, one is refused. */
const questionsMax = 64;
const restartMs = 30_000;

interface Waiting {
  readonly resolve: (answer: Questions[keyof Questions]["answer"]) => void;
  readonly reject: (error: Error) => void;
}

/** The store, in a thread of its own: this side only packs rows and remembers the newest. */
class ThreadedStore implements TelemetryStore {
  readonly #parts: StoreParts;
  readonly #lines = new Lines();
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #restart: NodeJS.Timeout | undefined;
  #nextId = 0;
  #batches = 0;
  #dropped = 0;
  #fault: string | undefined;
  #closed = false;

  constructor(parts: StoreParts) {
    this.#parts = parts;
    this.#start();
  }

  write(rows: readonly TelemetryRow[], members: readonly MemberRow[] = []): void {
    if (rows.length + members.length === 0) return;
    const packed = packRows(this.#lines, rows, members);
    const isFull = this.#batches >= batchesMax;
    if (this.#worker === undefined || isFull) this.#dropped += rows.length + members.length;
    this.#batches++;
    // The names of new lines go over in any case: they are said once.
    const batches = isFull ? [] : packed.batches;
    this.#post({ kind: "write", ...packed, batches }, batches.flatMap(memoryOf));
  }

  latest(filter?: TelemetryFilter): TelemetryRow[] {
    return this.#lines.rows(filter);
  }

  latestMembers(filter?: TelemetryFilter): MemberRow[] {
    return this.#lines.members(filter);
  }

  series(query: SeriesQuery): Promise<SeriesAnswer> {
    return this.#ask("series", query);
  }

  async busy(query: BusyQuery): Promise<BusyRow[]> {
    return [...(await this.#ask("busy", query))];
  }

  async status(): Promise<TelemetryStatus> {
    const more = { rowsDropped: this.#dropped, ...(this.#fault !== undefined && { fault: this.#fault }) };
    if (this.#worker === undefined)
      return {
        bytes: 0,
        bytesMax: this.#settings.bytesMax,
        memoryBytes: 0,
        cpuMs: 0,
        rowsWritten: 0,
        oldest: {},
        ...more,
      };
    return { ...(await this.#ask("status", null)), ...more };
  }

  async flush(): Promise<void> {
    await this.#ask("flush", null);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    if (this.#worker !== undefined) await this.#ask("close", null).catch(() => {});
    this.#closed = true;
    clearTimeout(this.#restart);
    await this.#worker?.terminate();
    this.#worker = undefined;
  }

  get #settings(): TelemetrySettings {
    return this.#parts.settings ?? usualSettings;
  }

  #start(): void {
    this.#batches = 0;
    this.#lines.forgetNumbers();
    const { dir } = this.#parts;
    const start: ThreadStart = { settings: this.#settings, ...(dir !== undefined && { dir }) };
    const worker = new Worker(new URL("./thread.js", import.meta.url), { workerData: start });
    worker.unref();
    worker.on("message", (message: FromThread) => this.#hear(message));
    worker.on("error", (error) => this.#failed(worker, error.message));
    worker.on("exit", () => this.#failed(worker, "its thread ended"));
    this.#worker = worker;
  }

  /** The rest of the server goes on; what is not kept meanwhile is counted. */
  #failed(worker: Worker, why: string): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    for (const { reject } of this.#waiting.values()) reject(new TelemetryAway(why));
    this.#waiting.clear();
    if (this.#closed) return;
    if (this.#fault !== why) this.#parts.warn(`telemetry is not kept: ${why}; it is tried again`);
    this.#fault = why;
    this.#restart = setTimeout(() => this.#start(), restartMs);
    this.#restart.unref();
  }

  #hear(message: FromThread): void {
    switch (message.kind) {
      case "ready":
        this.#fault = undefined;
        return;
      case "taken":
        this.#batches--;
        this.#dropped += message.dropped;
        return;
      case "warning":
        this.#fault = message.text;
        this.#parts.warn(`telemetry: ${message.text}`);
        return;
      case "answer":
        this.#waiting.get(message.id)?.resolve(message.answer);
        break;
      case "refused": {
        const { why, message: text } = message;
        this.#waiting
          .get(message.id)
          ?.reject(why === "too-wide" ? new TelemetryTooWide(text) : new TelemetryAway(text));
      }
    }
    this.#waiting.delete(message.id);
    if (this.#waiting.size === 0) this.#worker?.unref();
  }

  #ask<Kind extends keyof Questions>(kind: Kind, query: Questions[Kind]["query"]): Promise<Questions[Kind]["answer"]> {
    if (this.#worker === undefined) return Promise.reject(new TelemetryAway(this.#fault ?? "the store is closed"));
    if (this.#waiting.size >= questionsMax) return Promise.reject(new TelemetryAway("too many questions at once"));
    const id = this.#nextId++;
    const { promise, resolve, reject } = Promise.withResolvers<Questions[Kind]["answer"]>();
    this.#waiting.set(id, { resolve: resolve as Waiting["resolve"], reject });
    this.#worker.ref();
    this.#post({ kind, id, query } as ToThread);
    return promise;
  }

  #post(message: ToThread, transfer: ArrayBuffer[] = []): void {
    this.#worker?.postMessage(message, transfer);
  }
}

/** Opens the store. What is wrong with its folder is said and does not stop anything. */
export function openTelemetry(parts: StoreParts): TelemetryStore {
  return new ThreadedStore(parts);
}
