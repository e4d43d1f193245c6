import { type AccountTerms, type Policy, plainPolicy, plainTerms, unitsPerGpu } from "@tessera/core";
import { alikeNodes } from "../simulate/alike-nodes.ts";
import { gangSpec } from "../simulate/gang.ts";
import type { Arrival, Setting } from "../simulate/setting.ts";
import type { TenantJob } from "../trace/philly.ts";

export const gpusPerNode = 8;

/** How much of its quota a tenant would use on average; the protocol's names for it. */
export const quotaUse = { tight: 0.85, loose: 0.6 } as const;
export type QuotaName = keyof typeof quotaUse;

/**
 * Floors with reclaim and nothing else: no job is evicted or moved for a fairer or tidier fleet, since that costs work
 * that the protocol counts; victims stop at once.
 */
export const policy: Policy = { ...plainPolicy, rebalance: "off", graceMs: 0, movesPerHourMax: 0 };

/** Nodes of each tenant: enough for its largest gang, and for its mean load at that use. */
export function quotaNodes(jobs: readonly TenantJob[], spanMs: number, use: number): Map<string, number> {
  const loads = new Map<string, { gpuMs: number; largest: number }>();
  for (const { tenant, gpus, runMs } of jobs) {
    const load = loads.get(tenant) ?? { gpuMs: 0, largest: 0 };
    load.gpuMs += gpus * runMs;
    load.largest = Math.max(load.largest, gpus);
    loads.set(tenant, load);
  }
  const nodes = new Map<string, number>();
  for (const [tenant, { gpuMs, largest }] of [...loads].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const mean = Math.ceil(gpuMs / spanMs / use / gpusPerNode);
    nodes.set(tenant, Math.max(Math.ceil(largest / gpusPerNode), mean));
  }
  return nodes;
}

/** Each job of a tenant `times` times, the copies as `name#2`, `name#3` at the same instant. */
export function scaled(jobs: readonly TenantJob[], tenant: string, times: number): TenantJob[] {
  return jobs.flatMap((job) => {
    if (job.tenant !== tenant) return [job];
    return Array.from({ length: times }, (_, i) => (i === 0 ? job : { ...job, name: `${job.name}#${i + 1}` }));
  });
}

/** All tenants on one fleet: each has its quota as a floor, lends it, and borrows in proportion to it. */
export function sharedSetting(
  jobs: readonly TenantJob[],
  nodes: number,
  quotas: ReadonlyMap<string, number>,
  checkpointMs?: number,
): Setting {
  const accounts = [...quotas].map(([path, count]) => ({ path, terms: floorOf(count) }));
  return { ...settingOf(jobs, nodes, (job) => job.tenant, checkpointMs), accounts };
}

/** Everybody in one account: no quotas. */
export function poolSetting(jobs: readonly TenantJob[], nodes: number): Setting {
  return { ...settingOf(jobs, nodes, () => "pool"), accounts: [{ path: "pool", terms: plainTerms }] };
}

/** One tenant alone on the nodes of its quota, under the same order and placement. */
export function aloneSetting(jobs: readonly TenantJob[], tenant: string, nodes: number): Setting {
  const own = jobs.filter((job) => job.tenant === tenant);
  return { ...settingOf(own, nodes, () => tenant), accounts: [{ path: tenant, terms: plainTerms }] };
}

function floorOf(nodes: number): AccountTerms {
  const guarantee = { "*": nodes * gpusPerNode * unitsPerGpu };
  return { ...plainTerms, quota: { guarantee, weight: nodes } };
}

function settingOf(
  jobs: readonly TenantJob[],
  nodes: number,
  accountOf: (job: TenantJob) => string,
  checkpointMs?: number,
): Omit<Setting, "accounts"> {
  const arrivals = jobs.map((job): Arrival => {
    const { name, submitAt, runMs, gpus } = job;
    const spec = gangSpec({ gpus, gpusPerNode, ...(checkpointMs !== undefined && { checkpointMs }) });
    return { name, account: accountOf(job), spec, submitAt, runMs };
  });
  return { nodes: alikeNodes(nodes, gpusPerNode), policy, arrivals };
}
