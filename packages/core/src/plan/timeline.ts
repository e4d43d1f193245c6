import type { Seat } from "../journal/event.ts";
import { type AccountNo, noAccount } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import type { Instant } from "../model/units.ts";
import { isConfidential } from "../place/dedicated.ts";
import { isInside } from "../quota/accounts.ts";
import { modelsFor } from "../quota/demand.ts";
import { coverFor } from "../quota/guarantee.ts";
import { needFor } from "../state/narrowing.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import { Backfill } from "./backfill.ts";
import { earliestStart } from "./earliest-start.ts";
import { plansMax } from "./eligibility.ts";
import { waitsForQuota } from "./future-quota.ts";
import { PlanList } from "./plan-list.ts";
import type { Plan, PlannedStart } from "./planned-start.ts";
import { willTakeBack } from "./reclaim-outlook.ts";
import { type EndOf, endOf } from "./run-time.ts";
import { isOverdrawn, type SpareOn, takeSpare } from "./spare.ts";

/**
 * The planned starts, as worked out at one instant from the known ends of running jobs [B1]. A job with an unknown end is
 * taken to run for ever: a job that needs its seats has no plan and delays no other job.
 */
export class Timeline {
  readonly #state: ReadonlyState;
  readonly #plans: PlanList;
  /** What other jobs may take without delaying the plans. */
  readonly backfill: Backfill;

  constructor(state: ReadonlyState, now: Instant, ends: EndOf = endOf) {
    this.#state = state;
    this.#plans = new PlanList(state, now, ends);
    this.backfill = new Backfill(this.#plans);
  }

  get plans(): readonly Plan[] {
    return this.#plans.all;
  }

  /** Plans a job at its earliest start, if that can be predicted; at the present instant only if it `mayStartNow`. */
  plan(job: Job, mayStartNow = false): PlannedStart | undefined {
    const plan = this.#find(job, mayStartNow);
    if (plan === undefined) return undefined;
    this.#plans.add(plan);
    return plan.start;
  }

  /** When and where a job could start behind all plans. It is not planned by this. */
  startOf(job: Job): PlannedStart | undefined {
    return this.#find(job, false)?.start;
  }

  #find(job: Job, mayStartNow: boolean): Plan | undefined {
    if (this.plans.length >= plansMax) return undefined;
    // Its usage would depend on the nodes it opens [U3].
    if (isConfidential(this.#state, job.account) && waitsForQuota(this.#state, job)) return undefined;
    for (let choice = 0; choice < job.spec.gpus.length; choice++) {
      for (const model of modelsFor(this.#state, job, choice)) {
        const ask = needFor(this.#state, job, choice, model);
        const plan = earliestStart(this.#plans, { job, choice, ask, mayStartNow });
        if (plan !== undefined) return plan;
      }
    }
    return undefined;
  }

  /** A job has started: its own plan is dropped, and the plans that start while it runs have less beside them. */
  started(job: Job): void {
    if (this.plans.length === 0) return;
    if (job.leases.length === 0) throw new Error("Bug: a job that has started holds seats");
    this.#plans.drop(job);
    const { now } = this.#plans;
    const endAt = now + this.#plans.runMs(job);
    for (const plan of this.plans) {
      const { start, spare, usage } = plan;
      const isTakenBack = job.cover === noAccount && willTakeBack(this.#state, start, job, now);
      if (start.at >= endAt || isTakenBack) usage?.end(job);
      if (start.at >= endAt) continue;
      this.#take(spare, job, job.leases);
      plan.takesBack ||= isTakenBack && job.leases.some(({ node }) => isOverdrawn(spare.get(node)));
    }
    this.holdsMore(job.account);
  }

  /** A running job has one more member: the plans that start while it runs have less beside them. */
  grew(job: Job, seat: Seat): void {
    for (const { spare } of this.backfill.plansBeforeEndOf(job)) this.#take(spare, job, [seat]);
  }

  /** Takes seats from the spare room beside a plan. The GPU of a part beside other parts was not spare. */
  #take(spare: SpareOn, { spec: { cpusMilli, memoryMiB } }: Job, seats: readonly Seat[]): void {
    const { fleet } = this.#state;
    for (const { node, gpus, part } of seats) {
      if (!spare.has(node)) continue;
      const isShared = part !== undefined && fleet.occupants(gpus[0]!).length > 1;
      takeSpare(spare, node, { gpus: isShared ? 0 : gpus.length, cpusMilli, memoryMiB });
    }
  }

  /** An account holds more than before: a guarantee that was to cover a plan may have no room for it any more. */
  holdsMore(account: AccountNo): void {
    for (const { start, usage } of this.plans) {
      if (start.cover === noAccount || !isInside(this.#state, account, start.cover)) continue;
      start.cover = usage?.coverOf(start, []) ?? coverFor(this.#state, start.job.account, start.demand);
    }
  }
}
