import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type EngineKeys, logSealFor, logSealOf } from "@tessera/content";
import { type LeaseId, parseLeaseId } from "@tessera/core";
import type { LogLine } from "@tessera/engine";
import { type LogSeal, LogWriter, maskerOf, readLog, type SealFor } from "@tessera/engine/log";
import type { ApiClient } from "../api/client.ts";
import { ApiError } from "../api/error.ts";
import { paths } from "../api/paths.ts";
import type { Pod } from "../api/types.ts";
import { label, memberContainer } from "../names.ts";
import type { Members } from "./inside.ts";
import { LogLines, type LogPlace, logBegin } from "./log-lines.ts";
import { hasEnded } from "./pod-status.ts";

const filesMax = 4;
/** After a connection broke, or while a container is not there yet; doubled up to the second. */
const againMs = { first: 500, max: 30_000 };
/** Of a copy that is continued, lines of one instant are looked for among so many. */
const placeLines = 10_000;

/** The file that says that nothing will be added to a copy. */
const wholeName = "whole";

export function isWhole(folder: string): boolean {
  return existsSync(join(folder, wholeName));
}

/** The copy of one member's log in a folder of ours, which continues where an earlier one ended. */
export class LogCopy {
  readonly #client: ApiClient;
  readonly #members: Members;
  readonly #lease: LeaseId;
  readonly #folder: string;
  readonly #bytesMax: number;
  readonly #keys: EngineKeys | undefined;
  #seal: LogSeal | undefined;
  /** One reader of the cluster at a time. */
  #turn: Promise<void> = Promise.resolve();
  #writer: LogWriter | undefined;
  #place: LogPlace | undefined;
  #secrets: readonly string[] | undefined;
  readonly #closed = new AbortController();
  readonly #ended = new AbortController();
  #follower: Promise<void> | undefined;

  constructor(
    client: ApiClient,
    members: Members,
    lease: LeaseId,
    folder: string,
    bytesMax: number,
    keys?: EngineKeys,
  ) {
    this.#keys = keys;
    this.#client = client;
    this.#members = members;
    this.#lease = lease;
    this.#folder = folder;
    this.#bytesMax = bytesMax;
  }

  /** Aborted once nothing more is added. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** Copies from now on as it comes, until the member has ended. */
  follow(): Promise<void> {
    this.#follower ??= this.#follow().finally(() => {
      this.#follower = undefined;
    });
    return this.#follower;
  }

  /** Copies what is there now, unless that happens anyway. */
  async update(pod: Pod): Promise<void> {
    if (this.#follower === undefined) await this.#inTurn(pod, false);
  }

  /** Copies the rest of a member that has ended. What the cluster has no more is said in the log itself. */
  async finish(pod: Pod): Promise<void> {
    if (isWhole(this.#folder)) return this.#ended.abort();
    this.#closed.abort();
    await this.#follower;
    await this.#ready(pod);
    await this.#inTurn(pod, false, true).catch((error) => {
      if (!(error instanceof ApiError)) throw error;
      if (error.status === 400 || error.status === 404) return; // it never started, or its pod is gone
      this.#write([{ at: Date.now(), rank: 0, stream: "tessera", text: `the log cannot be read: ${error.message}` }]);
    });
    this.#write([]); // also a log of nothing is whole
    this.#writer?.close();
    writeFileSync(join(this.#folder, wholeName), "");
    this.#ended.abort();
  }

  async close(): Promise<void> {
    this.#closed.abort();
    this.#ended.abort();
    await this.#follower;
    await this.#turn;
    this.#writer?.close();
  }

  async #follow(): Promise<void> {
    for (let waitMs = againMs.first; !this.#closed.signal.aborted; ) {
      const pod = this.#members.pod(this.#lease);
      if (pod === undefined) this.#ended.abort();
      if (pod === undefined || hasEnded(pod)) return;
      try {
        await this.#inTurn(pod, true);
        waitMs = againMs.first;
      } catch {
        waitMs = Math.min(2 * waitMs, againMs.max);
      }
      await this.#change(waitMs);
    }
  }

  #inTurn(pod: Pod, follow: boolean, last = false): Promise<void> {
    const turn = this.#turn.then(() => this.#get(pod, follow, last));
    this.#turn = turn.catch(() => {});
    return turn;
  }

  async #get(pod: Pod, follow: boolean, last: boolean): Promise<void> {
    await this.#ready(pod);
    this.#place ??= await placeIn(this.#folder, sealForOf(this.#keys, this.#lease));
    this.#secrets ??= await this.#secretsOf(pod);
    const rank = parseLeaseId(this.#lease)?.rank ?? 0;
    const lines = new LogLines(rank, maskerOf(this.#secrets), this.#place);
    const { at } = this.#place;
    // To the second: what came before within it is skipped here.
    const sinceTime = at === 0 ? undefined : new Date(at - (at % 1000)).toISOString();
    const query = { container: memberContainer, timestamps: true, follow, sinceTime };
    const path = `${paths.pod(pod.metadata.namespace!, pod.metadata.name)}/log`;
    const signal = last ? undefined : this.#closed.signal;
    const answer = await this.#client.stream(path, { query, ...(signal && { signal }) });
    try {
      for await (const part of answer) this.#write(lines.push(part as Buffer), lines.place);
      this.#write(lines.end(), lines.place);
    } finally {
      answer.destroy();
    }
  }

  #write(lines: readonly LogLine[], place?: LogPlace): void {
    this.#writer ??= new LogWriter(this.#folder, this.#bytesMax, filesMax, this.#seal);
    for (const { stream, at, text } of lines) this.#writer.write(stream, at, [text]);
    if (place !== undefined) this.#place = place;
  }

  /** Keys of its tenant, before anything is written. */
  async #ready(pod: Pod): Promise<void> {
    if (this.#keys === undefined || this.#seal !== undefined) return;
    const tenant = pod.metadata.labels?.[label.tenant];
    if (tenant === undefined) throw new Error(`pod ${pod.metadata.name} names no tenant, so its log cannot be sealed`);
    this.#seal = logSealOf((await this.#keys.of(tenant)).log, this.#lease);
  }

  /** The values of the secret of the pod, which must not be shown [S28]. */
  async #secretsOf(pod: Pod): Promise<string[]> {
    const member = pod.spec.containers.find(({ name }) => name === memberContainer);
    const reference = member?.env?.find(({ valueFrom }) => valueFrom?.secretKeyRef !== undefined);
    const name = reference?.valueFrom?.secretKeyRef?.name;
    if (name === undefined) return [];
    const secret = await this.#client.get<{ readonly data?: Readonly<Record<string, string>> }>(
      paths.secret(pod.metadata.namespace!, name),
    );
    return Object.values(secret.data ?? {}).map((value) => Buffer.from(value, "base64").toString("utf8"));
  }

  /** Until the pod changes, or a while. */
  async #change(waitMs: number): Promise<void> {
    const woken = new AbortController();
    const unwatch = this.#members.watch(this.#lease, () => woken.abort());
    const signal = AbortSignal.any([woken.signal, this.#closed.signal]);
    await sleep(waitMs, undefined, { signal, ref: false }).catch(() => {});
    unwatch();
  }
}

/** What opens the files of a log. */
export function sealForOf(keys: EngineKeys | undefined, lease: LeaseId): SealFor | undefined {
  return keys && ((start) => logSealFor(start, (id) => keys.logKey(id), lease));
}

/** Where a copy ended. */
async function placeIn(folder: string, sealFor: SealFor | undefined): Promise<LogPlace> {
  let place = logBegin;
  if (!existsSync(folder)) return place;
  for await (const { at, stream } of readLog(folder, 0, { tail: placeLines }, AbortSignal.abort(), sealFor)) {
    place = { at, lines: at === place.at ? place.lines + 1 : 1, stream };
  }
  return place;
}
