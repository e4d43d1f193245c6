import { isPlannable, type QuotaStop, quotaStop } from "../gate/quota-stop.ts";
import type { AccountNo } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import { must } from "../model/must.ts";
import type { Backfill } from "../plan/backfill.ts";
import { mayBePlanned, mayPlan } from "../plan/eligibility.ts";
import { Timeline } from "../plan/timeline.ts";
import type { WaitingGroup } from "../state/indexes/waiting-group.ts";
import { upToDate } from "../state/wish-of.ts";
import { isArrayFull } from "./array-limit.ts";
import type { World } from "./world.ts";

/** The planned starts, worked out once a pass when first needed, and the plans that the pass adds [B1]. */
export class Plans {
  readonly #world: World;
  #timeline: Timeline | undefined;

  constructor(world: World) {
    this.#world = world;
  }

  /** The starts that must not be delayed [B2]. */
  get timeline(): Timeline {
    this.#timeline ??= this.#make();
    return this.#timeline;
  }

  /** What is left beside the plans; undefined while there are none, which is most of the time. */
  get backfill(): Backfill | undefined {
    return this.#timeline === undefined && this.#world.state.planned.size === 0 ? undefined : this.timeline.backfill;
  }

  /** A job has started. */
  started(job: Job): void {
    this.#timeline?.started(job);
  }

  /** Jobs were moved: all plans must be worked out again. */
  forget(): void {
    this.#timeline = undefined;
  }

  /** An account holds more than when the plans were worked out. */
  holdsMore(account: AccountNo): void {
    this.#timeline?.holdsMore(account);
  }

  /** Plans the start of a group's first job, which cannot start now. */
  planAhead(group: WaitingGroup): void {
    const { state, memory, turn, now, apply } = this.#world;
    const job = group.jobs[0]!;
    if (state.planned.has(job) || !mayBePlanned(state, job)) return;
    const stop = this.#stopOf(job, group);
    if (stop !== undefined && !isPlannable(stop)) return;
    const plan = mayPlan(state, turn.isDue) ? this.timeline.plan(job) : undefined;
    if (plan === undefined) return;
    apply({ kind: "job-planned", v: 1, at: now, job: job.no, startsAt: plan.at });
    memory.startsAt.set(job, plan.at);
  }

  /** Jobs that were planned before keep their place ahead of new plans. */
  #make(): Timeline {
    const { state, memory, now, apply } = this.#world;
    const timeline = new Timeline(state, now);
    memory.startsAt.clear();
    if (!state.policy.backfill) return timeline;
    for (const job of [...state.planned]) {
      const plan = timeline.plan(job, this.#mayStartNow(job));
      if (plan === undefined) apply({ kind: "plan-dropped", v: 1, at: now, job: job.no });
      else memory.startsAt.set(job, plan.at);
    }
    return timeline;
  }

  /** Whether room that came sooner than planned may be used at once by the job that was planned for it. */
  #mayStartNow(job: Job): boolean {
    const { state } = this.#world;
    const group = must(state.waiting.groupOf(job), "a planned job waits");
    return !isArrayFull(state, job) && this.#stopOf(job, group) === undefined;
  }

  /** What keeps the first alternative of a job from starting now. */
  #stopOf(job: Job, { wish }: WaitingGroup): QuotaStop | undefined {
    const { state, now } = this.#world;
    return quotaStop(state, { job, choice: 0, demand: upToDate(state, wish, job.spec).first, now });
  }
}
