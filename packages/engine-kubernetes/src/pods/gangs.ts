import { type LeaseId, leaseIdOf, parseLeaseId } from "@tessera/core";
import type { MemberRecord } from "./record.ts";
import type { Records } from "./records.ts";

/** Where a member meets the others of its gang; rank 0 needs no address, since it is its own. */
export type Meeting =
  | { readonly kind: "known"; readonly master?: string }
  /** Rank 0 has no address yet. */
  | { readonly kind: "awaited" }
  | { readonly kind: "lost"; readonly reason: string };

/** Members of gangs get the address of rank 0 with their release, and wait for it until then. */
export class Gangs {
  readonly #records: Records;
  /** Members that wait for the address of rank 0, by its lease. */
  readonly #waiting = new Map<LeaseId, Set<LeaseId>>();

  constructor(records: Records) {
    this.#records = records;
  }

  meetingOf({ lease }: MemberRecord): Meeting {
    const member = parseLeaseId(lease);
    if (member === undefined || member.rank === 0) return { kind: "known" };
    const first = leaseIdOf(member.job, member.attempt, 0);
    const rankZero = this.#records.get(first);
    if (rankZero === undefined || (rankZero.ended && rankZero.pod === undefined)) {
      // Let go before this control plane was there, and over: nothing knows its address any more.
      return { kind: "lost", reason: "rank 0 of its gang ended before it was let go" };
    }
    const master = rankZero.pod?.status?.podIP;
    if (master !== undefined) return { kind: "known", master };
    this.#waiting.set(first, (this.#waiting.get(first) ?? new Set()).add(lease));
    return { kind: "awaited" };
  }

  /** The members that waited for the address of this one, once it has one. They are not given again. */
  metAt({ lease, pod }: MemberRecord): Iterable<LeaseId> {
    const gang = pod?.status?.podIP === undefined ? undefined : this.#waiting.get(lease);
    if (gang === undefined) return [];
    this.#waiting.delete(lease);
    return gang;
  }
}
