import { type Instant, type Job, type State, unitsPerGpu } from "@tessera/core";
import type { Hold, Holding, Level, Take, Wish, World } from "@tessera/core/naive";

/** The core's state as the naive model sees it: only what is held, asked and promised; no sums of the core's own. */
export function worldOf(state: State, now: Instant): World {
  const models: string[] = [];
  const modelNo = (model: string) => {
    const known = models.indexOf(model);
    return known >= 0 ? known : models.push(model) - 1;
  };
  const nodes = state.fleet.nodes.map((node) => {
    if (node === undefined) throw new Error("a node has left; the search never removes one");
    const { name, place, cpusMilli, memoryMiB, gpus } = node.facts;
    const { zone, block, rack, nvlink } = place;
    return {
      ...{ name, zone, block, rack, nvlink, cpusMilli, memoryMiB },
      up: node.mode === "up",
      model: modelNo(gpus[0]!.model),
      gpus: gpus.map((_, i) => node.firstGpu + i),
    };
  });
  const accounts = state.accounts.map((account) => {
    if (account === undefined) throw new Error("an account has gone; the search never deletes one");
    return { path: account.path, above: account.parent as number, quota: account.terms.quota };
  });
  const holdings: Holding[] = [];
  const holds: Hold[] = [];
  const wishes: Wish[] = [];
  for (const job of state.jobs.values()) {
    if (job.leases.length > 0) holdings.push(...holdingsOf(job));
    else if (job.claim !== undefined) holds.push(holdOf(job));
    else if (job.state === "waiting" && !job.held && job.waitsFor === 0 && job.notBeforeAt <= now)
      wishes.push(wishOf(job));
  }
  const { rebalance, minRuntimeMs } = state.policy;
  return { now, accounts, models, nodes, holdings, holds, wishes, rebalance, minRuntimeMs };
}

function takeOf(job: Job, unitsEach: number): Take {
  const { cpusMilli, memoryMiB } = job.spec;
  return { compute: unitsEach, memory: unitsEach, cpusMilli, memoryMiB };
}

function holdingsOf(job: Job): Holding[] {
  const { spec, account, no, evictedAt } = job;
  return [
    {
      ...takeOf(job, job.leases[0]!.unitsEach),
      ...{ job: spec.name, account, no, evictedAt, priority: spec.priority, preemptible: spec.preemptible },
      seats: job.leases.map(({ node, gpus }) => ({ node, gpus })),
      cover: job.cover,
      extra: false,
      leaving: job.state === "stopping",
      since: job.placedAt,
      startedAt: job.startedAt,
      checkpointMs: spec.checkpoint?.everyMs,
    },
  ];
}

function holdOf(job: Job): Hold {
  const { unitsEach, seats } = job.claim!;
  return { ...takeOf(job, unitsEach), job: job.spec.name, account: job.account, seats };
}

/** What a job asks for. */
export function wishOf({ spec, account, no, evictedAt }: Job): Wish {
  const { name: job, members, cpusMilli, memoryMiB, priority, preemptible } = spec;
  const { topology } = spec as { readonly topology?: { readonly level: Level; readonly required: boolean } };
  return {
    ...{ job, account, no, evictedAt, cpusMilli, memoryMiB, priority, preemptible },
    asks: spec.gpus.map(({ model, count, unitsEach }) => ({
      model,
      gpus: count,
      compute: unitsEach,
      memory: unitsEach,
    })),
    members: members.min,
    apart: members.apart,
    ...(topology?.required && { within: topology.level }),
    checkpointMs: spec.checkpoint?.everyMs,
  };
}

/** What an account holds, in GPUs. */
export function gpusOf(amount: readonly number[], models: number): number {
  return amount.slice(0, models).reduce((a, b) => a + b, 0) / unitsPerGpu;
}
