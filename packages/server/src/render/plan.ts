import {
  type AccountNo,
  accountOf,
  type FleetPlan,
  type Instant,
  type Job,
  type JobClass,
  noAccount,
  type PlannedJob,
  type ReadonlyState,
  type RunningUntil,
} from "@tessera/core";
import type { FleetPlanShape, PlanBlock, PlanClosed } from "@tessera/wire";
import { gangGpus, heldGpus } from "./job.ts";
import { timestamp } from "./quantities.ts";

/** The running jobs that are named, the largest first; a person reads fewer. */
const namedMax = 200;
/** What ends within the same of these parts of the time is one block. */
const partsOfTime = 96;
const closedMax = 50;

interface PlanAsk {
  readonly now: Instant;
  readonly untilAt: Instant;
  /** Whether the caller may see the jobs of an account. */
  readonly sees: (account: AccountNo) => boolean;
}

/** The plan of the fleet as blocks of GPUs and time: the largest jobs by name, the others together. */
export function renderPlan(state: ReadonlyState, plan: FleetPlan, ask: PlanAsk): FleetPlanShape {
  const { now, untilAt, sees } = ask;
  const held = plan.running
    .map((each) => ({ ...each, gpus: heldGpus(each.job.leases) }))
    .filter(({ gpus }) => gpus > 0)
    .sort((a, b) => b.gpus - a.gpus || a.job.no - b.job.no);
  const seen = held.filter(({ job }) => sees(job.account));
  const rest = seen.slice(namedMax);
  const starts = plan.planned.map(({ at }) => at);
  const others = held.filter(({ job }) => !sees(job.account));
  return {
    at: timestamp(now),
    until: timestamp(untilAt),
    gpus: state.fleet.nodes.reduce((sum, node) => sum + (node?.facts.gpus.length ?? 0), 0),
    blocks: [
      ...seen.slice(0, namedMax).map((each) => runningBlock(state, each, now)),
      ...together(rest, "rest", starts, ask),
      ...together(others, "others", starts, ask),
      ...plannedBlocks(state, plan.planned, ask),
    ],
    closed: closedOf(state, plan, ask),
    planned: plan.planned.filter(({ job }) => sees(job.account)).length,
  };
}

function named(state: ReadonlyState, { id, spec, account }: Job) {
  return { whose: "job" as const, job: id, name: spec.name, project: accountOf(state, account).path };
}

/** A running job until its expected end. */
export function runningBlock(state: ReadonlyState, { job, endsAt }: RunningUntil, now: Instant): PlanBlock {
  return {
    kind: "running",
    ...named(state, job),
    class: job.class,
    gpus: heldGpus(job.leases),
    from: timestamp(now),
    ...(endsAt !== undefined && { until: timestamp(endsAt), basis: basisOf(job) }),
  };
}

function basisOf({ spec: { expectedMs, maxTimeMs } }: Job): "expected_time" | "max_time" | "past-runs" {
  if (expectedMs !== undefined) return "expected_time";
  return maxTimeMs === undefined ? "past-runs" : "max_time";
}

/** A waiting job from its planned start on. */
export function plannedBlock(state: ReadonlyState, { job, at, endsAt, choice, cover, basis }: PlannedJob): PlanBlock {
  return {
    kind: "planned",
    ...named(state, job),
    class: cover === noAccount ? "burst" : "guaranteed",
    gpus: gangGpus(job.spec, choice),
    from: timestamp(at),
    ...(endsAt !== undefined && { until: timestamp(endsAt) }),
    basis,
  };
}

function plannedBlocks(state: ReadonlyState, planned: readonly PlannedJob[], { untilAt, sees }: PlanAsk): PlanBlock[] {
  return planned
    .filter(({ at, job, choice }) => at < untilAt && gangGpus(job.spec, choice) > 0)
    .slice(0, namedMax)
    .map((each) => {
      const block = plannedBlock(state, each);
      if (sees(each.job.account)) return block;
      const { kind, gpus, from, until } = block;
      return { kind, whose: "others", gpus, from, ...(until !== undefined && { until }) };
    });
}

/**
 * Jobs that are not named, by the part of the time in which they end. What has ended when a planned job starts is apart
 * from what has not: a start never lies over the end that it waits for.
 */
function together(
  running: readonly (RunningUntil & { readonly gpus: number })[],
  whose: "rest" | "others",
  starts: readonly Instant[],
  { now, untilAt }: PlanAsk,
): PlanBlock[] {
  const partMs = Math.max(1, Math.ceil((untilAt - now) / partsOfTime));
  const groups = new Map<string, { jobs: number; gpus: number; endsAt: Instant | undefined; class?: JobClass }>();
  for (const { job, endsAt, gpus } of running) {
    // In which class others hold what they hold is their affair.
    const of = whose === "rest" ? { class: job.class } : {};
    const ends = endsAt === undefined ? undefined : Math.min(untilAt, endsAt);
    const after = starts.filter((at) => ends !== undefined && at < ends).length;
    const part = ends === undefined ? "" : Math.floor((ends - now) / partMs);
    const key = `${of.class} ${part} ${after}`;
    const sum = groups.get(key) ?? { jobs: 0, gpus: 0, endsAt: ends, ...of };
    const latest = ends === undefined ? undefined : Math.max(ends, sum.endsAt ?? ends);
    groups.set(key, { ...sum, jobs: sum.jobs + 1, gpus: sum.gpus + gpus, endsAt: latest });
  }
  return [...groups.values()].map(({ jobs, gpus, endsAt, ...of }) => ({
    ...{ kind: "running", whose, ...of },
    ...(whose === "rest" && { jobs }),
    gpus: Math.round(gpus * 1000) / 1000,
    from: timestamp(now),
    ...(endsAt !== undefined && { until: timestamp(endsAt) }),
  }));
}

/** Nodes that take no work now, and those that will not during a maintenance window. */
function closedOf(state: ReadonlyState, plan: FleetPlan, { now, untilAt }: PlanAsk): PlanClosed[] {
  const endOf = new Map(plan.running.map(({ job, endsAt }) => [job.no, endsAt]));
  const found = new Map<string, { why: PlanClosed["why"]; from: Instant; to?: Instant; nodes: number; gpus: number }>();
  const { fleet } = state;
  for (const node of fleet.nodes) {
    if (node === undefined) continue;
    const add = (why: PlanClosed["why"], from: Instant, to?: Instant) => {
      const leases = [...fleet.leasesOn(node.no)];
      const stays = leases.filter(({ job }) => (endOf.get(job) ?? Number.POSITIVE_INFINITY) > from);
      const held = new Set(stays.flatMap(({ gpus }) => [...gpus])).size;
      const key = `${why} ${from} ${to}`;
      const sum = found.get(key) ?? { why, from, ...(to !== undefined && { to }), nodes: 0, gpus: 0 };
      found.set(key, { ...sum, nodes: sum.nodes + 1, gpus: sum.gpus + node.facts.gpus.length - held });
    };
    const windows = (node.maintenance ?? []).filter(({ from, to }) => to > now && from < untilAt);
    for (const { from, to } of windows) add("maintenance", Math.max(now, from), to);
    if (node.mode !== "up" && !windows.some(({ from }) => from <= now)) add("out-of-service", now);
  }
  return [...found.values()]
    .sort((a, b) => b.gpus - a.gpus)
    .slice(0, closedMax)
    .map(({ why, from, to, nodes, gpus }) => ({
      ...{ why, nodes, gpus },
      from: timestamp(from),
      ...(to !== undefined && { until: timestamp(to) }),
    }));
}
