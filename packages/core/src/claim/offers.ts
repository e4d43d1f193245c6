import { type AccountNo, type GpuNo, type NodeNo, noAccount, rootAccount } from "../model/ids.ts";
import { type Job, shieldedUntil } from "../model/job.ts";
import type { Lease } from "../model/lease.ts";
import type { Instant } from "../model/units.ts";
import { costToEnd } from "../queue/cost-to-end.ts";
import { accountOf } from "../quota/accounts.ts";
import { addTo, type Held, nothingHeld } from "../quota/held.ts";
import { lostMsOf } from "../run/lost-work.ts";
import { jobOf } from "../state/live-jobs.ts";
import type { State } from "../state/state.ts";
import { mayTakeOwn } from "./own-work.ts";
import { type Claimant, isNew, mayYield, type Rule, ruleFor } from "./takeable.ts";
import { Tally } from "./tally.ts";
import { type Victim, victimsOf } from "./victim.ts";

/** What those who may be taken by T2 or T3 leave of a node at most. */
export interface Yielding {
  /** Whole ones. */
  gpus: number;
  /** The least time of one GPU that any of them would lose. */
  leastMs: number;
}

/** Everyone whom a claimant might take, with the rule. Worked out when asked for: few of many are ever looked at. */
class Catalog {
  readonly #state: State;
  readonly #claimant: Claimant;
  readonly #now: Instant;
  readonly #nobody: Tally;
  readonly #ofJob = new Map<Job, readonly Victim[]>();
  readonly #sources = new Map<AccountNo, boolean>();
  readonly rules = new Map<Victim, Rule>();
  #yieldingOn: ReadonlyMap<NodeNo, Yielding> | undefined;
  /** Jobs that were looked at. */
  looks = 0;

  constructor(state: State, claimant: Claimant, now: Instant) {
    this.#state = state;
    this.#claimant = claimant;
    this.#now = now;
    this.#nobody = new Tally(state, claimant);
  }

  of(job: Job): readonly Victim[] {
    let offered = this.#ofJob.get(job);
    if (offered === undefined) {
      offered = this.#mayLose(job.account) ? this.#find(job) : [];
      this.#ofJob.set(job, offered);
    }
    return offered;
  }

  #find(job: Job): readonly Victim[] {
    const found: Victim[] = [];
    for (const each of victimsOf(job)) {
      const rule = ruleFor(this.#state, this.#claimant, each, this.#now);
      if (rule === undefined) continue;
      const victim = rule === "O3" ? { ...each, costToEnd: costToEnd(this.#state, job) } : each;
      this.rules.set(victim, rule);
      found.push(victim);
    }
    return found;
  }

  /** Of others only those accounts lose that are above their guarantees [T5]. */
  #mayLose(account: AccountNo): boolean {
    if (account === this.#claimant.job.account) return true;
    let source = this.#sources.get(account);
    if (source === undefined) {
      source = this.#nobody.isSource(account);
      this.#sources.set(account, source);
    }
    return source;
  }

  /** Where someone may be taken by T2 or T3, and perhaps where nobody may. */
  yieldingOn(): ReadonlyMap<NodeNo, Yielding> {
    this.#yieldingOn ??= this.#countYielding();
    return this.#yieldingOn;
  }

  #countYielding(): Map<NodeNo, Yielding> {
    const on = new Map<NodeNo, Yielding>();
    const partsLeft = new Map<GpuNo, number>();
    for (const job of this.#yielding()) {
      const leastMs = job.spec.members.max > job.spec.members.min ? 0 : lostMsOf(job, this.#now);
      for (const lease of job.leases) {
        const gpus = lease.part === undefined ? lease.gpus.length : this.#emptied(lease, partsLeft);
        const known = on.get(lease.node);
        if (known === undefined) on.set(lease.node, { gpus, leastMs });
        else {
          known.gpus += gpus;
          known.leastMs = Math.min(known.leastMs, leastMs);
        }
      }
    }
    return on;
  }

  /** How many GPUs are empty once this part of them is left too: those of whom nobody else holds another. */
  #emptied({ gpus, unitsEach }: Lease, partsLeft: Map<GpuNo, number>): number {
    const { gpuFree, gpuLeaving, gpuCapacity } = this.#state.fleet;
    let emptied = 0;
    for (const gpu of gpus) {
      const units = (partsLeft.get(gpu) ?? gpuFree[gpu]! + gpuLeaving[gpu]!) + unitsEach;
      partsLeft.set(gpu, units);
      if (units === gpuCapacity[gpu]) emptied++;
    }
    return emptied;
  }

  /** Jobs of which someone may be taken by T2 or T3, and perhaps some of which nobody may. */
  *#yielding(): Generator<Job> {
    const { job, cover } = this.#claimant;
    // If its own side can give something up it stands lower, and then more sides may lose to it.
    let inside = false;
    let own: AccountNo | undefined;
    for (let common: AccountNo = job.account; common !== noAccount; common = accountOf(this.#state, common).parent) {
      let found = false;
      for (const each of this.#yieldingTo(common, own, inside)) {
        found = true;
        yield each;
      }
      if (common === cover) return;
      inside ||= found;
      own = common;
    }
  }

  /** Those for whom `common` is the lowest account above them and the claimant, whose side is `own`. */
  *#yieldingTo(common: AccountNo, own: AccountNo | undefined, inside: boolean): Generator<Job> {
    for (const { job } of this.#of(common)) yield job;
    let lowered = inside;
    if (!lowered && common === this.#claimant.job.account) lowered = this.#of(common).next().done !== true;
    for (const side of accountOf(this.#state, common).children) {
      if (side === own || !(lowered || this.#nobody.isFairTo(own, side))) continue;
      const canSpare = (held: Held) => lowered || this.#nobody.isFairTo(own, side, held);
      for (const account of below(this.#state, side)) {
        this.looks++;
        yield* this.#yieldingOf(account, side, canSpare);
      }
    }
  }

  /** Those of an account whose side can spare them. */
  *#yieldingOf(account: AccountNo, side: AccountNo, canSpare: (held: Held) => boolean): Generator<Job> {
    const { elastic, dedicated } = this.#state;
    if (accountOf(this.#state, account).children.length === 0 && elastic.size + dedicated.size === 0) {
      if (this.#mayLose(account)) yield* this.#alikeOf(account, canSpare);
      return;
    }
    for (const victim of this.#of(account)) if (canSpare(this.#lossOf(side, victim))) yield victim.job;
  }

  /** The same where nobody is inside the guarantee of the account but itself: kind by kind, not job by job. */
  *#alikeOf(account: AccountNo, canSpare: (held: Held) => boolean): Generator<Job> {
    const { alike, policy } = this.#state;
    for (const { cover, saves, held, jobs, oldestAt } of alike.of(this.#state, account).values()) {
      this.looks++;
      if (policy.rebalance === "off" || (!saves && policy.rebalance === "checkpointed")) continue;
      if (cover !== noAccount && !this.#claimant.path.has(cover)) continue;
      if (this.#now - oldestAt < policy.minRuntimeMs || !canSpare(held)) continue; // T8
      for (const job of jobs) if (!isNew(this.#state, job, this.#now) && shieldedUntil(job) <= this.#now) yield job;
    }
  }

  #lossOf(side: AccountNo, victim: Victim): Held {
    if (this.#state.dedicated.size > 0) return this.#nobody.lossOf(side, victim);
    const held = nothingHeld();
    for (const lease of victim.leases) addTo(held, this.#state.fleet, lease, 1);
    return held;
  }

  *#of(account: AccountNo): Generator<Victim> {
    if (account !== this.#claimant.job.account && !this.#mayLose(account)) return;
    for (const job of this.#mayYield(account)) {
      this.looks++;
      yield* this.of(job);
    }
  }

  /** Jobs of an account that T2 or T3 may let go. */
  *#mayYield(account: AccountNo): Generator<Job> {
    const { active, resumable, elastic, policy } = this.#state;
    const own = account === this.#claimant.job.account;
    if (own ? mayTakeOwn(this.#state, this.#claimant.job) : policy.rebalance === "on") {
      yield* active.of(account);
      return;
    }
    if (!own && policy.rebalance === "checkpointed") yield* resumable.of(account);
    for (const job of elastic) if (job.account === account && (own || job.spec.checkpoint === undefined)) yield job;
  }

  /** Jobs that a guarantee covers which holds the claimant too, and perhaps some that it may not take. */
  *covered(): Generator<Job> {
    const { job, path } = this.#claimant;
    for (const account of path) {
      for (const other of this.#state.coveredBy.of(account))
        if (other.account !== job.account || mayYield(this.#state, job, other)) yield other;
    }
  }
}

/** An account and everything below it. */
function* below(state: State, account: AccountNo): Generator<AccountNo> {
  yield account;
  for (const child of accountOf(state, account).children) yield* below(state, child);
}

/** Those of a claimant's offers that a plan may use. */
export class Offers {
  readonly #state: State;
  readonly #catalog: Catalog;
  readonly #except: readonly Victim[];
  /** Whether what was lent may be taken back [T1]. */
  readonly floors: boolean;

  private constructor(state: State, catalog: Catalog, floors: boolean, except: readonly Victim[]) {
    this.#state = state;
    this.#catalog = catalog;
    this.floors = floors;
    this.#except = except;
  }

  static to(state: State, claimant: Claimant, now: Instant): Offers {
    return new Offers(state, new Catalog(state, claimant, now), claimant.cover !== noAccount, []);
  }

  without(victim: Victim): Offers {
    return new Offers(this.#state, this.#catalog, this.floors, [...this.#except, victim]);
  }

  withoutFloors(): Offers {
    return new Offers(this.#state, this.#catalog, false, this.#except);
  }

  ruleOf(victim: Victim): Rule {
    return this.#catalog.rules.get(victim)!;
  }

  /** The offer that is the same job, or the same member of it, as one made to the claimant in another standing. */
  same({ job, extra, leases }: Victim): Victim | undefined {
    return this.#catalog
      .of(job)
      .find((each) => each.extra === extra && (!extra || each.leases[0] === leases[0]) && this.#has(each));
  }

  /** Those who hold something on a node. */
  on(node: NodeNo): Victim[] {
    const found: Victim[] = [];
    for (const lease of this.#state.fleet.leasesOn(node)) {
      for (const victim of this.#catalog.of(jobOf(this.#state, lease.job))) {
        if (victim.extra && victim.leases[0] !== lease) continue;
        if (this.#has(victim) && !found.includes(victim)) found.push(victim);
      }
    }
    return found;
  }

  /** Those of an account and everything below. */
  *below(account: AccountNo): Generator<Victim> {
    for (const each of below(this.#state, account)) yield* this.of(each);
  }

  *of(account: AccountNo): Generator<Victim> {
    for (const job of this.#state.active.of(account))
      for (const victim of this.#catalog.of(job)) if (this.#has(victim)) yield victim;
  }

  /** The members of a job beyond its minimum, including victims that this search excludes: they would leave with the whole job [T13]. */
  extrasOf(job: Job): Victim[] {
    return this.#catalog.of(job).filter((victim) => victim.extra && (this.floors || this.ruleOf(victim) !== "T1"));
  }

  #has(victim: Victim): boolean {
    return !this.#except.includes(victim) && (this.floors || this.ruleOf(victim) !== "T1");
  }

  /** Whether nobody can be taken at all; false where only a closer look would tell. */
  isEmpty(): boolean {
    if (!this.floors) return this.yieldingOn().size === 0;
    const { usage, elastic } = this.#state;
    return usage[rootAccount]!.burst === 0 && elastic.size === 0 && this.coveredNodes().size === 0;
  }

  /** How many jobs have been looked at to tell. */
  get looks(): number {
    return this.#catalog.looks;
  }

  /** The nodes where someone may be taken by T2 or T3, and perhaps others. */
  yieldingOn(): ReadonlyMap<NodeNo, Yielding> {
    return this.#catalog.yieldingOn();
  }

  /** The nodes where work can be taken that a guarantee covers. */
  coveredNodes(): ReadonlySet<NodeNo> {
    const nodes = new Set<NodeNo>();
    for (const job of this.#catalog.covered())
      for (const victim of this.#catalog.of(job))
        if (this.#has(victim)) for (const lease of victim.leases) nodes.add(lease.node);
    return nodes;
  }
}
