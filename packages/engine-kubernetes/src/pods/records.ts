import type { LeaseId, Report } from "@tessera/core";
import { MemberRecord } from "./record.ts";
import type { LeaseStore } from "./store.ts";

/** The leases that this process knows: those with a pod, and those whose end is not acknowledged. */
export class Records {
  readonly #records = new Map<LeaseId, MemberRecord>();
  readonly #store: LeaseStore;

  constructor(store: LeaseStore) {
    this.#store = store;
  }

  get(lease: LeaseId): MemberRecord | undefined {
    return this.#records.get(lease);
  }

  has(lease: LeaseId): boolean {
    return this.#records.has(lease);
  }

  values(): IterableIterator<MemberRecord> {
    return this.#records.values();
  }

  add(record: MemberRecord): MemberRecord {
    this.#records.set(record.lease, record);
    return record;
  }

  delete(lease: LeaseId): void {
    this.#records.delete(lease);
  }

  /** A lease that was forgotten is remembered by how it ended: it must not run again [S34]. */
  known(lease: LeaseId): MemberRecord | undefined {
    const record = this.#records.get(lease);
    if (record !== undefined) return record;
    const end = this.#store.get(lease)?.end;
    return end === undefined ? undefined : this.#recall(lease, end);
  }

  /** Adds the leases that have no pod any more and whose end is not acknowledged; those that were missing. */
  *recallEnds(): Generator<MemberRecord> {
    for (const [lease, end] of this.#store.open()) {
      if (!this.#records.has(lease)) yield this.#recall(lease, end);
    }
  }

  #recall(lease: LeaseId, end: Report): MemberRecord {
    const record = new MemberRecord(lease);
    record.reports = [end];
    record.ended = true;
    return this.add(record);
  }
}
