import type { KeptOutput, LeaseId, ReportWhat } from "@tessera/core";
import { isStatus } from "../api/error.ts";
import type { Mirror } from "../api/mirror.ts";
import type { Pod } from "../api/types.ts";
import { hasEnded } from "../inside/pod-status.ts";
import { annotation } from "../names.ts";
import { endOf } from "./ends.ts";
import type { Holding } from "./holding.ts";
import type { Leaving } from "./leaving.ts";
import type { PodCalls } from "./pod-calls.ts";
import type { MembersPorts } from "./ports.ts";
import { MemberRecord } from "./record.ts";
import type { Records } from "./records.ts";
import type { Reports } from "./reports.ts";
import { deadlineOf } from "./run-limit.ts";
import { isHeld, isKept, isOver, startedAt, stopMarkOf } from "./status.ts";
import type { Turns } from "./turns.ts";
import type { Waiting } from "./waiting.ts";

export interface LifePorts extends Pick<MembersPorts, "store" | "inside" | "warn"> {
  readonly calls: PodCalls;
  readonly pods: Mirror<Pod>;
  readonly turns: Turns;
  readonly records: Records;
  readonly reports: Reports;
  readonly holding: Holding;
  readonly waiting: Waiting;
  readonly leaving: Leaving;
  readonly onChange: (record: MemberRecord) => void;
}

/** What follows from a change of a pod: what is told of its member, and what is done. */
export class Life {
  readonly #ports: LifePorts;
  #closed = false;

  constructor(ports: LifePorts) {
    this.#ports = ports;
  }

  /** From here on changes are left to the next process. */
  close(): void {
    this.#closed = true;
  }

  podChanged(now: Pod | undefined, before: Pod | undefined): void {
    const { leaving, records } = this.#ports;
    const pod = now ?? before!;
    const lease = pod.metadata.annotations?.[annotation.lease] as LeaseId | undefined;
    if (lease === undefined || this.#closed) return;
    const record = records.get(lease);
    if (now === undefined) {
      if (record?.pod?.metadata.uid === pod.metadata.uid && record !== undefined) this.#podGone(record, pod);
      return;
    }
    if (record !== undefined) {
      if (record.pod === undefined || record.pod.metadata.uid === now.metadata.uid) record.pod = now;
      this.look(record);
    } else if (isKept(now)) {
      this.#adopt(lease, now);
    } else if (isOver(now) && now.metadata.deletionTimestamp === undefined && !leaving.has(lease)) {
      // An earlier process was stopped while it let go of it.
      leaving.add(new MemberRecord(lease, now));
    }
  }

  /** Tells what is new, and does what follows from it. */
  look(record: MemberRecord): void {
    const { holding, inside, onChange, reports, turns, waiting, warn } = this.#ports;
    const { lease, pod } = record;
    if (pod === undefined || record.ended || !record.furnished || this.#closed) return;
    if (isHeld(pod) && !isOver(pod) && !holding.isOurs(pod)) {
      waiting.add(record);
      return;
    }
    const began = startedAt(pod);
    // Its log goes with its pod, also if something else than this engine deleted that.
    if (began !== undefined && pod.metadata.deletionTimestamp !== undefined && !isOver(pod))
      inside().stopping(lease, pod, stopMarkOf(pod)?.returns === true);
    const limitless = began === undefined || record.announced || deadlineOf(pod, began) === undefined;
    if (isOver(pod) || hasEnded(pod) || !limitless) {
      turns
        .run(lease, () => this.#advance(record))
        .catch((error: Error) => {
          warn(`${lease}: ${error.message}`);
          waiting.add(record); // tried again in a second
        });
      return;
    }
    reports.progress(record, pod);
    if (began !== undefined) this.#announce(record, pod);
    else if (!isHeld(pod)) waiting.add(record);
    onChange(record);
  }

  /** Tells the end of a member, unless it was told. */
  end(record: MemberRecord, what: ReportWhat, at?: number, bootId?: string): void {
    if (!this.#ports.reports.end(record, what, at, bootId)) return;
    this.#ports.waiting.delete(record);
    this.#ports.onChange(record);
  }

  /** A pod of which this process knows nothing yet. */
  #adopt(lease: LeaseId, pod: Pod): void {
    const { leaving, records, reports, store } = this.#ports;
    const { acknowledged = 0, end } = store.get(lease) ?? {};
    const record = new MemberRecord(lease, pod);
    record.acknowledged = acknowledged;
    if (end !== undefined && acknowledged >= end.sequence) {
      // An earlier process was stopped between the acknowledgement and this.
      leaving.add(record);
      return;
    }
    records.add(record);
    if (end === undefined) this.look(record);
    else reports.endedBefore(record, pod, end);
  }

  #podGone(record: MemberRecord, last: Pod): void {
    record.pod = undefined;
    this.#ports.leaving.gone(record.lease);
    if (record.ended) return;
    const { end, at } = endOf(last, record.reports);
    const known = isOver(last) || stopMarkOf(last) !== undefined;
    const what: ReportWhat = known ? end : { kind: "lost", reason: "its pod was removed from the cluster" };
    this.end(record, what, at);
  }

  /** The steps that need calls: the limit from the start of the container on, and what is kept of a member that has ended. */
  async #advance(record: MemberRecord): Promise<void> {
    const { reports } = this.#ports;
    const { pod, lease } = record;
    if (pod === undefined || record.ended || this.#closed) return;
    const began = startedAt(pod);
    if (began !== undefined) await this.#limit(record, pod, began);
    reports.progress(record, pod);
    if (began !== undefined) this.#announce(record, pod);
    // The agent of the pod waits until what the member left is kept.
    const outputs = began !== undefined && (isOver(pod) || hasEnded(pod)) ? await this.#keep(lease, pod) : undefined;
    // Its end may have been told meanwhile, for instance because its node left the cluster.
    if (!isOver(pod) || record.ended) return;
    const { end, at, overran } = endOf(pod, record.reports);
    if (overran) reports.overran(record, pod);
    this.end(record, end.kind === "exited" && outputs !== undefined ? { ...end, outputs } : end, at);
  }

  /** The limit of the pod counts from the start of its container from now on. */
  async #limit(record: MemberRecord, pod: Pod, began: number): Promise<void> {
    const seconds = deadlineOf(pod, began);
    if (seconds === undefined || isOver(pod) || pod.metadata.deletionTimestamp !== undefined) return;
    const limited = await this.#ports.calls.limit(pod, seconds).catch((error: unknown) => {
      if (!isStatus(error, 404) && !isStatus(error, 409)) throw error;
    });
    record.announced = true;
    if (limited !== undefined) this.#ports.pods.put(limited);
  }

  /** A log that cannot be read must not keep a member from ending. */
  async #keep(lease: LeaseId, pod: Pod): Promise<readonly KeptOutput[] | undefined> {
    try {
      return await this.#ports.inside().keep(lease, pod, stopMarkOf(pod)?.returns === true);
    } catch (error) {
      this.#ports.warn(`${lease}: its log or its outputs are not kept: ${(error as Error).message}`);
      return undefined;
    }
  }

  #announce(record: MemberRecord, pod: Pod): void {
    this.#ports.waiting.started(record);
    if (!record.announced) this.#ports.inside().started(record.lease, pod);
    record.announced = true;
  }
}
