import { type AccountNo, noAccount } from "../../model/ids.ts";
import type { Job } from "../../model/job.ts";
import type { Instant } from "../../model/units.ts";
import { addTo, type Held, nothingHeld } from "../../quota/held.ts";
import type { Holders } from "./holders.ts";

/** Jobs of one account with which it loses the same amounts. */
export class VictimClass {
  readonly key: string;
  /** The account whose guarantee covers them. */
  readonly cover: AccountNo;
  /** They can be resumed from a checkpoint. */
  readonly saves: boolean;
  readonly held: Held;
  readonly #jobs = new Set<Job>();
  #oldestAt: Instant = Number.POSITIVE_INFINITY;
  /** The oldest has left: the others may all be younger. */
  #isLoose = false;

  constructor(key: string, cover: AccountNo, saves: boolean, held: Held) {
    this.key = key;
    this.cover = cover;
    this.saves = saves;
    this.held = held;
  }

  /** None of them was placed before: until `min_runtime` after that, none of them need be examined [T8]. */
  get oldestAt(): Instant {
    return this.#oldestAt;
  }

  /** All of them. To go through them takes as long as to find the oldest, so `oldestAt` is exact from here on. */
  get jobs(): ReadonlySet<Job> {
    if (this.#isLoose) {
      this.#isLoose = false;
      this.#oldestAt = Number.POSITIVE_INFINITY;
      for (const { placedAt } of this.#jobs) this.#oldestAt = Math.min(this.#oldestAt, placedAt);
    }
    return this.#jobs;
  }

  get isEmpty(): boolean {
    return this.#jobs.size === 0;
  }

  add(job: Job): void {
    this.#jobs.add(job);
    this.#oldestAt = Math.min(this.#oldestAt, job.placedAt);
  }

  remove(job: Job): void {
    this.#jobs.delete(job);
    if (job.placedAt === this.#oldestAt) this.#isLoose = true;
  }
}

/**
 * Jobs that might be taken for a fair share [T2], by account and by the amounts that would be lost with them: whether a
 * side can spare a job is the same for all of one class. Built on first use, and kept up to date from then on.
 */
export class VictimClasses {
  #classes: Map<AccountNo, Map<string, VictimClass>> | undefined;
  readonly #classOf = new Map<Job, VictimClass>();

  /** A job has begun or ceased to be one that might be taken, or its leases have changed. */
  note(state: Holders, job: Job): void {
    if (this.#classes === undefined) return;
    this.#remove(this.#classes, job);
    if (mayLeave(job)) this.#add(this.#classes, state, job);
  }

  of(state: Holders, account: AccountNo): ReadonlyMap<string, VictimClass> {
    this.#classes ??= this.#build(state);
    return this.#classes.get(account) ?? none;
  }

  #build(state: Holders): Map<AccountNo, Map<string, VictimClass>> {
    const classes = new Map<AccountNo, Map<string, VictimClass>>();
    for (const job of state.active.values()) if (mayLeave(job)) this.#add(classes, state, job);
    return classes;
  }

  #add(classes: Map<AccountNo, Map<string, VictimClass>>, { fleet }: Holders, job: Job): void {
    const held = nothingHeld();
    for (const lease of job.leases) addTo(held, fleet, lease, 1);
    const { units, memoryUnits, cpusMilli, memoryMiB, byModel, moreMemory } = held;
    const saves = job.spec.checkpoint !== undefined;
    const whole = job.leases[0]!.part === undefined;
    const key = `${job.cover}/${saves}/${whole}/${units}/${memoryUnits}/${cpusMilli}/${memoryMiB}/${byModel}/${moreMemory}`;
    let ofAccount = classes.get(job.account);
    if (ofAccount === undefined) {
      ofAccount = new Map();
      classes.set(job.account, ofAccount);
    }
    let found = ofAccount.get(key);
    if (found === undefined) {
      found = new VictimClass(key, job.cover, saves, held);
      ofAccount.set(key, found);
    }
    found.add(job);
    this.#classOf.set(job, found);
  }

  #remove(classes: Map<AccountNo, Map<string, VictimClass>>, job: Job): void {
    const known = this.#classOf.get(job);
    if (known === undefined) return;
    this.#classOf.delete(job);
    known.remove(job);
    if (!known.isEmpty) return;
    const ofAccount = classes.get(job.account)!;
    ofAccount.delete(known.key);
    if (ofAccount.size === 0) classes.delete(job.account);
  }
}

/** Not stopping, and not covered by its own account: no other account is inside that guarantee [C2]. */
function mayLeave({ state, leases, spec, cover, account }: Job): boolean {
  if ((state !== "running" && state !== "starting") || leases.length === 0 || !spec.preemptible) return false;
  return cover === noAccount || cover !== account;
}

const none: ReadonlyMap<string, VictimClass> = new Map();
