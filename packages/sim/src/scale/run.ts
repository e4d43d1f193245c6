import { type AccountTerms, type Policy, plainPolicy, plainTerms, unitsPerGpu } from "@tessera/core";
import { declareNodes, seededRandom } from "@tessera/engine-simulated";
import { mean, quantile, rounded, seconds, sum } from "../simulate/figures.ts";
import type { JobRun, Result, Sample } from "../simulate/result.ts";
import type { Arrival, Setting } from "../simulate/setting.ts";
import { simulate } from "../simulate/simulate.ts";
import type { DemandDay } from "../trace/helios.ts";
import { followDemand, teamsOf } from "./demand.ts";

const gpusPerNode = 8;
const tenants = 30;
const teamsEach = 10;
const dayMs = 86_400_000;
const startAt = Date.UTC(2026, 0, 5);
const startMs = 20_000;
const sampleMs = 600_000;
/** Owners reclaim what they lent; no job is evicted only for a fairer surplus, which costs work. */
const policy: Policy = { ...plainPolicy, rebalance: "off" };

export interface ScaleAsk {
  readonly gpus: number;
  readonly days: number;
  readonly jobs: number;
  /** GPUs asked for, as a part of the fleet, on average. */
  readonly load: number;
  readonly seed: number;
  readonly demand: readonly DemandDay[];
  readonly watch: (what: string, setting: Setting) => Setting;
}

export interface ClassWaits {
  readonly gangs: string;
  readonly jobs: number;
  readonly waitS: number;
  readonly p50S: number;
  readonly p99S: number;
}

export interface ScaleFigures {
  /** Held GPU time of all GPU time. */
  readonly allocated: number;
  readonly waitS: number;
  readonly started: number;
  readonly evictions: number;
  readonly lostGpuHours: number;
  readonly waits: readonly ClassWaits[];
  readonly decisions: number;
  readonly decisionsPerSecond: number;
  readonly wallS: number;
  readonly memoryMiB: number;
}

/** One day of a large fleet: floors that are lent and taken back, and the same day with hard quotas. */
export function runScale(ask: ScaleAsk) {
  const { gpus, days, watch } = ask;
  const arrivals = makeArrivals(ask);
  const untilAt = startAt + days * dayMs;
  const lent = simulate(watch("floors, lent and taken back", sharedSetting(gpus, arrivals, untilAt)));
  const lending = figuresOf(lent, untilAt);
  const apart = simulateApart(gpus, arrivals, untilAt);
  const hardQuotas = figuresOf(apart, untilAt);
  const offered = arrivals.map(
    ({ submitAt, runMs, spec }) =>
      (Math.min(untilAt, submitAt + runMs) - submitAt) * spec.gpus[0]!.count * spec.members.min,
  );
  const figures = {
    gpus,
    nodes: gpus / gpusPerNode,
    teams: tenants * teamsEach,
    jobs: arrivals.length,
    days,
    seed: ask.seed,
    offeredLoad: rounded(sum(offered) / (gpus * days * dayMs)),
    lending,
    hardQuotas,
  };
  return { figures, result: lent, apart };
}

/** The median run time is chosen so that about as many jobs come as were asked for. */
function makeArrivals({ gpus, days, jobs, load, seed, demand }: ScaleAsk): Arrival[] {
  const make = (medianMs: number) => {
    const random = seededRandom(seed);
    const teams = teamsOf(paths(), demand, { days, gpus, load }, random);
    return followDemand(teams, { startAt, days, medianMs, random });
  };
  let [low, high] = [60_000, dayMs];
  let arrivals = make(Math.sqrt(low * high));
  for (let i = 0; i < 16 && Math.abs(arrivals.length - jobs) > jobs * 0.01; i++) {
    const medianMs = Math.sqrt(low * high);
    arrivals = make(medianMs);
    if (arrivals.length > jobs) low = medianMs;
    else high = medianMs;
  }
  return arrivals;
}

function paths(): string[] {
  return Array.from({ length: tenants * teamsEach }, (_, i) => `org${Math.floor(i / teamsEach)}/team${i}`);
}

/** Every team has the same floor, lends it, and borrows as much as any other. */
function sharedSetting(gpus: number, arrivals: readonly Arrival[], untilAt: number): Setting {
  const units = Math.floor(gpus / (tenants * teamsEach)) * unitsPerGpu;
  const terms = (amount: number): AccountTerms => ({
    ...plainTerms,
    quota: { guarantee: { "*": amount }, weight: 1 },
  });
  return {
    ...settingOf(gpus / gpusPerNode, arrivals, untilAt),
    accounts: [
      ...Array.from({ length: tenants }, (_, i) => ({ path: `org${i}`, terms: terms(units * teamsEach) })),
      ...paths().map((path) => ({ path, terms: terms(units) })),
    ],
    sampleMs,
  };
}

/** Hard quotas: every team alone on its own nodes. All nodes are given out. */
function simulateApart(gpus: number, arrivals: readonly Arrival[], untilAt: number): Result {
  const teams = paths();
  const nodes = gpus / gpusPerNode;
  const byTeam = Map.groupBy(arrivals, ({ account }) => account);
  const results = teams.map((path, i) => {
    const count = Math.floor(nodes / teams.length) + (i < nodes % teams.length ? 1 : 0);
    const own = (byTeam.get(path) ?? []).map((arrival) => ({ ...arrival, account: "team" }));
    return simulate({ ...settingOf(count, own, untilAt), accounts: [{ path: "team", terms: plainTerms }], sampleMs });
  });
  return {
    jobs: results.flatMap(({ jobs }) => jobs),
    samples: summed(results.map(({ samples }) => samples)),
    gpus,
    startedAt: startAt,
    endedAt: untilAt,
    decisions: sum(results.map(({ decisions }) => decisions)),
    batches: sum(results.map(({ batches }) => batches)),
    wallMs: sum(results.map(({ wallMs }) => wallMs)),
  };
}

/** Samples of fleets that are parts of one. */
function summed(parts: readonly (readonly Sample[])[]): Sample[] {
  const byInstant = Map.groupBy(parts.flat(), ({ at }) => at);
  return [...byInstant]
    .sort((a, b) => a[0] - b[0])
    .map(([at, all]) => ({
      at,
      gpusHeld: sum(all.map(({ gpusHeld }) => gpusHeld)),
      gpusFreeInParts: sum(all.map(({ gpusFreeInParts }) => gpusFreeInParts)),
      jobsWaiting: sum(all.map(({ jobsWaiting }) => jobsWaiting)),
      evictions: sum(all.map(({ evictions }) => evictions)),
    }));
}

function settingOf(nodes: number, arrivals: readonly Arrival[], untilAt: number): Omit<Setting, "accounts"> {
  return {
    nodes: declareNodes({ count: nodes, gpusEach: gpusPerNode, model: "H100" }),
    policy,
    arrivals,
    startMs,
    untilAt,
  };
}

const gangClasses = [
  { gangs: "1", most: 1 },
  { gangs: "2-4", most: 4 },
  { gangs: "8", most: 8 },
  { gangs: "16-32", most: 32 },
  { gangs: "64+", most: Number.POSITIVE_INFINITY },
] as const;

function figuresOf({ jobs, gpus, startedAt, decisions, wallMs }: Result, untilAt: number): ScaleFigures {
  const waits = (runs: readonly JobRun[]) =>
    runs.map(({ arrival, stints }) => (stints[0]?.placedAt ?? untilAt) - arrival.submitAt);
  let held = 0;
  for (const { stints, gpus: each } of jobs) {
    for (const { placedAt, endedAt } of stints) {
      held += each * ((Number.isNaN(endedAt) ? untilAt : Math.min(endedAt, untilAt)) - placedAt);
    }
  }
  return {
    allocated: rounded(held / (gpus * (untilAt - startedAt))),
    waitS: seconds(mean(waits(jobs))),
    started: jobs.filter(({ stints }) => stints.length > 0).length,
    evictions: sum(jobs.map(({ evictions }) => evictions)),
    lostGpuHours: rounded(sum(jobs.map(({ lostGpuMs }) => lostGpuMs)) / 3_600_000),
    waits: gangClasses.flatMap(({ gangs, most }, i) => {
      const least = gangClasses[i - 1]?.most ?? 0;
      const own = waits(jobs.filter((run) => run.gpus > least && run.gpus <= most));
      const [p50, p99] = [0.5, 0.99].map((part) => seconds(quantile(own, part)));
      return own.length === 0 ? [] : [{ gangs, jobs: own.length, waitS: seconds(mean(own)), p50S: p50!, p99S: p99! }];
    }),
    decisions,
    decisionsPerSecond: Math.round(decisions / (wallMs / 1_000)),
    wallS: seconds(wallMs),
    memoryMiB: Math.round(process.memoryUsage().rss / 1_048_576),
  };
}
