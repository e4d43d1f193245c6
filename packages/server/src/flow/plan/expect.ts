import { day, type FleetPlan, fleetPlan, type Instant, type Job, type ReadonlyState } from "@tessera/core";
import type { Expectation } from "../../render/fleet-map.ts";

/** Run times are seldom known for longer. */
export const planDaysMax = 7;
export const aheadMsMax = planDaysMax * day;

/** What a plan says of a moment to come, and what happens until then. */
export interface ExpectedUntil extends Expectation {
  readonly plan: FleetPlan;
  readonly ends: FleetPlan["running"];
  readonly starts: FleetPlan["planned"];
}

/** The fleet at a moment to come, as planned now: what is submitted or fails meanwhile is not in it. */
export function expectAt(state: ReadonlyState, now: Instant, at: Instant): ExpectedUntil {
  const plan = fleetPlan(state, now);
  const ends = plan.running.filter(({ endsAt }) => endsAt !== undefined && endsAt <= at);
  const starts = plan.planned.filter((each) => each.at <= at);
  const ended = new Set<Job>(ends.map(({ job }) => job));
  return {
    ...{ at, plan, ends, starts },
    runs: (job) => !ended.has(job),
    comes: starts.filter(({ endsAt }) => endsAt === undefined || endsAt > at),
  };
}
