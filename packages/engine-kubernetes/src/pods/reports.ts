import type { Report, ReportWhat } from "@tessera/core";
import type { Clock } from "@tessera/engine";
import type { Pod } from "../api/types.ts";
import { nextReport, overranReport, progressOf } from "./progress.ts";
import type { MemberRecord } from "./record.ts";
import type { LeaseStore } from "./store.ts";

/** Tells what becomes of members: numbered for each lease, in order, and until it is acknowledged. */
export class Reports {
  readonly #store: LeaseStore;
  readonly #clock: Clock;
  #listener: ((report: Report) => void) | undefined;

  constructor(store: LeaseStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** From now on tells this listener, first what is not acknowledged of these. */
  subscribe(listener: (report: Report) => void, records: Iterable<MemberRecord>): void {
    this.#listener = listener;
    for (const record of records) this.tell(record, 0);
  }

  close(): void {
    this.#listener = undefined;
  }

  /** Tells the reports of a lease from this place on, less those that are acknowledged. */
  tell(record: MemberRecord, from: number): void {
    for (const report of record.reports.slice(from)) {
      if (report.sequence > record.acknowledged) this.#listener?.(report);
    }
  }

  /** Tells everything again, also what was acknowledged. */
  repeat(record: MemberRecord): void {
    record.acknowledged = 0;
    this.tell(record, 0);
  }

  /** Whether something new is acknowledged. */
  acknowledge(record: MemberRecord, sequence: number): boolean {
    if (sequence <= record.acknowledged) return false;
    record.acknowledged = sequence;
    this.#store.acknowledge(record.lease, sequence);
    return true;
  }

  /** Tells what a pod stands for, as far as it was not told. */
  progress(record: MemberRecord, pod: Pod): void {
    const known = record.reports.length;
    const all = progressOf(record.lease, pod);
    if (all.length <= known) return;
    record.reports.push(...all.slice(known));
    this.tell(record, known);
  }

  overran(record: MemberRecord, pod: Pod): void {
    record.reports.push(overranReport(record.lease, pod, record.reports));
    this.tell(record, record.reports.length - 1);
  }

  /** The end of a lease is on the disk before it is told. False if it was told before. */
  end(record: MemberRecord, what: ReportWhat, at = this.#clock.now(), bootId?: string): boolean {
    if (record.ended) return false;
    const next = nextReport(record.lease, record.pod, record.reports, at, what);
    const report = bootId === undefined ? next : { ...next, bootId };
    this.#store.end(record.lease, report);
    record.reports.push(report);
    record.ended = true;
    this.tell(record, record.reports.length - 1);
    return true;
  }

  /** Tells an end that an earlier process told, after what it told before that, as far as it still follows from the pod. */
  endedBefore(record: MemberRecord, pod: Pod, end: Report): void {
    const before = progressOf(record.lease, pod);
    if (before.length + 1 < end.sequence) before.push(overranReport(record.lease, pod, before));
    record.reports = before.length + 1 === end.sequence ? [...before, end] : [end];
    record.ended = true;
    this.tell(record, 0);
  }
}
