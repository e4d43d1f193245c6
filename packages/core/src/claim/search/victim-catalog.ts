import type { AccountNo, GpuNo, NodeNo } from "../../model/ids.ts";
import type { Job } from "../../model/job.ts";
import type { Lease } from "../../model/lease.ts";
import type { Instant } from "../../model/units.ts";
import { costToEnd } from "../../queue/cost-to-end.ts";
import { accountOf } from "../../quota/accounts.ts";
import { addTo, type Held, nothingHeld } from "../../quota/held.ts";
import { lostMsOf } from "../../run/lost-work.ts";
import type { ReadonlyState } from "../../state/readonly-state.ts";
import { Draft } from "../draft/draft.ts";
import { type Victim, victimsOf, whole } from "../draft/victim.ts";
import type { Claimant } from "../rules/claimant.ts";
import { isCoveredAgainst } from "../rules/cover.ts";
import { mayLose } from "../rules/fairness.ts";
import { mayTakeOwn, mightReplace } from "../rules/own-account.ts";
import { mayRebalance, mayRebalanceSome } from "../rules/protection.ts";
import { OneLoss } from "../rules/remaining.ts";
import { type Rule, ruleFor } from "../rules/rule.ts";
import { type Meeting, meetingsOf } from "../rules/sides.ts";
import { isSource } from "../rules/source.ts";

/** The most that work takeable by T2 or T3 would leave of a node. */
export interface TakeableRoom {
  /** Whole GPUs. */
  gpus: number;
  /** The least time per GPU that one of the jobs would lose. */
  leastMs: number;
}

/** Whether the side that loses could spare an amount. */
type CanSpare = (held: Held) => boolean;

/** The victims that a claimant might take, each with its rule. Judged on first use: few of many are ever examined. */
export class VictimCatalog {
  readonly #state: ReadonlyState;
  readonly #claimant: Claimant;
  readonly #now: Instant;
  readonly #noVictims: Draft;
  readonly #ofJob = new Map<Job, readonly Victim[]>();
  readonly #sources = new Map<AccountNo, boolean>();
  readonly rules = new Map<Victim, Rule>();
  #takeableOn: ReadonlyMap<NodeNo, TakeableRoom> | undefined;
  /** Jobs, classes of jobs and accounts that were examined. */
  examined = 0;

  constructor(state: ReadonlyState, claimant: Claimant, now: Instant) {
    this.#state = state;
    this.#claimant = claimant;
    this.#now = now;
    this.#noVictims = new Draft(state, claimant);
  }

  of(job: Job): readonly Victim[] {
    let offered = this.#ofJob.get(job);
    if (offered === undefined) {
      offered = this.#isSource(job.account) ? this.#find(job) : [];
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

  /** T5, which does not protect work of the claimant's own account. */
  #isSource(account: AccountNo): boolean {
    if (account === this.#claimant.job.account) return true;
    let source = this.#sources.get(account);
    if (source === undefined) {
      source = isSource(this.#state, this.#claimant, account, this.#noVictims);
      this.#sources.set(account, source);
    }
    return source;
  }

  /** The nodes with work takeable by T2 or T3, and perhaps some without. */
  takeableOn(): ReadonlyMap<NodeNo, TakeableRoom> {
    this.#takeableOn ??= this.#countTakeable();
    return this.#takeableOn;
  }

  #countTakeable(): Map<NodeNo, TakeableRoom> {
    const on = new Map<NodeNo, TakeableRoom>();
    const partsLeft = new Map<GpuNo, number>();
    for (const job of this.#takeable()) {
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

  /** How many GPUs are empty once this lease has left too: those on which no other part is left. */
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

  /** Jobs takeable by T2 or T3, and perhaps some that are not. */
  *#takeable(): Generator<Job> {
    // If the claimant's own side can give something up its share is lower, and then more sides may lose to it.
    let lowered = false;
    for (const meeting of meetingsOf(this.#state, this.#claimant.job.account)) {
      let found = false;
      for (const each of this.#takeableAt(meeting, lowered)) {
        found = true;
        yield each;
      }
      if (meeting.common === this.#claimant.cover) return;
      lowered ||= found;
    }
  }

  /** Jobs whose lowest common account with the claimant is that of the meeting. */
  *#takeableAt({ common, own }: Meeting, ownGivesUp: boolean): Generator<Job> {
    for (const { job } of this.#of(common)) yield job;
    let lowered = ownGivesUp;
    if (!lowered && common === this.#claimant.job.account) lowered = this.#of(common).next().done !== true;
    const winner = this.#noVictims.winner(own);
    for (const side of accountOf(this.#state, common).children) {
      if (side === own || !(lowered || mayLose(this.#state, side, winner, this.#noVictims))) continue;
      const canSpare = (held: Held) =>
        lowered || mayLose(this.#state, side, winner, new OneLoss(this.#state, side, held));
      for (const account of below(this.#state, side)) {
        this.examined++;
        yield* this.#takeableOf(account, side, canSpare);
      }
    }
  }

  /** Jobs of an account that its side can spare. */
  *#takeableOf(account: AccountNo, side: AccountNo, canSpare: CanSpare): Generator<Job> {
    const { elastic, dedicated } = this.#state;
    if (accountOf(this.#state, account).children.length === 0 && elastic.size + dedicated.size === 0) {
      if (this.#isSource(account)) yield* this.#takeableByClass(account, canSpare);
      return;
    }
    for (const victim of this.#of(account)) if (canSpare(this.#lossOf(side, victim))) yield victim.job;
  }

  /** The same for an account without accounts below: class by class instead of job by job. */
  *#takeableByClass(account: AccountNo, canSpare: CanSpare): Generator<Job> {
    for (const each of this.#state.victimClasses.of(this.#state, account).values()) {
      this.examined++;
      if (!mayRebalanceSome(this.#state, each, this.#now) || isCoveredAgainst(this.#claimant, each.cover)) continue;
      if (!canSpare(each.held)) continue;
      for (const job of each.jobs) if (mayRebalance(this.#state, whole(job), this.#now)) yield job;
    }
  }

  #lossOf(side: AccountNo, victim: Victim): Held {
    if (this.#state.dedicated.size > 0) return this.#noVictims.lossOf(side, victim);
    const held = nothingHeld();
    for (const lease of victim.leases) addTo(held, this.#state.fleet, lease, 1);
    return held;
  }

  *#of(account: AccountNo): Generator<Victim> {
    if (!this.#isSource(account)) return;
    for (const job of this.#mightBeTaken(account)) {
      this.examined++;
      yield* this.of(job);
    }
  }

  /** Jobs of an account that the policy lets T2 or T3 take. */
  *#mightBeTaken(account: AccountNo): Generator<Job> {
    const { active, resumable, elastic, policy } = this.#state;
    const own = account === this.#claimant.job.account;
    if (own ? mayTakeOwn(this.#state, this.#claimant.job) : policy.rebalance === "on") {
      yield* active.of(account);
      return;
    }
    if (!own && policy.rebalance === "checkpointed") yield* resumable.of(account);
    for (const job of elastic) if (job.account === account && (own || job.spec.checkpoint === undefined)) yield job;
  }

  /** Jobs covered by a guarantee that contains the claimant too, and perhaps some that it may not take [C2]. */
  *covered(): Generator<Job> {
    const { job, path } = this.#claimant;
    for (const account of path) {
      for (const other of this.#state.coveredBy.of(account))
        if (other.account !== job.account || mightReplace(this.#state, job, other)) yield other;
    }
  }
}

/** An account and everything below it. */
export function* below(state: ReadonlyState, account: AccountNo): Generator<AccountNo> {
  yield account;
  for (const child of accountOf(state, account).children) yield* below(state, child);
}
