import type { LeaseId } from "@tessera/core";
import type { PodCalls } from "./pod-calls.ts";
import type { MemberRecord } from "./record.ts";
import type { Turns } from "./turns.ts";

/** Lets go of pods whose end is acknowledged. What the cluster does not take now is tried again. */
export class Leaving {
  readonly #calls: Pick<PodCalls, "forget">;
  readonly #turns: Turns;
  readonly #records = new Map<LeaseId, MemberRecord>();
  /** Those for which a call is under way or waits for its turn. */
  readonly #asked = new Set<LeaseId>();

  constructor(calls: Pick<PodCalls, "forget">, turns: Turns) {
    this.#calls = calls;
    this.#turns = turns;
  }

  has(lease: LeaseId): boolean {
    return this.#records.has(lease);
  }

  /** It goes with the next look. */
  add(record: MemberRecord): void {
    this.#records.set(record.lease, record);
  }

  gone(lease: LeaseId): void {
    this.#records.delete(lease);
  }

  /** Within the turn of its lease. */
  async letGo(record: MemberRecord): Promise<void> {
    const { lease, pod } = record;
    if (pod === undefined) return;
    this.add(record);
    this.#asked.add(lease);
    try {
      await this.#calls.forget(pod);
      this.gone(lease);
    } finally {
      this.#asked.delete(lease);
    }
  }

  /** What is asked already is not asked again behind it: a cluster that is slow would have ever more to do. */
  look(): void {
    for (const record of this.#records.values()) {
      const { lease } = record;
      if (this.#asked.has(lease)) continue;
      this.#asked.add(lease);
      this.#turns
        .run(lease, async () => (this.has(lease) ? this.letGo(record) : undefined))
        .catch(() => {}) // again in a second
        .finally(() => this.#asked.delete(lease));
    }
  }
}
