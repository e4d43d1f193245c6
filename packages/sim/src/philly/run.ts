import { runPolicy } from "../compare/compare.ts";
import { jain, mean, rounded, seconds, sum } from "../simulate/figures.ts";
import { heldPart, type JobRun, type Result, waitMs } from "../simulate/result.ts";
import type { Setting } from "../simulate/setting.ts";
import { simulate } from "../simulate/simulate.ts";
import type { TenantJob } from "../trace/philly.ts";
import { aloneSetting, gpusPerNode, poolSetting, sharedSetting } from "./settings.ts";

/** A job waits longer than alone when it waits so much longer. */
const harmedMs = 300_000;

export interface TenantFigures {
  readonly tenant: string;
  readonly jobs: number;
  readonly quotaNodes: number;
  readonly waitS: number;
  readonly aloneWaitS: number;
  readonly jobsHarmed: number;
}

export interface PhillyFigures {
  readonly jobs: number;
  readonly nodes: number;
  readonly checkpointMin: number | null;
  /** Average waits. */
  readonly waitS: number;
  readonly poolWaitS: number;
  readonly hardQuotasWaitS: number;
  readonly compared: { readonly [policy: string]: number };
  readonly tenantsWorseThanAlone: number;
  /** Jobs that waited over 300 s longer than alone. */
  readonly jobsHarmed: number;
  readonly reclaims: number;
  readonly lostGpuHours: number;
  /** Jain's index of the tenants' mean slow-downs. */
  readonly jainOfSlowdowns: number;
  readonly utilization: number;
  readonly wallS: number;
  readonly tenants: readonly TenantFigures[];
}

export interface PhillyAsk {
  readonly jobs: readonly TenantJob[];
  readonly nodes: number;
  readonly quotas: ReadonlyMap<string, number>;
  readonly checkpointMs?: number;
  readonly watch: (what: string, setting: Setting) => Setting;
}

/** Tenants on floors that are lent and taken back, beside each alone on its quota and all in one pool. */
export function runPhilly(ask: PhillyAsk): { readonly figures: PhillyFigures; readonly shared: Result } {
  const { jobs, nodes, quotas, checkpointMs, watch } = ask;
  const begun = performance.now();
  const alone = new Map<string, number>();
  for (const [tenant, count] of quotas) {
    const { jobs: runs } = simulate(watch(`${tenant} alone`, aloneSetting(jobs, tenant, count)));
    for (const run of runs) alone.set(run.arrival.name, waitMs(run));
  }
  const pool = simulate(watch("one pool", poolSetting(jobs, nodes)));
  const shared = simulate(watch("floors with reclaim", sharedSetting(jobs, nodes, quotas, checkpointMs)));
  const harmed = (run: JobRun) => waitMs(run) > alone.get(run.arrival.name)! + harmedMs;
  const tenants = [...quotas].map(([tenant, quotaNodes]): TenantFigures => {
    const runs = shared.jobs.filter(({ arrival }) => arrival.account === tenant);
    return {
      tenant,
      jobs: runs.length,
      quotaNodes,
      waitS: seconds(mean(runs.map(waitMs))),
      aloneWaitS: seconds(mean(runs.map(({ arrival }) => alone.get(arrival.name)!))),
      jobsHarmed: runs.filter(harmed).length,
    };
  });
  const slowdowns = [...quotas.keys()].map((tenant) =>
    mean(shared.jobs.filter(({ arrival }) => arrival.account === tenant).map(slowdown)),
  );
  const figures: PhillyFigures = {
    jobs: jobs.length,
    nodes,
    checkpointMin: checkpointMs === undefined ? null : checkpointMs / 60_000,
    waitS: seconds(mean(shared.jobs.map(waitMs))),
    poolWaitS: seconds(mean(pool.jobs.map(waitMs))),
    hardQuotasWaitS: seconds(mean([...alone.values()])),
    compared: comparedWaits(jobs, nodes),
    tenantsWorseThanAlone: tenants.filter(({ waitS, aloneWaitS }) => waitS > aloneWaitS).length,
    jobsHarmed: shared.jobs.filter(harmed).length,
    reclaims: sum(shared.jobs.map(({ evictions }) => evictions)),
    lostGpuHours: rounded(sum(shared.jobs.map(({ lostGpuMs }) => lostGpuMs)) / 3_600_000),
    jainOfSlowdowns: rounded(jain(slowdowns)),
    utilization: rounded(heldPart(shared)),
    wallS: seconds(performance.now() - begun),
    tenants,
  };
  return { figures, shared };
}

/** One pool without quotas under the textbook policies, average wait in seconds. */
function comparedWaits(jobs: readonly TenantJob[], nodes: number): Record<string, number> {
  const waits: Record<string, number> = {};
  for (const name of ["fifo", "greedy-backfill", "sjf"] as const) {
    const ends = runPolicy(name, jobs, nodes, gpusPerNode);
    waits[name] = seconds(mean(jobs.map(({ submitAt, runMs }, i) => ends[i]! - submitAt - runMs)));
  }
  return waits;
}

/** How many times longer a job took than it ran; runs of under ten minutes count as that. */
function slowdown(run: JobRun): number {
  const runMs = Math.max(run.arrival.runMs, 600_000);
  return (waitMs(run) + runMs) / runMs;
}
