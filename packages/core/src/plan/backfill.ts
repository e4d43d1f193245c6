import type { BesidePlans, MemberAsk } from "../fleet/fit.ts";
import type { Seat } from "../journal/event.ts";
import { type GpuNo, type NodeNo, noAccount } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import { must } from "../model/must.ts";
import type { FleetNode } from "../model/node.ts";
import type { PartSeat } from "../model/part.ts";
import type { PlansAhead } from "../place/place.ts";
import { before } from "../queue/in-account.ts";
import { isInside, queueOrderOf } from "../quota/accounts.ts";
import type { Demand } from "../quota/demand.ts";
import { jobOf } from "../state/live-jobs.ts";
import { newcomerOf } from "../state/neighbours.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import { leavesParts } from "./future-parts.ts";
import { isReclaimable } from "./future-victims.ts";
import type { PlanList } from "./plan-list.ts";
import type { Plan, PlannedStart } from "./planned-start.ts";
import { willReclaimFrom, willTakeBack } from "./reclaim-outlook.ts";
import { membersBeside, type Spare, type SpareOn, takeSpare } from "./spare.ts";

/** What a job may take without delaying the plans that are ahead of it [B2]. */
export class Backfill implements PlansAhead {
  readonly #state: ReadonlyState;
  readonly #list: PlanList;

  constructor(list: PlanList) {
    this.#state = list.state;
    this.#list = list;
  }

  get plans(): readonly Plan[] {
    return this.#list.all;
  }

  /** The nodes on which a job is planned to have parts of GPUs now, by one of its alternatives. */
  dueOn(job: Job, choice: number): ReadonlyMap<NodeNo, MemberAsk> | undefined {
    const own = this.#list.of(job)?.start;
    if (own === undefined || own.parts.size === 0) return undefined; // whole GPUs are counted, and counts agree
    return own.at <= this.#list.now && own.choice === choice ? own.takes : undefined;
  }

  /** What a job that would start now may take of each node and of each shared GPU. */
  besideFor(job: Job, burst: boolean): BesidePlans {
    return {
      mayTake: (node, need, members) => this.mayTake(job, burst, node, need, members),
      mayJoin: (node, gpu, part) => this.#mayJoin(this.#ahead(job), job, burst, node, gpu, part),
    };
  }

  /** How many of `members` a job that would start now may put on a node. */
  mayTake(job: Job, burst: boolean, node: FleetNode, need: MemberAsk, members: number): number {
    if (!this.#list.isOn(node.no)) return members;
    let most = members;
    for (const plan of this.#ahead(job)) {
      if (burst && willReclaimFrom(this.#state, plan.start, job.account)) continue;
      if (this.#list.isKeptOff(job, node.no, plan.start)) return 0;
      const spare = this.#spareFor(job, plan, node.no);
      if (spare !== undefined) most = membersBeside(spare, need, most);
    }
    return most;
  }

  /** Whether a job may have a part of a GPU without delaying one of these plans. */
  #mayJoin(plans: Iterable<Plan>, job: Job, burst: boolean, node: FleetNode, gpu: GpuNo, part: PartSeat): boolean {
    if (!this.#list.isOn(node.no)) return true;
    const occupant = { ...newcomerOf(this.#state, job), ...part };
    for (const { start, beside } of plans) {
      if (!start.parts.has(gpu) || (burst && willReclaimFrom(this.#state, start, job.account))) continue;
      const planned = [...beside.filter((other) => !this.#isBehind(other, job)), start];
      if (!leavesParts(this.#state, this.#list.ends, { node, gpu, occupant, at: start.at }, planned)) return false;
    }
    return true;
  }

  /** Whether the plans ahead of a job keep their quota, or can take it back, if the job starts now. */
  mayHold(job: Job, demand: Demand, burst: boolean): boolean {
    for (const plan of this.#ahead(job)) {
      if (burst && willTakeBack(this.#state, plan.start, job, this.#list.now)) continue;
      if (!this.#keepsQuota(plan, job, demand)) return false;
      if (burst && plan.takesBack && !this.#keepsCover(plan, job, demand)) return false;
    }
    return true;
  }

  /** Whether a plan still has its quota if a job runs beside it. */
  #keepsQuota({ start, usage, beside }: Plan, job: Job, demand: Demand): boolean {
    if (usage === undefined) return true;
    const behind = beside.filter((other) => this.#isBehind(other, job));
    return usage.allows(start, [{ job, demand }], behind);
  }

  /** Whether the guarantee by which a plan takes work back still covers it if a job runs beside it [B8]. */
  #keepsCover({ start, usage, beside }: Plan, job: Job, demand: Demand): boolean {
    if (start.cover === noAccount || usage === undefined) return true;
    const behind = beside.filter((other) => this.#isBehind(other, job));
    const cover = usage.coverOf(start, [{ job, demand }], behind);
    return cover !== noAccount && isInside(this.#state, cover, start.cover);
  }

  /**
   * Whether a claim delays no plan of a job that goes before the claimant in its own account [O3, O4]. Between accounts a
   * guarantee, or a smaller share, comes before a plan.
   */
  mayClaim(job: Job, demand: Demand, seats: readonly Seat[]): boolean {
    for (const plan of this.#ahead(job)) {
      if (plan.start.job.account !== job.account) continue;
      if (!this.#keepsQuota(plan, job, demand)) return false;
      for (const [node, count] of this.#plannedGpusIn(seats, plan)) {
        const { gpus } = must(this.#spareFor(job, plan, node), "a plan has spare room on each of its nodes");
        if (count > gpus) return false;
      }
    }
    return true;
  }

  /** By node: how many GPUs of these seats a plan counts on. */
  #plannedGpusIn(seats: readonly Seat[], { start, spare }: Plan): Map<NodeNo, number> {
    const counts = new Map<NodeNo, number>();
    for (const { node, gpus } of seats) {
      if (!spare.has(node)) continue;
      for (const gpu of gpus) if (this.#isFreeBy(gpu, node, start)) counts.set(node, (counts.get(node) ?? 0) + 1);
    }
    return counts;
  }

  /** Whether a GPU is free when a plan starts, or held by work that the plan can reclaim. */
  #isFreeBy(gpu: GpuNo, node: NodeNo, start: PlannedStart): boolean {
    for (const lease of this.#state.fleet.leasesOn(node)) {
      if (!lease.gpus.includes(gpu) || lease.state === "stopping") continue;
      const job = jobOf(this.#state, lease.job);
      if (!this.#list.ends.runsPast(job, start.at)) continue;
      if (!isReclaimable(job) || !willReclaimFrom(this.#state, start, job.account)) return false;
    }
    return true;
  }

  /** What one more member of a running job may take: it comes after all waiting jobs [P1]. */
  besideGrowth(job: Job, demand: Demand): BesidePlans {
    return {
      mayTake: (node, need, members) => this.#mayGrow(job, demand, node, need, members),
      mayJoin: (node, gpu, part) => this.#mayJoin(this.plansBeforeEndOf(job), job, true, node, gpu, part),
    };
  }

  #mayGrow(job: Job, demand: Demand, node: FleetNode, need: MemberAsk, members: number): number {
    let most = members;
    for (const { start, spare, usage } of this.plansBeforeEndOf(job)) {
      if (willReclaimFrom(this.#state, start, job.account)) continue;
      if (usage?.allows(start, [{ job, demand }]) === false || this.#list.isKeptOff(job, node.no, start)) return 0;
      const left = spare.get(node.no);
      if (left !== undefined) most = membersBeside(left, need, most);
    }
    return most;
  }

  /** The plans that start before a running job ends. */
  *plansBeforeEndOf(job: Job): Generator<Plan> {
    const endAt = this.#list.ends.of(job);
    for (const plan of this.plans) if (plan.start.at < endAt) yield plan;
  }

  /** The plans that start before a job would end if it started now, and that it must not delay. */
  *#ahead(job: Job): Generator<Plan> {
    const endAt = this.#list.now + this.#list.runMs(job);
    for (const plan of this.plans) if (plan.start.at < endAt && !this.#isBehind(plan.start, job)) yield plan;
  }

  /** Whether a plan is the job's own, or that of a job behind it in its account [O3]: neither is in its way. */
  #isBehind({ job: planned }: PlannedStart, job: Job): boolean {
    if (planned === job) return true;
    return planned.account === job.account && before(this.#state, job, planned, queueOrderOf(this.#state, job.account));
  }

  /** The spare room of a node beside a plan, with what the plans behind the job would take there. */
  #spareFor(job: Job, { spare, beside }: Plan, node: NodeNo): Spare | undefined {
    const left = spare.get(node);
    if (left === undefined) return undefined;
    let own: SpareOn | undefined;
    for (const other of beside) {
      const amount = other.takes.get(node);
      if (amount === undefined || !this.#isBehind(other, job)) continue;
      own ??= new Map([[node, { ...left }]]);
      takeSpare(own, node, amount, -1);
    }
    return own?.get(node) ?? left;
  }
}
