import type { MemberNeed } from "../fleet/fit.ts";
import { turningPoints } from "../fleet/maintenance.ts";
import { type AccountNo, noAccount } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import type { FleetNode } from "../model/node.ts";
import type { Instant } from "../model/units.ts";
import { isConfidential } from "../place/dedicated.ts";
import { findSeats } from "../place/seats.ts";
import { demandOf } from "../quota/demand.ts";
import { coverFor } from "../quota/guarantee.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import type { Moment } from "./ends.ts";
import { FutureUsage, type JobDemand, mayBeCovered, waitsForQuota } from "./future-quota.ts";
import { FutureRoom, type StartOption } from "./future-room.ts";
import { exposedAt, gpusReclaimableOutside, preemptibleBy, reclaimableOutside } from "./future-victims.ts";
import type { PlanList } from "./plan-list.ts";
import type { Plan, PlannedStart } from "./planned-start.ts";
import { willPreempt } from "./reclaim-outlook.ts";

/** One alternative of a job on one model, for which a start is sought. */
export interface StartQuestion {
  readonly job: Job;
  readonly choice: number;
  /** What one member asks for. */
  readonly ask: MemberNeed;
  /** Whether the present instant counts. */
  readonly mayStartNow: boolean;
}

/** The earliest start of an alternative behind all plans, in room and in quota [B1, B4]; undefined = it cannot be predicted. */
export function earliestStart(plans: PlanList, { job, choice, ask, mayStartNow }: StartQuestion): Plan | undefined {
  const isPart = job.spec.gpus[choice]!.part !== undefined;
  const option = { job, choice, isPart, need: isPart ? { ...ask, gpus: 0 } : ask };
  const isBounded = waitsForQuota(plans.state, job);
  if (!mayStartNow && !isBounded && !mayChange(plans, job)) return undefined;
  const { min, apart } = job.spec.members;
  if (option.need.gpus > 0 && min > 1 && plans.ends.roomAfter(option.need, apart) < min) return undefined;
  return new EarliestStart(plans, option, isBounded).find(mayStartNow);
}

/** Whether an instant to come may bring more room, or is the job's own earliest start. */
function mayChange({ ends, all, state, now }: PlanList, { notBeforeAt }: Job): boolean {
  return ends.mayExist || all.length > 0 || state.fleet.maintained.size > 0 || notBeforeAt > now;
}

/** The quota by which a job can start at some instant. */
interface QuotaFound {
  readonly cover: AccountNo;
  /** Jobs whose quota must be taken back for it first. */
  readonly takenBack: readonly JobDemand[];
}

/** Walks the moments at which something may become free, until the job has room and quota. */
class EarliestStart {
  readonly #state: ReadonlyState;
  readonly #plans: PlanList;
  readonly #option: StartOption;
  readonly #demand: JobDemand;
  readonly #runMs: number;
  readonly #room: FutureRoom;
  /** The job may have to wait for quota. */
  readonly #isBounded: boolean;
  /** The guarantee that would cover it now. */
  readonly #coverNow: AccountNo;
  /** What accounts hold at the present moment of the walk; undefined where quota is no matter and the cover cannot change. */
  readonly #usage: FutureUsage | undefined;
  /** Jobs of its own account whose quota it could take back once they are past `min_runtime`. */
  readonly #preemptible: readonly JobDemand[];
  /** Instants at which a maintenance window opens or closes a node to the job, and how many of them have passed. */
  readonly #turningPoints: ReturnType<typeof turningPoints>;
  #turned = 0;
  /** The next instant at which the room beside plans changes. */
  #plansChangeAt: Instant;
  /** Some job that has ended so far has no `max_time`. */
  #isGuessed = false;

  constructor(plans: PlanList, option: StartOption, isBounded: boolean) {
    const { state } = plans;
    const { job, choice, need } = option;
    this.#state = state;
    this.#plans = plans;
    this.#option = option;
    this.#demand = { job, demand: demandOf(state, job, choice, need.model) };
    this.#runMs = plans.runMs(job);
    this.#room = new FutureRoom(plans, option);
    this.#isBounded = isBounded;
    const isAlone = isConfidential(state, job.account);
    this.#coverNow = isAlone ? noAccount : coverFor(state, job.account, this.#demand.demand);
    const mayCoverChange = !isAlone && this.#mayCoverChange();
    this.#usage = isBounded || mayCoverChange ? new FutureUsage(state, job) : undefined;
    this.#preemptible = isBounded ? preemptibleBy(state, job) : [];
    this.#turningPoints = turningPoints(state.fleet, job.spec, plans.now);
    this.#plansChangeAt = plans.nextChange(plans.now, this.#runMs);
  }

  /** A guarantee may become free for the job; one that is free now may be used by jobs that are planned. */
  #mayCoverChange(): boolean {
    if (this.#coverNow !== noAccount) return this.#plans.all.length > 0;
    return mayBeCovered(this.#state, this.#option.job, this.#demand.demand);
  }

  find(mayStartNow: boolean): Plan | undefined {
    const fitsNow = this.#countRoomNow(mayStartNow);
    const moments = this.#moments(mayStartNow && fitsNow);
    for (let next = moments.next(); !next.done; ) {
      const { at, job: ending } = next.value;
      next = moments.next();
      this.#room.moveTo(at);
      if (ending !== undefined) this.#end(ending);
      if (!next.done && next.value.at === at) continue; // jobs that end together leave together
      this.#recount(at);
      const plan = at < this.#option.job.notBeforeAt ? undefined : this.#tryAt(at);
      if (plan !== undefined) return plan;
    }
    return undefined;
  }

  /** Counts the room of the present instant. Returns whether the job is known to fit, where that was looked at. */
  #countRoomNow(mayStartNow: boolean): boolean {
    const { job, choice, need, isPart } = this.#option;
    const seats = mayStartNow || isPart ? findSeats(this.#state, job, choice, need.model) : undefined;
    const isOnePart = isPart && job.spec.members.min === 1;
    // A single part either fits where it was just found, or nowhere before something ends.
    if (!isOnePart) this.#room.countAll();
    else if (typeof seats === "object") this.#room.count(seats[0]!.node);
    return typeof seats === "object";
  }

  /** When more may be free than before: the ends of running and planned jobs, and the instants at which quota can be taken back. */
  *#moments(includesNow: boolean): Generator<Moment, undefined> {
    if (includesNow) yield { at: this.#plans.now };
    const others = [this.#option.job.notBeforeAt];
    for (const { start } of this.#plans.all) {
      const endAt = this.#plans.endOf(start);
      if (Number.isFinite(endAt)) others.push(endAt);
    }
    for (const { job } of this.#preemptible) others.push(exposedAt(this.#state, job));
    yield* this.#plans.ends.moments(others);
  }

  #end(job: Job): void {
    this.#usage?.end(job);
    this.#isGuessed ||= job.spec.maxTimeMs === undefined;
    this.#room.end(job);
  }

  /** Counts the nodes again that maintenance or plans have changed up to an instant. */
  #recount(at: Instant): void {
    const points = this.#turningPoints;
    for (; this.#turned < points.length && points[this.#turned]!.at <= at; this.#turned++)
      this.#room.count(points[this.#turned]!.node);
    if (at < this.#plansChangeAt) return;
    for (const { start } of this.#plans.all) for (const no of start.takes.keys()) this.#room.count(no);
    this.#plansChangeAt = this.#plans.nextChange(at, this.#runMs);
  }

  #tryAt(at: Instant): Plan | undefined {
    const running = this.#plans.runningAt(at);
    const spread = this.#room.spread() ?? this.#spreadByReclaiming(at, running);
    const quota = spread && this.#quotaAt(at, running);
    if (spread !== undefined && quota !== undefined && this.#plans.keepQuota(this.#demand, at, at + this.#runMs))
      return this.#planAt(at, spread, quota, running);
    this.#room.reclaimNothing();
    return undefined;
  }

  /** Tries again with the GPUs that the job's guarantee could reclaim at once. */
  #spreadByReclaiming(at: Instant, running: readonly PlannedStart[]): Map<FleetNode, number> | undefined {
    // A guarantee that covers it now could reclaim now: that is not waited for.
    const isNew = this.#coverNow === noAccount || (this.#isBounded && at > this.#plans.now);
    if (this.#option.need.gpus === 0 || !isNew) return undefined;
    const cover = this.#coverAt(running, []);
    if (cover === noAccount) return undefined;
    this.#room.reclaim(gpusReclaimableOutside(this.#state, this.#plans.ends, cover, at));
    return this.#room.spread();
  }

  /** The guarantee that covers the job at this moment beside some planned jobs, `without` some running ones. */
  #coverAt(beside: readonly JobDemand[], without: readonly JobDemand[]): AccountNo {
    return this.#usage === undefined ? this.#coverNow : this.#usage.coverOf(this.#demand, beside, without);
  }

  /** Quota for the job at this moment, if need be by taking back what can be taken back by then [B4]. */
  #quotaAt(at: Instant, running: readonly PlannedStart[]): QuotaFound | undefined {
    const usage = this.#usage;
    if (usage === undefined || !this.#isBounded || usage.allows(this.#demand, running))
      return { cover: this.#coverAt(running, []), takenBack: [] };
    const { ends } = this.#plans;
    const exposed = this.#preemptible.filter(({ job }) => exposedAt(this.#state, job) <= at && ends.runsPast(job, at));
    const cover = this.#coverAt(running, exposed);
    const claimant = { job: this.#option.job, at, cover };
    const takenBack = exposed.filter(({ job }) => willPreempt(this.#state, claimant, job, job.placedAt));
    if (cover !== noAccount) takenBack.push(...reclaimableOutside(this.#state, ends, cover, at));
    const isEnough = takenBack.length > 0 && usage.allows(this.#demand, running, takenBack);
    return isEnough ? { cover, takenBack } : undefined;
  }

  #planAt(
    at: Instant,
    spread: ReadonlyMap<FleetNode, number>,
    { cover, takenBack }: QuotaFound,
    running: PlannedStart[],
  ): Plan {
    const { job, choice } = this.#option;
    const { takes, parts, spare } = this.#room.reserve(spread);
    for (const start of running) this.#usage?.begin(start);
    for (const each of takenBack) this.#usage?.end(each.job);
    const start = { job, choice, at, takes, parts, cover, guessed: this.#isGuessed, demand: this.#demand.demand };
    const takesBack = takenBack.length > 0 || this.#room.isReclaiming;
    return { start, spare, usage: this.#usage, beside: running, takesBack };
  }
}
