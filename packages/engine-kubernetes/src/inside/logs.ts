import { existsSync } from "node:fs";
import { join } from "node:path";
import type { EngineKeys } from "@tessera/content";
import { type LeaseId, parseLeaseId } from "@tessera/core";
import type { LogLine, LogQuery } from "@tessera/engine";
import { pruneLogs, readLog } from "@tessera/engine/log";
import type { ApiClient } from "../api/client.ts";
import type { Pod } from "../api/types.ts";
import { annotation } from "../names.ts";
import type { Members } from "./inside.ts";
import { isWhole, LogCopy, sealForOf } from "./log-copy.ts";

const usualMiB = 64;
/** Members that run for less are copied once, when they have ended. */
const followAfterMs = 3_000;
/** Each holds a connection to the API server; the others are copied when they are read, stopped or at their end. */
const followersMax = 200;
const keepFor = { logMs: 7 * 24 * 60 * 60 * 1000, logBytes: 16 * 2 ** 30 };

/** Logs of members, copied from the cluster into files of ours: readers, also those that follow, read the files. */
export class Logs {
  readonly #client: ApiClient;
  readonly #members: Members;
  readonly #folder: string;
  readonly #keys: EngineKeys | undefined;
  readonly #copies = new Map<LeaseId, LogCopy>();
  readonly #timers = new Map<LeaseId, NodeJS.Timeout>();
  #followers = 0;

  constructor(client: ApiClient, members: Members, folder: string, keys?: EngineKeys) {
    this.#keys = keys;
    this.#client = client;
    this.#members = members;
    this.#folder = folder;
  }

  started(lease: LeaseId, pod: Pod): void {
    if (this.#timers.has(lease) || this.#isKept(lease)) return;
    const begin = () => {
      if (this.#followers >= followersMax) return;
      this.#followers += 1;
      void this.#copyOf(lease, pod)
        .follow()
        .finally(() => {
          this.#followers -= 1;
        });
    };
    this.#timers.set(lease, setTimeout(begin, followAfterMs).unref());
  }

  /** It is about to be removed, and its log soon after it. */
  stopping(lease: LeaseId, pod: Pod): void {
    if (!this.#isKept(lease)) void this.#copyOf(lease, pod).follow();
  }

  /** Copies what is left of the log of a member that has ended. */
  async keep(lease: LeaseId, pod: Pod): Promise<void> {
    clearTimeout(this.#timers.get(lease));
    this.#timers.delete(lease);
    if (this.#isKept(lease)) return;
    await this.#copyOf(lease, pod).finish(pod);
    this.#copies.delete(lease);
  }

  async *read(lease: LeaseId, query: LogQuery): AsyncGenerator<LogLine> {
    const pod = this.#members.pod(lease);
    const rank = parseLeaseId(lease)?.rank ?? 0;
    let ended = AbortSignal.abort();
    if (pod !== undefined && !this.#isKept(lease)) {
      const copy = this.#copyOf(lease, pod);
      if (query.follow === true) {
        void copy.follow();
        ended = copy.ended;
      } else await copy.update(pod).catch(() => {}); // what is there already is still told
    }
    yield* readLog(this.#folderOf(lease), rank, query, ended, sealForOf(this.#keys, lease));
  }

  async sweep(now: number): Promise<void> {
    const isKnown = (lease: string) => this.#members.pod(lease as LeaseId) !== undefined;
    if (existsSync(this.#folder)) await pruneLogs(this.#folder, keepFor, now, isKnown);
  }

  async close(): Promise<void> {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    await Promise.all([...this.#copies.values()].map((copy) => copy.close()));
  }

  #isKept(lease: LeaseId): boolean {
    return isWhole(this.#folderOf(lease));
  }

  #folderOf(lease: LeaseId): string {
    return join(this.#folder, lease);
  }

  #copyOf(lease: LeaseId, pod: Pod): LogCopy {
    const known = this.#copies.get(lease);
    if (known !== undefined) return known;
    const mebibytes = Number(pod.metadata.annotations?.[annotation.logMiB] ?? usualMiB);
    const copy = new LogCopy(
      this.#client,
      this.#members,
      lease,
      this.#folderOf(lease),
      mebibytes * 2 ** 20,
      this.#keys,
    );
    this.#copies.set(lease, copy);
    return copy;
  }
}
