import { type AccountNo, noAccount } from "../../model/ids.ts";
import type { Job } from "../../model/job.ts";
import type { Instant } from "../../model/units.ts";
import { addTo, type Held, nothingHeld } from "../../quota/held.ts";
import type { Holders } from "./holders.ts";

/** Jobs of one account that cost it the same when one is taken. */
export interface Kind {
  readonly key: string;
  /** The account whose guarantee covers them. */
  readonly cover: AccountNo;
  /** They can be resumed from a checkpoint. */
  readonly saves: boolean;
  readonly held: Held;
  readonly jobs: Set<Job>;
  /** None of them was placed before this: while it is inside min_runtime, none can be taken [T8]. */
  oldestAt: Instant;
}

/**
 * Jobs that can be victims of a fair share [T2], by account and by what it would lose: whether the account can do without
 * is the same for all jobs of one kind. Built when it is first read and kept up to date from then on.
 */
export class Alike {
  #kinds: Map<AccountNo, Map<string, Kind>> | undefined;
  readonly #kindOf = new Map<Job, Kind>();

  /** Whether a job can be a victim, or what it holds, may have changed. */
  note(state: Holders, job: Job): void {
    if (this.#kinds === undefined) return;
    this.#remove(this.#kinds, job);
    if (mayLeave(job)) this.#add(this.#kinds, state, job);
  }

  of(state: Holders, account: AccountNo): ReadonlyMap<string, Kind> {
    this.#kinds ??= this.#build(state);
    return this.#kinds.get(account) ?? none;
  }

  #build(state: Holders): Map<AccountNo, Map<string, Kind>> {
    const kinds = new Map<AccountNo, Map<string, Kind>>();
    for (const job of state.active.values()) if (mayLeave(job)) this.#add(kinds, state, job);
    return kinds;
  }

  #add(kinds: Map<AccountNo, Map<string, Kind>>, { fleet }: Holders, job: Job): void {
    const held = nothingHeld();
    for (const lease of job.leases) addTo(held, fleet, lease, 1);
    const { units, memoryUnits, cpusMilli, memoryMiB, byModel, moreMemory } = held;
    const saves = job.spec.checkpoint !== undefined;
    const whole = job.leases[0]!.part === undefined;
    const key = `${job.cover}/${saves}/${whole}/${units}/${memoryUnits}/${cpusMilli}/${memoryMiB}/${byModel}/${moreMemory}`;
    let ofAccount = kinds.get(job.account);
    if (ofAccount === undefined) {
      ofAccount = new Map();
      kinds.set(job.account, ofAccount);
    }
    let kind = ofAccount.get(key);
    if (kind === undefined) {
      kind = { key, cover: job.cover, saves, held, jobs: new Set(), oldestAt: job.placedAt };
      ofAccount.set(key, kind);
    }
    kind.jobs.add(job);
    kind.oldestAt = Math.min(kind.oldestAt, job.placedAt);
    this.#kindOf.set(job, kind);
  }

  #remove(kinds: Map<AccountNo, Map<string, Kind>>, job: Job): void {
    const kind = this.#kindOf.get(job);
    if (kind === undefined) return;
    this.#kindOf.delete(job);
    kind.jobs.delete(job);
    if (kind.jobs.size > 0) return;
    const ofAccount = kinds.get(job.account)!;
    ofAccount.delete(kind.key);
    if (ofAccount.size === 0) kinds.delete(job.account);
  }
}

/** Preemptible, not stopping, and not covered by its own account, whose guarantee only its own jobs share [C2]. */
function mayLeave({ state, leases, spec, cover, account }: Job): boolean {
  if ((state !== "running" && state !== "starting") || leases.length === 0 || !spec.preemptible) return false;
  return cover === noAccount || cover !== account;
}

const none: ReadonlyMap<string, Kind> = new Map();
