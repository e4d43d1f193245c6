import type { ClaimPlan } from "../claim/claim-plan.ts";
import { planClaim } from "../claim/plan.ts";
import type { Rule } from "../claim/rules/rule.ts";
import type { Spans } from "../learn/run-times.ts";
import { type NodeNo, noAccount } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import type { Instant } from "../model/units.ts";
import { type Placement, placeJob } from "../place/place.ts";
import { plansMax } from "../plan/patience.ts";
import { endAtQuantile, endOf } from "../plan/run-time.ts";
import type { Timeline } from "../plan/timeline.ts";
import { modelsFor } from "../quota/demand.ts";
import { stopOrderOf } from "../run/stop.ts";
import { jobOf } from "../state/live-jobs.ts";
import type { State } from "../state/state.ts";
import { isStopped, plansBefore } from "./plans.ts";

/** A job that would have to leave, or one that would lose extra members. */
export interface Displaced {
  readonly job: Job;
  readonly rule: Rule;
  readonly units: number;
  /** Members that an elastic job would lose; 0 = the whole job leaves. */
  readonly members: number;
}

/** What would become of a waiting job if it were its turn [W1]: what the cycle would do, without doing it. */
export type Outlook =
  | {
      readonly when: "now";
      readonly placement: Placement;
      /** Who leaves first; nobody where it fits as it is. */
      readonly displaced: readonly Displaced[];
      /** How long those have to leave. */
      readonly graceMs: number;
    }
  | {
      readonly when: "later";
      readonly at: Instant;
      readonly nodes: readonly NodeNo[];
      /** By what jobs took before, not by limits alone. */
      readonly guessed: boolean;
    }
  | { readonly when: "unknown"; readonly why: string };

/** Free seats, else room made for it, else a planned start, in the cycle's own order [W1]. Nothing changes. */
export function outlookOf(
  state: State,
  job: Job,
  now: Instant,
  timeline: Timeline = plansBefore(state, job, now),
): Outlook {
  const placement = placeJob(state, job, now, timeline);
  if (placement !== undefined) return { when: "now", placement, displaced: [], graceMs: 0 };
  const claim = planClaim(state, job, now);
  if (claim !== undefined) return afterClaim(state, claim);
  return plannedFor(state, job, now, timeline);
}

/** Between which instants a job is likely to start, and from how many past runs that was learned. */
export interface StartBand {
  readonly p50: Instant;
  readonly p90: Instant;
  readonly samples: number;
}

/** When a job starts if what runs takes as long as its like did: planned twice [W4]. Undefined where nothing tells. */
export function startBand(state: State, job: Job, now: Instant): StartBand | undefined {
  const samples = isStopped(state, job, now) ? 0 : pastRunsOn(state, job);
  if (samples === 0) return undefined;
  const at = (part: number) => plansBefore(state, job, now, endAtQuantile(part)).startOf(job)?.at;
  const [p50, p90] = [at(0.5), at(0.9)];
  return p50 === undefined || p90 === undefined ? undefined : { p50, p90: Math.max(p50, p90), samples };
}

/** How many past runs tell of those that hold GPUs it could use. */
function pastRunsOn(state: State, job: Job): number {
  const known = new Set<Spans>();
  for (const other of holdersOf(state, job)) known.add(state.runTimes.of(other));
  let runs = 0;
  for (const spans of known) runs += spans.length;
  return runs;
}

function afterClaim(state: State, claim: ClaimPlan): Outlook {
  const { choice, cover, unitsEach, seats, victims } = claim;
  const displaced = new Map<Job, Displaced>();
  let graceMs = 0;
  for (const [{ job: loser, leases, extra }, rule] of victims) {
    let units = displaced.get(loser)?.units ?? 0;
    for (const lease of leases) units += lease.unitsEach * lease.gpus.length;
    const members = extra ? (displaced.get(loser)?.members ?? 0) + 1 : 0;
    displaced.set(loser, { job: loser, rule, units, members });
    graceMs = Math.max(graceMs, stopOrderOf(loser.spec, "preempt", state.policy).graceMs);
  }
  // Also those who leave anyway have their time for it.
  for (const { node, gpus } of seats) {
    for (const lease of state.fleet.leasesOn(node)) {
      if (lease.state !== "stopping" || !lease.gpus.some((gpu) => gpus.includes(gpu))) continue;
      graceMs = Math.max(graceMs, stopOrderOf(jobOf(state, lease.job).spec, "preempt", state.policy).graceMs);
    }
  }
  const placed = cover === noAccount ? ("burst" as const) : ("guaranteed" as const);
  const placement = { choice, unitsEach, class: placed, cover, seats };
  return { when: "now", placement, displaced: [...displaced.values()], graceMs };
}

/** A planned start, behind all who are planned before it; not before its time. */
export function plannedFor(
  state: State,
  job: Job,
  now: Instant,
  timeline: Timeline = plansBefore(state, job, now),
): Outlook {
  const unknown = (why: string): Outlook => ({ when: "unknown", why });
  if (isStopped(state, job, now)) return unknown("it waits for quota, and nobody can tell when that is given back");
  if (!state.policy.backfill) return unknown("starts are not planned ahead here");
  const start = timeline.startOf(job);
  if (start !== undefined)
    return { when: "later", at: start.at, nodes: [...start.takes.keys()], guessed: start.guessed };
  if (timeline.plans.length >= plansMax) return unknown(`${plansMax} jobs ahead of it are planned, and no more are`);
  const endless = endlessOn(state, job, now);
  if (endless === 0) return unknown("nothing that runs would leave enough room where it could go");
  const what = job.spec.gpus.every((ask) => ask.count === 0) ? "cores or memory" : "GPUs";
  const jobs =
    endless === 1 ? `1 job that holds ${what} it could use has` : `${endless} jobs that hold ${what} it could use have`;
  return unknown(`${jobs} no max_time, and too few like ${endless === 1 ? "it" : "them"} have ended`);
}

/** How many jobs hold what would do, of which nobody can tell for how long. */
function endlessOn(state: State, job: Job, now: Instant): number {
  let endless = 0;
  for (const other of holdersOf(state, job)) if (endOf(state, other, now) === undefined) endless++;
  return endless;
}

/** Those who hold GPUs of a model that would do, or for a job without GPUs cores or memory. */
function* holdersOf(state: State, job: Job): Generator<Job> {
  const models = new Set(job.spec.gpus.flatMap((_, choice) => modelsFor(state, job, choice)));
  for (const other of state.active.values()) {
    const { spec, leases } = other;
    const gpu = leases[0]?.gpus[0];
    const isInTheWay =
      models.has(-1) && leases.length > 0
        ? spec.cpusMilli + spec.memoryMiB > 0
        : gpu !== undefined && models.has(state.fleet.gpuModel[gpu]!);
    if (isInTheWay) yield other;
  }
}
