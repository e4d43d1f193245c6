import type { ClaimPlan } from "../claim/claim-plan.ts";
import { planClaim } from "../claim/plan.ts";
import type { Rule } from "../claim/rules/rule.ts";
import type { QuotaStop } from "../gate/quota-stop.ts";
import type { Spans } from "../learn/run-times.ts";
import { type NodeNo, noAccount } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import type { Instant } from "../model/units.ts";
import { type Placement, placeJob } from "../place/place.ts";
import { plansMax } from "../plan/eligibility.ts";
import { endAtQuantile, endOf } from "../plan/run-time.ts";
import type { Timeline } from "../plan/timeline.ts";
import { modelsFor } from "../quota/demand.ts";
import { stopOrderOf } from "../run/stop.ts";
import { jobOf } from "../state/live-jobs.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import { plansBefore, stopOf } from "./plans.ts";

/** A job that would be evicted, or would lose extra members. */
export interface Displaced {
  readonly job: Job;
  readonly rule: Rule;
  readonly units: number;
  /** Members that an elastic job would lose; 0 = the whole job is evicted. */
  readonly members: number;
}

/** What the scheduler would do with a waiting job if it were its turn [W1]. */
export type Outlook =
  | {
      readonly when: "now";
      readonly placement: Placement;
      /** Jobs that must leave first; empty if the job fits into free seats. */
      readonly displaced: readonly Displaced[];
      /** The longest grace period of these jobs. */
      readonly graceMs: number;
    }
  | {
      readonly when: "later";
      readonly at: Instant;
      readonly nodes: readonly NodeNo[];
      /** The start relies on past run times, not on limits alone. */
      readonly guessed: boolean;
    }
  | { readonly when: "unknown"; readonly why: string };

/** Free seats, else room made by a claim, else a planned start, as the pass does it [W1]. Changes nothing. */
export function outlookOf(
  state: ReadonlyState,
  job: Job,
  now: Instant,
  timeline: Timeline = plansBefore(state, job, now),
): Outlook {
  const placement = placeJob(state, job, now, timeline.backfill);
  if (placement !== undefined) return { when: "now", placement, displaced: [], graceMs: 0 };
  const claim = planClaim(state, job, now);
  if (claim !== undefined) return afterClaim(state, claim);
  return plannedFor(state, job, now, timeline);
}

/** The range in which a job is likely to start, and the number of past runs behind it. */
export interface StartBand {
  readonly p50: Instant;
  readonly p90: Instant;
  readonly samples: number;
}

/** Two plans, with the median and the slow run time of comparable jobs [W4]; undefined without past runs. */
export function startBand(state: ReadonlyState, job: Job, now: Instant): StartBand | undefined {
  const samples = stopOf(state, job, now) !== undefined ? 0 : pastRunsOn(state, job);
  if (samples === 0) return undefined;
  const at = (part: number) => plansBefore(state, job, now, endAtQuantile(part)).startOf(job)?.at;
  const [p50, p90] = [at(0.5), at(0.9)];
  return p50 === undefined || p90 === undefined ? undefined : { p50, p90: Math.max(p50, p90), samples };
}

/** The number of known past runs comparable to the jobs that hold GPUs this job could use. */
function pastRunsOn(state: ReadonlyState, job: Job): number {
  const known = new Set<Spans>();
  for (const other of holdersOf(state, job)) known.add(state.runTimes.of(other));
  let runs = 0;
  for (const spans of known) runs += spans.length;
  return runs;
}

function afterClaim(state: ReadonlyState, claim: ClaimPlan): Outlook {
  const { choice, cover, unitsEach, seats, victims } = claim;
  const displaced = new Map<Job, Displaced>();
  let graceMs = 0;
  for (const [{ job: loser, leases, extra }, rule] of victims) {
    let units = displaced.get(loser)?.units ?? 0;
    for (const lease of leases) units += lease.unitsEach * lease.gpus.length;
    const members = extra ? (displaced.get(loser)?.members ?? 0) + 1 : 0;
    displaced.set(loser, { job: loser, rule, units, members });
    graceMs = Math.max(graceMs, stopOrderOf(loser, "preempt", state.policy).graceMs);
  }
  // Jobs that are stopping already have their grace period too.
  for (const { node, gpus } of seats) {
    for (const lease of state.fleet.leasesOn(node)) {
      if (lease.state !== "stopping" || !lease.gpus.some((gpu) => gpus.includes(gpu))) continue;
      graceMs = Math.max(graceMs, stopOrderOf(jobOf(state, lease.job), "preempt", state.policy).graceMs);
    }
  }
  const placed = cover === noAccount ? ("burst" as const) : ("guaranteed" as const);
  const placement = { choice, unitsEach, class: placed, cover, seats };
  return { when: "now", placement, displaced: [...displaced.values()], graceMs };
}

/** A planned start, behind all plans ahead of the job and not before its `not_before`. */
export function plannedFor(
  state: ReadonlyState,
  job: Job,
  now: Instant,
  timeline: Timeline = plansBefore(state, job, now),
): Outlook {
  const unknown = (why: string): Outlook => ({ when: "unknown", why });
  const stop = stopOf(state, job, now);
  if (stop !== undefined) return unknown(stopText(stop));
  if (!state.policy.backfill) return unknown("this fleet plans no starts (backfill is off)");
  const start = timeline.startOf(job);
  if (start !== undefined)
    return { when: "later", at: start.at, nodes: [...start.takes.keys()], guessed: start.guessed };
  if (timeline.plans.length >= plansMax) return unknown(`${plansMax} jobs ahead of it are planned, which is the limit`);
  const endless = endlessOn(state, job, now);
  if (endless === 0) return unknown("the ends of running jobs would not leave enough room where it could run");
  const what = job.spec.gpus.every((ask) => ask.count === 0) ? "cores or memory" : "GPUs";
  const jobs =
    endless === 1 ? `1 job that holds ${what} it could use has` : `${endless} jobs that hold ${what} it could use have`;
  return unknown(`${jobs} no max_time, and too few jobs like ${endless === 1 ? "it" : "them"} have ended`);
}

/** What stops a job until something happens that no plan foresees. */
function stopText(stop: QuotaStop): string {
  if (stop.kind === "price") return "an hour costs more than its max_price, and no lower price is known ahead";
  if (stop.kind !== "budget") return "it waits for quota, and it is not known when some is free again";
  const { of, account } = stop.hit;
  return `the ${of} of ${account} is ${of === "budget" ? "spent" : "used up"}`;
}

/** The number of jobs without a known end that hold resources this job could use. */
function endlessOn(state: ReadonlyState, job: Job, now: Instant): number {
  let endless = 0;
  for (const other of holdersOf(state, job)) if (endOf(state, other, now) === undefined) endless++;
  return endless;
}

/** Jobs that hold GPUs of a model this job could use or, if it needs no GPUs, cores or memory. */
function* holdersOf(state: ReadonlyState, job: Job): Generator<Job> {
  const models = new Set(job.spec.gpus.flatMap((_, choice) => modelsFor(state, job, choice)));
  const withoutGpus = job.spec.gpus.some((ask) => ask.count === 0);
  for (const other of state.active.values()) {
    const { spec, leases } = other;
    const gpu = leases[0]?.gpus[0];
    const isInTheWay =
      withoutGpus && leases.length > 0
        ? spec.cpusMilli + spec.memoryMiB > 0
        : gpu !== undefined && models.has(state.fleet.gpuModel[gpu]!);
    if (isInTheWay) yield other;
  }
}
