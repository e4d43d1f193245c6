import {
  demandOf,
  type FleetNode,
  type Instant,
  type Job,
  type JobSpec,
  type Lease,
  modelsFor,
  type State,
  unitsPerGpu,
} from "@tessera/core";
import {
  type Ask,
  type HeldSeats,
  type Holding,
  type Level,
  type Load,
  noAccount,
  type Take,
  type Wish,
  type World,
} from "@tessera/oracle";

/** When the scheduler has planned each job to start, as of its last pass. */
export type PlannedStarts = (job: Job) => Instant | undefined;

/** Jobs with a planned start, first planned first; after a restart it is worked out in the next pass. */
export function plannedIn(state: State, starts: PlannedStarts): [Job, Instant][] {
  return [...state.planned].map((job) => [job, starts(job) ?? state.lastAt]);
}

/** The core's state for the naive model: only seats, requests and guarantees, none of the sums that the core keeps. */
export function worldOf(state: State, now: Instant, starts: PlannedStarts): World {
  // One model for each engine that has it: an option of a job is for one engine.
  const models: string[] = [];
  const keys: string[] = [];
  const modelNo = (engine: string, model: string) => {
    const key = `${engine}/${model}`;
    const known = keys.indexOf(key);
    if (known >= 0) return known;
    models.push(model);
    return keys.push(key) - 1;
  };
  const nodes = state.fleet.nodes.map((node) => {
    if (node === undefined) throw new Error("a node has left; the search never removes one");
    const { name, engine, place, cpusMilli, memoryMiB, gpus } = node.facts;
    const { region = "", zone, block, rack, nvlink } = place;
    return {
      ...{ name, engine, region, zone, block, rack, nvlink, cpusMilli, memoryMiB },
      up: node.mode === "up",
      mode: node.sharing.mode === "any" ? ("whole" as const) : node.sharing.mode,
      model: modelNo(engine, gpus[0]!.model),
      gpus: gpus.map((_, i) => node.firstGpu + i),
      charged: state.dedicated.get(node.no),
      labels: { ...node.facts.labels, engine, ...(region !== "" && { region }) },
      ...(node.sharing.trust !== undefined && { trust: node.sharing.trust }),
      ...tenantsOf(state, node),
    };
  });
  const accounts = state.accounts.map((account) => {
    if (account === undefined) throw new Error("an account has gone; the search never deletes one");
    const { path, parent, terms } = account;
    const { quota, trust, trustGroup = "", allowMigWith: migWith = [] } = terms;
    return { path, above: parent as number, quota, trust, trustGroup, migWith };
  });
  const holdings: Holding[] = [];
  const holds: HeldSeats[] = [];
  const wishes: Wish[] = [];
  for (const job of state.jobs.values()) {
    if (job.leases.length > 0) holdings.push(...holdingsOf(job));
    if (job.claim !== undefined) holds.push(holdOf(job));
    if (job.leases.length > 0 || job.claim !== undefined) continue;
    if (job.state === "waiting" && !job.held && job.waitsFor === 0 && job.notBeforeAt <= now)
      wishes.push(wishOf(state, job));
  }
  const { rebalance, minRuntimeMs } = state.policy;
  const planned = plannedIn(state, starts).map(([{ no }, at]) => ({ no, at }));
  return { now, accounts, models, nodes, holdings, holds, wishes, rebalance, minRuntimeMs, planned };
}

/** The accounts for which a node is, by the pools alone: the first by name whose labels it has. */
function tenantsOf(state: State, { facts }: FleetNode): { tenants?: number[] } {
  const labels: { readonly [key: string]: string | undefined } = { ...facts.labels, engine: facts.engine };
  const [first] = [...state.pools.values()]
    .filter(({ terms }) => Object.entries(terms.labels).every(([key, value]) => labels[key] === value))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const paths = first?.terms.tenants;
  return paths === undefined ? {} : { tenants: paths.map((path) => state.accountByPath.get(path)!.no) };
}

function takeOf({ spec }: Job, { unitsEach, part }: Pick<Lease, "unitsEach" | "part">): Take {
  const { cpusMilli, memoryMiB } = spec;
  const { compute, memory, mode, profile } = part ?? { compute: unitsEach, memory: unitsEach };
  const load = loadOf(spec);
  return { compute, memory, cpusMilli, memoryMiB, load, ...(mode && { part: mode }), ...(profile && { profile }) };
}

function loadOf({ type, slo }: JobSpec): Load {
  const times = slo === undefined ? undefined : slo.p99Ms / (slo.aloneMs ?? slo.p99Ms);
  return { serves: type === "service", times };
}

function seatOf({ node, gpus, part }: Pick<Lease, "node" | "gpus" | "part">) {
  return { node, gpus, ...(part?.slot !== undefined && { slot: part.slot }) };
}

/** The minimum of a job as one holding, and each further member as its own. */
function holdingsOf(job: Job): Holding[] {
  const { spec, account, no, evictedAt } = job;
  const holding = (leases: readonly Lease[], extra: boolean): Holding => ({
    ...takeOf(job, leases[0]!),
    ...{ job: spec.name, account, no, evictedAt, priority: spec.priority, preemptible: spec.preemptible },
    seats: leases.map(seatOf),
    cover: extra ? noAccount : job.cover,
    extra,
    leaving: job.state === "stopping" || (extra && leases[0]!.state === "stopping"),
    since: job.placedAt,
    startedAt: job.startedAt,
    checkpointMs: spec.checkpoint?.everyMs,
    ...(spec.maxTimeMs !== undefined && { endsAt: (job.startedAt || job.placedAt) + spec.maxTimeMs }),
  });
  const least = job.leases.filter((lease) => !lease.extra);
  const extra = job.leases.filter((lease) => lease.extra).map((lease) => holding([lease], true));
  return least.length === 0 ? extra : [holding(least, false), ...extra];
}

function holdOf(job: Job): HeldSeats {
  const { unitsEach, seats } = job.claim!;
  const { name } = job.spec;
  const take = takeOf(job, { unitsEach, part: seats[0]!.part });
  return { ...take, job: name, account: job.account, seats: seats.map(seatOf), moving: job.leases.length > 0 };
}

/** The request of a job. */
export function wishOf(state: State, job: Job): Wish {
  const { spec, account, no, evictedAt } = job;
  const { name, members, cpusMilli, memoryMiB, priority, preemptible, where } = spec;
  const { topology } = spec as { readonly topology?: { readonly level: Level; readonly required: boolean } };
  return {
    ...{ job: name, account, no, evictedAt, cpusMilli, memoryMiB, priority, preemptible },
    asks: spec.gpus.map((_, choice) => askOf(state, job, choice)),
    members: members.min,
    elastic: members.max > members.min,
    apart: members.apart,
    load: loadOf(spec),
    ...(topology?.required && { within: topology.level }),
    ...(where !== undefined && { where }),
    checkpointMs: spec.checkpoint?.everyMs,
    ...(spec.maxTimeMs !== undefined && { runsMs: spec.maxTimeMs }),
  };
}

/** How large a part is depends on the pool; all of a model are in pools of one mode. */
function askOf(state: State, job: Job, choice: number): Ask {
  const { model, count: gpus, unitsEach, part } = job.spec.gpus[choice]!;
  const no = part === undefined ? undefined : modelsFor(state, job, choice)[0];
  if (part === undefined || no === undefined) return { model, gpus, compute: unitsEach, memory: unitsEach };
  const { units, memoryUnits } = demandOf(state, job, choice, no);
  const [compute, memory] = [units / job.spec.members.min, memoryUnits / job.spec.members.min];
  const mode = state.fleet.device(state.fleet.someGpuOf(no)).sharing.modes[0] ?? "mig"; // where whole GPUs only are given out, no node has it
  if (part.profile === undefined)
    return { model, gpus, compute, memory, part: mode, profile: profileOf(compute, memory), isFraction: true };
  return { model, gpus, compute, memory, part: mode, profile: part.profile };
}

/** The profile of a GPU of 80 GB that is as large. */
function profileOf(compute: number, memory: number): string {
  return `${(compute * 7) / unitsPerGpu}g.${(memory * 80) / unitsPerGpu}gb`;
}

/** What an account holds, in GPUs. */
export function gpusOf(amount: readonly number[], models: number): number {
  return amount.slice(0, models).reduce((a, b) => a + b, 0) / unitsPerGpu;
}
