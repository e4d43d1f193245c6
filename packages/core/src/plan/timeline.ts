import { type BesidePlans, type Going, type MemberAsk, type MemberNeed, needOf } from "../fleet/fit.ts";
import { spreadGang } from "../fleet/gang.ts";
import { opensBy, outlasts, turningPoints } from "../fleet/maintenance.ts";
import { Rooms } from "../fleet/rooms.ts";
import type { Seat } from "../journal/event.ts";
import { type AccountNo, type GpuNo, type NodeNo, noAccount, rootAccount } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import type { FleetNode } from "../model/node.ts";
import type { PartSeat } from "../model/part.ts";
import type { Instant } from "../model/units.ts";
import { nodesOfOthers } from "../place/apart.ts";
import { isConfidential, keptApart, shareNoNode } from "../place/dedicated.ts";
import { findSeats } from "../place/seats.ts";
import { before } from "../queue/in-account.ts";
import { isInside, orderOf } from "../quota/accounts.ts";
import { type Demand, demandOf, modelsFor } from "../quota/demand.ts";
import { coverFor } from "../quota/guarantee.ts";
import { jobOf, lowestPriority } from "../state/live-jobs.ts";
import { newcomerOf } from "../state/neighbours.ts";
import type { State } from "../state/state.ts";
import { BesideGpus } from "./beside-gpus.ts";
import { Ends, type Moment } from "./ends.ts";
import { leavesParts, type PartsFound, type PartsOn, partsThen } from "./parts-then.ts";
import { plansMax } from "./patience.ts";
import { type Asking, mayBeCovered, UsageThen, waitsForQuota } from "./quota-then.ts";
import { type EndOf, endOf, runMsOf } from "./run-time.ts";
import { isOverdrawn, membersBeside, type Spare, type SpareOn, takeSpare } from "./spare.ts";
import { takesFromOutside, takesFromOwn } from "./take-back.ts";

/** When and where a job that cannot start now is expected to. */
export interface PlannedStart {
  readonly job: Job;
  readonly at: Instant;
  readonly choice: number;
  /** What all its members on a node will take of it. */
  readonly takes: ReadonlyMap<NodeNo, MemberAsk>;
  /** Those who take parts of GPUs; of a GPU that the first of them opens, all of it is in its `takes`. */
  readonly parts: PartsOn;
  /** The guarantee that will hold it: burst work outside of that it can take back, so such work may run in its gap [B2]. */
  cover: AccountNo;
  /** It counts on the end of something that has no limit. */
  readonly guessed: boolean;
  readonly demand: Demand;
}

/** A plan with what others may not take from it. */
interface Kept {
  readonly start: PlannedStart;
  readonly spare: SpareOn;
  /** What accounts hold when it starts, without it, where that counts: for quota, or for a guarantee to come. */
  readonly usage: UsageThen | undefined;
  /** The other plans that run then: what they will hold is in neither. */
  readonly beside: PlannedStart[];
  /** The plan counts on taking work back, by the guarantee that will hold it [T1, T3]. */
  takesBack: boolean;
}

/**
 * Future free GPUs [B1], from what is declared and known of the ends of what runs. What nobody can tell the end of is
 * taken to run for ever, so a job that would need its seats has no plan and holds nobody up.
 */
export class Timeline {
  readonly #state: State;
  #now: Instant;
  readonly madeAt: Instant;
  readonly plans: PlannedStart[] = [];
  /** By plan. */
  readonly #kept: Kept[] = [];
  /** Where some plan is; on most nodes there is none. */
  readonly #nodesPlanned = new Set<NodeNo>();
  readonly #endOf: EndOf;
  readonly #runsMsOf = new Map<Job, number>();
  #ends: Ends;

  constructor(state: State, now: Instant, ends: EndOf = endOf) {
    this.#state = state;
    this.#now = now;
    this.madeAt = now;
    this.#endOf = ends;
    this.#ends = new Ends(state, now, ends);
  }

  /**
   * Goes on at a later instant with plans as they are, but for those of jobs that are `planned` no more. False where they
   * must be made again: others are planned, or quota is waited for, of which some may have been given back.
   */
  goOn(planned: ReadonlyMap<Job, Instant>, now: Instant): boolean {
    for (const { job } of [...this.plans]) if (!planned.has(job)) this.#drop(job);
    if (this.plans.length < planned.size || this.plans.some(({ job }) => waitsForQuota(this.#state, job))) return false;
    this.#now = now;
    this.#ends = new Ends(this.#state, now, this.#endOf);
    return true;
  }

  /** Plans a job at its earliest feasible time, if that can be known: this instant only if it `mayStartNow`. */
  plan(job: Job, mayStartNow = false): PlannedStart | undefined {
    const planned = this.#find(job, mayStartNow);
    if (planned === undefined) return undefined;
    const { at, takes } = planned.start;
    const endAt = at + this.#runsMs(job);
    // What begins while this one runs has that much less beside it.
    for (const { start, spare, usage, beside } of this.#kept) {
      if (start.at <= at || start.at >= endAt) continue;
      for (const [node, amount] of takes) takeSpare(spare, node, amount);
      usage?.begin(planned.start);
      beside.push(planned.start);
    }
    for (const node of takes.keys()) this.#nodesPlanned.add(node);
    this.plans.push(planned.start);
    this.#kept.push(planned);
    return planned.start;
  }

  /** When and where a job could start behind all plans; nothing is planned for it. */
  startOf(job: Job): PlannedStart | undefined {
    return this.#find(job)?.start;
  }

  #find(job: Job, mayStartNow = false): Kept | undefined {
    if (this.plans.length >= plansMax) return undefined;
    // What it would hold of its quota depends on the nodes that it would open then.
    if (isConfidential(this.#state, job.account) && waitsForQuota(this.#state, job)) return undefined;
    for (let choice = 0; choice < job.spec.gpus.length; choice++) {
      for (const model of modelsFor(this.#state, job, choice)) {
        const planned = this.#earliest(job, choice, needOf(job.spec, choice, model), mayStartNow);
        if (planned !== undefined) return planned;
      }
    }
    return undefined;
  }

  /** The nodes on whose GPUs a job is planned to have parts from this instant on, by one of its alternatives. */
  dueOn(job: Job, choice: number): ReadonlyMap<NodeNo, MemberAsk> | undefined {
    const own = this.plans.find((plan) => plan.job === job);
    if (own === undefined || own.parts.size === 0) return undefined; // whole GPUs are counted, and counts agree
    return own.at <= this.#now && own.choice === choice ? own.takes : undefined;
  }

  /** What a job may take beside the plans that are ahead of it [B2]. */
  besideFor(job: Job, burst: boolean): BesidePlans {
    return {
      mayTake: (node, need, members) => this.mayTake(job, burst, node, need, members),
      mayJoin: (node, gpu, part) => this.#mayJoin(this.#ahead(job), job, burst, node, gpu, part),
    };
  }

  /** How many of some members a job may put on a node without delaying a plan that is ahead of it [B2]. */
  mayTake(job: Job, burst: boolean, node: FleetNode, need: MemberAsk, members: number): number {
    if (!this.#nodesPlanned.has(node.no)) return members;
    let most = members;
    for (const kept of this.#ahead(job)) {
      if (burst && takesFromOutside(this.#state, kept.start, job.account)) continue;
      if (this.#keepsOff(kept.start, job, node.no)) return 0;
      const left = this.#leftTo(job, kept, node.no);
      if (left !== undefined) most = membersBeside(left, need, most);
    }
    return most;
  }

  /** Whether a plan is on a node on which a job may not be beside it [U3]. */
  #keepsOff({ job: planned, takes }: PlannedStart, job: Job, node: NodeNo): boolean {
    return takes.has(node) && shareNoNode(this.#state, planned.account, job.account);
  }

  /** Whether a job may have a part of a GPU without delaying one of some plans. */
  #mayJoin(plans: Iterable<Kept>, job: Job, burst: boolean, node: FleetNode, gpu: GpuNo, part: PartSeat): boolean {
    if (!this.#nodesPlanned.has(node.no)) return true;
    const more = { ...newcomerOf(this.#state, job), ...part };
    for (const { start, beside } of plans) {
      if (!start.parts.has(gpu) || (burst && takesFromOutside(this.#state, start, job.account))) continue;
      const planned = [...beside.filter((other) => !this.#yields(other, job)), start];
      if (!leavesParts(this.#state, node, gpu, more, start.at, this.#runsPast, planned)) return false;
    }
    return true;
  }

  /** What a job may have of a node beside a plan: what others are planned to have who yield to it is its own. */
  #leftTo(job: Job, { spare, beside }: Kept, node: NodeNo): Spare | undefined {
    const left = spare.get(node);
    if (left === undefined) return undefined;
    let own: SpareOn | undefined;
    for (const other of beside) {
      const amount = other.takes.get(node);
      if (amount === undefined || !this.#yields(other, job)) continue;
      own ??= new Map([[node, { ...left }]]);
      takeSpare(own, node, amount, -1);
    }
    return own?.get(node) ?? left;
  }

  /** Whether a plan would still have its quota if a job ran beside it. */
  #holdsBeside(job: Job, demand: Demand, { start, usage, beside }: Kept): boolean {
    if (usage === undefined) return true;
    const yielding = beside.filter((other) => this.#yields(other, job));
    return usage.holds(start, [{ job, demand }], yielding);
  }

  /** Whether a plan is not in the way of a job: it is its own, or that of one behind it in its account [O3]. */
  #yields({ job: planned }: PlannedStart, job: Job): boolean {
    if (planned === job) return true;
    return planned.account === job.account && before(this.#state, job, planned, orderOf(this.#state, job.account));
  }

  /** Whether a plan that is ahead of a job would still have its quota, or could take it back, if the job started now [B2]. */
  mayHold(job: Job, demand: Demand, burst: boolean): boolean {
    for (const kept of this.#ahead(job)) {
      if (burst && this.#takesBack(kept.start, job)) continue;
      if (!this.#holdsBeside(job, demand, kept)) return false;
      if (burst && kept.takesBack && !this.#isCoveredBeside(job, demand, kept)) return false;
    }
    return true;
  }

  /** Whether the guarantee by which a plan takes work back still holds the planned job if another job runs beside it [B8]. */
  #isCoveredBeside(job: Job, demand: Demand, { start, usage, beside }: Kept): boolean {
    if (start.cover === noAccount || usage === undefined) return true;
    const yielding = beside.filter((other) => this.#yields(other, job));
    const cover = usage.coverOf(start, [{ job, demand }], yielding);
    return cover !== noAccount && isInside(this.#state, cover, start.cover);
  }

  /** Whether who is planned takes back, when its time has come, the quota that a job would hold as burst from now on. */
  #takesBack(start: PlannedStart, job: Job): boolean {
    return takesFromOutside(this.#state, start, job.account) || takesFromOwn(this.#state, start, job, this.#now);
  }

  /**
   * Whether a claim leaves the plans of those alone who go before the job in its own account [O3, O4]: between accounts a
   * guarantee, or a smaller share, comes before a plan.
   */
  mayClaim(job: Job, demand: Demand, seats: readonly Seat[]): boolean {
    for (const kept of this.#ahead(job)) {
      const { start, spare } = kept;
      if (start.job.account !== job.account) continue;
      if (!this.#holdsBeside(job, demand, kept)) return false;
      const taken = new Map<NodeNo, number>();
      for (const { node, gpus } of seats)
        for (const gpu of gpus)
          if (spare.has(node) && this.#isFreeBy(gpu, node, start)) taken.set(node, (taken.get(node) ?? 0) + 1);
      for (const [node, count] of taken) if (count > this.#leftTo(job, kept, node)!.gpus) return false;
    }
    return true;
  }

  /** Whether a plan counts on a GPU: nobody holds it by then who could not be taken back. */
  #isFreeBy(gpu: GpuNo, node: NodeNo, start: PlannedStart): boolean {
    for (const lease of this.#state.fleet.leasesOn(node)) {
      if (!lease.gpus.includes(gpu) || lease.state === "stopping") continue;
      const job = jobOf(this.#state, lease.job);
      if (!this.#runsPast(job, start.at)) continue;
      if (!isReclaimable(job) || !takesFromOutside(this.#state, start, job.account)) return false;
    }
    return true;
  }

  /** The plans that a job would still run beside, and that it must not delay. */
  *#ahead(job: Job): Generator<Kept> {
    const endAt = this.#now + this.#runsMs(job);
    for (const kept of this.#kept) {
      if (kept.start.at < endAt && !this.#yields(kept.start, job)) yield kept;
    }
  }

  /** A job has started; where it will still run when a plan begins, that much less is left beside the plan. */
  started(job: Job): void {
    if (this.plans.length === 0) return;
    this.#drop(job);
    const endAt = this.#now + this.#runsMs(job);
    for (const kept of this.#kept) {
      const { start, spare, usage } = kept;
      const yields = job.cover === noAccount && this.#takesBack(start, job);
      if (start.at >= endAt || yields) usage?.end(job);
      if (start.at >= endAt) continue;
      this.#lessen(spare, job, job.leases);
      kept.takesBack ||= yields && job.leases.some(({ node }) => isOverdrawn(spare.get(node)));
    }
    this.holdsMore(job.account);
  }

  #drop(job: Job): void {
    const own = this.plans.findIndex((plan) => plan.job === job);
    if (own < 0) return;
    const [plan] = this.plans.splice(own, 1);
    this.#kept.splice(own, 1);
    for (const kept of this.#kept) giveBack(kept, plan!);
  }

  /** More is held in an account: a guarantee that was to hold a plan may have no room for it any more. */
  holdsMore(account: AccountNo): void {
    for (const { start, usage } of this.#kept) {
      if (start.cover === noAccount || !isInside(this.#state, account, start.cover)) continue;
      start.cover = usage?.coverOf(start, []) ?? coverFor(this.#state, start.job.account, start.demand);
    }
  }

  /** What one more member of a job that runs may take: it comes after all who wait [P1]. */
  besideGrowth(job: Job, demand: Demand): BesidePlans {
    return {
      mayTake: (node, need, members) => this.#mayGrow(job, demand, node, need, members),
      mayJoin: (node, gpu, part) => this.#mayJoin(this.#besideRunning(job), job, true, node, gpu, part),
    };
  }

  #mayGrow(job: Job, demand: Demand, node: FleetNode, need: MemberAsk, members: number): number {
    let most = members;
    for (const { start, spare, usage } of this.#besideRunning(job)) {
      if (takesFromOutside(this.#state, start, job.account)) continue;
      if (usage?.holds(start, [{ job, demand }]) === false || this.#keepsOff(start, job, node.no)) return 0;
      const left = spare.get(node.no);
      if (left !== undefined) most = membersBeside(left, need, most);
    }
    return most;
  }

  /** A job that runs has got another member. */
  grew(job: Job, seat: Seat): void {
    for (const { spare } of this.#besideRunning(job)) this.#lessen(spare, job, [seat]);
  }

  /** The plans that begin while a job that runs still does. */
  *#besideRunning(job: Job): Generator<Kept> {
    const endAt = this.#ends.of(job);
    for (const kept of this.#kept) if (kept.start.at < endAt) yield kept;
  }

  /** What has just been taken is not left beside a plan; the GPU of a part that others share was not. */
  #lessen(spare: SpareOn, { spec: { cpusMilli, memoryMiB } }: Job, seats: readonly Seat[]): void {
    const { fleet } = this.#state;
    for (const { node, gpus, part } of seats) {
      if (!spare.has(node)) continue;
      const isShared = part !== undefined && fleet.occupants(gpus[0]!).length > 1;
      takeSpare(spare, node, { gpus: isShared ? 0 : gpus.length, cpusMilli, memoryMiB });
    }
  }

  /** How long a job that has not started is taken to run. */
  #runsMs(job: Job): number {
    let runsMs = this.#runsMsOf.get(job);
    if (runsMs === undefined) {
      runsMs = runMsOf(this.#state, job, 0) ?? Number.POSITIVE_INFINITY;
      this.#runsMsOf.set(job, runsMs);
    }
    return runsMs;
  }

  #endOfPlan({ at, job }: PlannedStart): Instant {
    return at + this.#runsMs(job);
  }

  #earliest(job: Job, choice: number, ask: MemberNeed, mayStartNow: boolean): Kept | undefined {
    const { fleet } = this.#state;
    const { min: members, apart } = job.spec.members;
    const isPart = job.spec.gpus[choice]!.part !== undefined;
    const need = isPart ? { ...ask, gpus: 0 } : ask;
    const bounded = waitsForQuota(this.#state, job);
    if (!mayStartNow && !bounded && !this.#mayChange(job)) return undefined;
    const isWhole = need.gpus > 0;
    if (isWhole && members > 1 && this.#ends.roomAfter(need, apart) < members) return undefined;
    const demand = demandOf(this.#state, job, choice, need.model);
    const wholeNodes = isConfidential(this.#state, job.account);
    const cover = wholeNodes ? noAccount : coverFor(this.#state, job.account, demand);
    // A guarantee that would hold it now may be used by others who are planned.
    const mayChange = cover === noAccount ? mayBeCovered(this.#state, job, demand) : this.plans.length > 0;
    const usage = bounded || (mayChange && !wholeNodes) ? new UsageThen(this.#state, job) : undefined;
    const runsMs = this.#runsMs(job);
    const freed = new Int32Array(fleet.nodes.length);
    const mayUse = keptApart(this.#state, job.account);
    const others = nodesOfOthers(this.#state, job);
    const turns = turningPoints(this.#state.fleet, job.spec, this.#now);
    let turn = 0;
    let guessed = false;
    let from = this.#now;
    let lent: ReadonlyMap<NodeNo, number> = nothingLent;
    const freeOn = (node: FleetNode) =>
      fleet.soleModel(node) === need.model
        ? fleet.nodeFreeGpus[node.no]! + freed[node.no]! + (lent.get(node.no) ?? 0)
        : 0;
    const besidePlans = (node: FleetNode) =>
      isWhole || isPart ? freeOn(node) - this.#plannedOn(node.no, from) : plenty;
    const beside = new BesideGpus(need);
    // What those hold besides GPUs who can be taken back is not counted: it leaves with them.
    const leftOn = (node: FleetNode): Spare =>
      beside.counts && !lent.has(node.no)
        ? { gpus: besidePlans(node), ...beside.left(node, this.#startedOn(node.no, from)) }
        : { gpus: besidePlans(node), cpusMilli: plenty, memoryMiB: plenty };
    const isApart = (node: FleetNode) =>
      mayUse?.(node, this.#goneBy(node.no, from)) === false || this.#isKeptOff(job, node.no, from, from + runsMs);
    const fits = (node: FleetNode) => {
      if (!opensBy(node, from) || !outlasts(node, job.spec, from) || (mayUse !== undefined && isApart(node))) return 0;
      if (others?.has(node.no)) return 0;
      let here = membersBeside(leftOn(node), need, apart ? 1 : members);
      if (here > 0) here = this.#leftBy(node.no, from, from + runsMs, need, here);
      return here === 0 || !isPart ? here : partsOn(node, here).members;
    };
    const partsOn = (node: FleetNode, most: number): PartsFound => {
      if (fleet.soleModel(node) !== need.model) return noParts;
      const to = from + runsMs;
      const fresh = this.#leftBy(node.no, from, to, oneGpu, Math.max(0, besidePlans(node)));
      const others = this.plans.filter((plan) => plan.parts.size > 0 && plan.at < to && from < this.#endOfPlan(plan));
      return partsThen(this.#state, node, need.model, { job, choice }, from, this.#runsPast, others, most, fresh);
    };
    // How many members fit each node, kept up to date: a moment costs as much as what ends in it.
    const fit = new Int32Array(fleet.nodes.length);
    let total = 0;
    const count = (no: number) => {
      const node = fleet.nodes[no];
      const now = node === undefined ? 0 : fits(node);
      total += now - fit[no]!;
      fit[no] = now;
    };
    const now = mayStartNow || isPart ? findSeats(this.#state, job, choice, need.model) : undefined;
    // A single part that is to be had now is on that node; on others none is before something ends there.
    if (isPart && members === 1 && typeof now === "object") count(now[0]!.node);
    else if (!isPart || members > 1)
      for (let no = 0; no < fit.length; no++) if (fleet.nodeFreeGpus[no]! >= need.gpus) count(no);
    let boundary = this.#nextBoundary(from, runsMs);
    const fitsNow = mayStartNow && typeof now === "object";
    const lesser = bounded ? this.#lesserThan(job) : [];
    const exposed = lesser.map((each) => each.job.placedAt + this.#state.policy.minRuntimeMs);
    const moments = this.#moments(fitsNow, [job.notBeforeAt, ...exposed]);
    const asking = { job, demand };
    const lend = (next: ReadonlyMap<NodeNo, number>) => {
      const before = lent;
      lent = next;
      for (const no of before.keys()) count(no);
      for (const no of next.keys()) count(no);
    };
    const spreadNow = () => (total < members ? undefined : this.#spreadOver(job, fit));
    for (let next = moments.next(); !next.done; ) {
      const { at, job: ending } = next.value;
      next = moments.next();
      from = at;
      if (ending !== undefined) usage?.end(ending);
      guessed ||= ending !== undefined && ending.spec.maxTimeMs === undefined;
      for (const lease of ending?.leases ?? []) {
        const { node, gpus, part } = lease;
        if (beside.counts) beside.end(lease);
        // A part does not free a GPU for certain, and what is kept for a claimant is not free for others.
        let whole = 0;
        if (part === undefined) for (const gpu of gpus) if (fleet.gpuHeldFor[gpu] === 0) whole++;
        freed[node]! += whole;
        if (whole === 0 && !beside.counts && !isPart && mayUse === undefined) continue;
        // Most nodes that something ends on are still too full.
        if (fleet.nodeFreeGpus[node]! + freed[node]! >= need.gpus) count(node);
      }
      if (!next.done && next.value.at === at) continue;
      for (; turn < turns.length && turns[turn]!.at <= at; turn++) count(turns[turn]!.node);
      if (at >= boundary) {
        for (const plan of this.plans) for (const no of plan.takes.keys()) count(no);
        boundary = this.#nextBoundary(at, runsMs);
      }
      if (at < job.notBeforeAt) continue;
      const running = this.plans.filter((plan) => plan.at <= at && at < this.#endOfPlan(plan));
      const coverThen = (own: readonly Asking[]) => (usage === undefined ? cover : usage.coverOf(asking, running, own));
      let held = coverThen([]);
      let spread = spreadNow();
      // What is lent and a guarantee could take back at once, it would have.
      const mayTake = isWhole && held !== noAccount && (cover === noAccount || (bounded && at > this.#now));
      if (spread === undefined && mayTake) {
        lend(this.#lentBeyond(held, at));
        spread = spreadNow();
      }
      let hasQuota = spread !== undefined && (!bounded || usage!.holds(asking, running));
      let gone: readonly Asking[] = [];
      if (spread !== undefined && !hasQuota) {
        gone = this.#yieldingBy(at, lesser);
        held = coverThen(gone);
        const taker = { job, at, cover: held };
        gone = gone.filter(({ job: other }) => takesFromOwn(this.#state, taker, other, other.placedAt));
        if (held !== noAccount) gone = [...gone, ...this.#reclaimableBeyond(held, at)];
        hasQuota = gone.length > 0 && usage!.holds(asking, running, gone);
      }
      if (spread === undefined || !hasQuota || !this.#leavesQuota(asking, at, at + runsMs)) {
        lend(nothingLent);
        continue;
      }
      const spare: SpareOn = new Map();
      const takes = new Map<NodeNo, MemberAsk>();
      const parts = new Map<GpuNo, number>();
      for (const [node, here] of spread) {
        const found = isPart ? partsOn(node, here) : noParts;
        for (const [gpu, count] of found.parts) parts.set(gpu, count);
        const [cpusMilli, memoryMiB] = [need.cpusMilli * here, need.memoryMiB * here];
        takes.set(node.no, { gpus: need.gpus * here + found.opened, cpusMilli, memoryMiB });
        spare.set(node.no, leftOn(node));
        takeSpare(spare, node.no, takes.get(node.no)!);
      }
      const start = { job, choice, at, takes, parts, demand, guessed, cover: held };
      for (const plan of running) usage?.begin(plan);
      for (const each of gone) usage?.end(each.job);
      return { start, spare, usage, beside: running, takesBack: gone.length + lent.size > 0 };
    }
    return undefined;
  }

  #spreadOver({ spec }: Job, fit: Int32Array): Map<FleetNode, number> | undefined {
    const { fleet } = this.#state;
    return spreadGang(fleet, spec.members.min, new Rooms(fleet, (node) => fit[node.no]!), spec);
  }

  /** Burst work outside a guarantee that will still run then: who is inside can take it back. */
  *#reclaimableBeyond(floor: AccountNo, at: Instant): Generator<Asking> {
    const { active, usage } = this.#state;
    if (usage[rootAccount]!.burst === 0) return;
    for (const [account, jobs] of active.entries()) {
      if (isInside(this.#state, account, floor)) continue;
      for (const job of jobs) if (isReclaimable(job) && this.#runsPast(job, at)) yield this.#asRunning(job);
    }
  }

  /** GPUs of each node that such work will hold. */
  #lentBeyond(floor: AccountNo, at: Instant): Map<NodeNo, number> {
    const { gpuHeldFor } = this.#state.fleet;
    const lent = new Map<NodeNo, number>();
    for (const { job } of this.#reclaimableBeyond(floor, at)) {
      for (const { node, gpus, part } of job.leases) {
        const whole = part === undefined ? gpus.filter((gpu) => gpuHeldFor[gpu] === 0).length : 0;
        if (whole > 0) lent.set(node, (lent.get(node) ?? 0) + whole);
      }
    }
    return lent;
  }

  /** A job that runs, with what its least members hold. */
  #asRunning(job: Job): Asking {
    const gpu = job.leases[0]?.gpus[0];
    const model = gpu === undefined ? -1 : this.#state.fleet.gpuModel[gpu]!;
    return { job, demand: demandOf(this.#state, job, job.choice, model) };
  }

  /** Whether a job that runs is not known to be over by then. */
  readonly #runsPast = (job: Job, at: Instant): boolean => this.#ends.of(job) > at;

  /** The seats on a node that are left by then. */
  *#goneBy(node: NodeNo, at: Instant): Generator<Going> {
    for (const lease of this.#state.fleet.leasesOn(node)) {
      const job = jobOf(this.#state, lease.job);
      if (!this.#runsPast(job, at)) yield { account: job.account, node };
    }
  }

  /** Whether someone is planned on a node for some of that time beside whom a job may not be. */
  #isKeptOff(job: Job, node: NodeNo, from: Instant, to: Instant): boolean {
    return this.plans.some((plan) => {
      return plan.at < to && from < this.#endOfPlan(plan) && this.#keepsOff(plan, job, node);
    });
  }

  /** Less urgent work of a job's own account that runs. */
  #lesserThan({ account, spec }: Job): Asking[] {
    const state = this.#state;
    if (lowestPriority(state, account) >= spec.priority) return [];
    const lesser: Asking[] = [];
    for (const job of state.active.of(account)) {
      if (job.spec.priority >= spec.priority || !job.spec.preemptible || job.state === "stopping") continue;
      lesser.push(this.#asRunning(job));
    }
    return lesser;
  }

  /** Those of them who still run then, and are not protected any more [T8]. */
  #yieldingBy(at: Instant, lesser: readonly Asking[]): Asking[] {
    const { minRuntimeMs } = this.#state.policy;
    return lesser.filter(({ job }) => job.placedAt + minRuntimeMs <= at && this.#runsPast(job, at));
  }

  /** Whether plans that begin while a job runs still have their quota beside it. */
  #leavesQuota(asking: Asking, from: Instant, to: Instant): boolean {
    for (const { start, usage } of this.#kept)
      if (start.at > from && start.at < to && usage?.holds(start, [asking]) === false) return false;
    return true;
  }

  /** GPUs of a node that plans which have begun by then, and are not known to be over, will hold. */
  #plannedOn(node: NodeNo, at: Instant): number {
    let held = 0;
    if (!this.#nodesPlanned.has(node)) return held;
    for (const plan of this.plans) {
      if (plan.at <= at && at < this.#endOfPlan(plan)) held += plan.takes.get(node)?.gpus ?? 0;
    }
    return held;
  }

  /** What plans which have begun by then will have of a node. */
  *#startedOn(node: NodeNo, at: Instant): Generator<MemberAsk> {
    for (const plan of this.plans) {
      const amount = plan.at <= at && at < this.#endOfPlan(plan) ? plan.takes.get(node) : undefined;
      if (amount !== undefined) yield amount;
    }
  }

  /** How many of some members may be on a node for that time without delaying a plan that begins in it. */
  #leftBy(node: NodeNo, from: Instant, to: Instant, need: MemberAsk, members: number): number {
    let most = members;
    if (!this.#nodesPlanned.has(node)) return most;
    for (const { start, spare } of this.#kept) {
      const left = start.at > from && start.at < to ? spare.get(node) : undefined;
      if (left !== undefined) most = membersBeside(left, need, most);
    }
    return most;
  }

  /** The next instant at which what plans leave to a job that runs so long changes by itself. */
  #nextBoundary(after: Instant, runsMs: number): Instant {
    let next = Number.POSITIVE_INFINITY;
    for (const plan of this.plans) {
      for (const at of [plan.at - runsMs + 1, plan.at, this.#endOfPlan(plan)]) if (at > after && at < next) next = at;
    }
    return next;
  }

  /** Whether there is any moment to come at which more may be free, or its own time begins; quota is another matter. */
  #mayChange({ notBeforeAt }: Job): boolean {
    return (
      this.#ends.mayBe || this.plans.length > 0 || this.#state.fleet.maintained.size > 0 || notBeforeAt > this.#now
    );
  }

  /** When something becomes free: ends of what runs, and of what is planned; also this instant, and some others. */
  *#moments(now: boolean, also: readonly Instant[]): Generator<Moment, undefined> {
    if (now) yield { at: this.#now };
    const plans = this.plans.map((plan) => this.#endOfPlan(plan)).filter(Number.isFinite);
    yield* this.#ends.moments([...plans, ...also]);
  }
}

const plenty = Number.POSITIVE_INFINITY;
const oneGpu: MemberAsk = { gpus: 1, cpusMilli: 0, memoryMiB: 0 };
const noParts: PartsFound = { parts: new Map(), members: 0, opened: 0 };
const nothingLent: ReadonlyMap<NodeNo, number> = new Map();

/** What a plan would have had beside another is left to that again. */
function giveBack({ spare, usage, beside }: Kept, plan: PlannedStart): void {
  const at = beside.indexOf(plan);
  if (at < 0) return;
  beside.splice(at, 1);
  usage?.notBegin(plan);
  for (const [node, amount] of plan.takes) takeSpare(spare, node, amount, -1);
}

function isReclaimable({ cover, state, spec }: Job): boolean {
  return cover === noAccount && spec.preemptible && state !== "stopping";
}
