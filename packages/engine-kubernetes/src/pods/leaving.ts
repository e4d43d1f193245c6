import type { LeaseId } from "@tessera/core";
import type { PodCalls } from "./pod-calls.ts";
import type { MemberRecord } from "./record.ts";
import type { Turns } from "./turns.ts";

/** Lets go of pods whose end is acknowledged. What the cluster does not take now is tried again. */
export class Leaving {
  readonly #calls: PodCalls;
  readonly #turns: Turns;
  readonly #records = new Map<LeaseId, MemberRecord>();

  constructor(calls: PodCalls, turns: Turns) {
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
    if (record.pod === undefined) return;
    this.add(record);
    await this.#calls.forget(record.pod);
    this.gone(record.lease);
  }

  look(): void {
    for (const record of this.#records.values()) {
      void this.#turns.run(record.lease, () => this.letGo(record)).catch(() => {}); // again in a second
    }
  }
}
