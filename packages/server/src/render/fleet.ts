import {
  type FleetNode,
  type GpuNo,
  type Instant,
  type Job,
  jobOf,
  nodeName,
  type ReadonlyState,
  rootAccount,
  type User,
} from "@tessera/core";
import { type GpuShape, loadNamedMax, type NodeShape } from "@tessera/wire";
import { may } from "../access/policy.ts";
import type { Seal } from "../access/seal.ts";
import { expectedEnd } from "./expected-end.ts";
import { nodeReason } from "./node-reason.ts";
import { gpusOf, timestamp } from "./quantities.ts";
import { renderSharing } from "./sharing.ts";

/** Leases by the device they hold; made once for a whole list. */
export class Holders {
  readonly #jobs = new Map<GpuNo, Job[]>();

  constructor(state: ReadonlyState) {
    for (const lease of state.leases.values()) {
      const job = jobOf(state, lease.job);
      for (const gpu of lease.gpus) {
        const held = this.#jobs.get(gpu);
        if (held === undefined) this.#jobs.set(gpu, [job]);
        else held.push(job);
      }
    }
  }

  of(gpu: GpuNo): readonly Job[] {
    return this.#jobs.get(gpu) ?? [];
  }
}

/** A node for this viewer: what others run there is counted, never named. */
export function renderNode(state: ReadonlyState, seal: Seal, viewer: User, node: FleetNode): NodeShape {
  const { facts } = node;
  const pool = state.nodePools.of(node.no);
  let freeUnits = 0;
  for (let gpu = node.firstGpu as number; gpu < node.firstGpu + facts.gpus.length; gpu++)
    freeUnits += state.fleet.unitsOffered(gpu);
  return {
    name: nodeName(state.fleet, node),
    engine: facts.engine,
    mode: node.mode,
    reason: nodeReason(state, node, may(state, viewer, "engine.write", rootAccount)),
    ...facts.place,
    model: [...new Set(facts.gpus.map((gpu) => gpu.model))].join(","),
    gpus: facts.gpus.length,
    gpusFree: gpusOf(freeUnits),
    cpus: facts.cpusMilli / 1000,
    cpusFree: node.freeCpusMilli / 1000,
    memoryMiB: facts.memoryMiB,
    memoryFreeMiB: node.freeMemoryMiB,
    virtual: facts.virtual,
    ...(facts.labels !== undefined && { labels: { ...facts.labels } }),
    ...(pool !== undefined && { pool: pool.name }),
    ...renderSharing(
      state,
      node,
      facts.gpus.map((_, i) => node.firstGpu + i),
    ),
    ...(facts.condition !== undefined && { condition: facts.condition }),
    ...(facts.withheld !== undefined && facts.withheld.length > 0 && { gpusWithheld: facts.withheld.length }),
    ...(node.drainUntil > 0 && { drainUntil: timestamp(node.drainUntil) }),
    ...(node.maintenance !== undefined && {
      maintenance: node.maintenance.map(({ from, to, zone, reason, active }) => ({
        from: timestamp(from),
        to: timestamp(to),
        ...(zone !== undefined && { tz: zone }),
        reason,
        state: active ? ("active" as const) : ("planned" as const),
      })),
    }),
    ...(node.mode === "draining" && { blockers: blockersOf(state, viewer, node) }),
    revision: seal.tag(`node ${facts.name} ${node.no}`, node.revision),
  };
}

/** What ends or moves when a node is emptied; a node has few jobs. */
export function loadOf(
  state: ReadonlyState,
  viewer: User,
  node: FleetNode,
  now: Instant,
): NonNullable<NodeShape["load"]> {
  const jobs = new Set<Job>();
  for (const lease of state.leases.values()) if (lease.node === node.no) jobs.add(jobOf(state, lease.job));
  const own = [...jobs].filter(({ user }) => user === viewer.id).length;
  const named = [...jobs]
    .filter(({ account }) => may(state, viewer, "job.read", account))
    .map((job) => ({ job, endsAt: expectedEnd(state, job, now)?.endsAt ?? Number.POSITIVE_INFINITY }))
    .sort((a, b) => (a.endsAt === b.endsAt ? a.job.no - b.job.no : b.endsAt - a.endsAt))
    .slice(0, loadNamedMax)
    .map(({ job: { id, spec, account }, endsAt }) => ({
      ...{ id, name: spec.name, project: state.accounts[account]!.path },
      ...(Number.isFinite(endsAt) && { endsAt: timestamp(endsAt) }),
    }));
  return { jobs: jobs.size, own, gpus: heldOn(state, node), named };
}

/** GPUs of a node that are not free, parts of one counted as parts. */
function heldOn({ fleet }: ReadonlyState, { firstGpu, facts }: FleetNode): number {
  let units = 0;
  for (let gpu = firstGpu as number; gpu < firstGpu + facts.gpus.length; gpu++) units += fleet.unitsOffered(gpu);
  return facts.gpus.length - gpusOf(units);
}

function blockersOf(state: ReadonlyState, viewer: User, node: FleetNode) {
  const seen = new Map<string, string>();
  const hidden = new Set<string>();
  for (const lease of state.leases.values()) {
    if (lease.node !== node.no) continue;
    const job = jobOf(state, lease.job);
    if (may(state, viewer, "job.read", job.account)) seen.set(job.id, job.spec.name);
    else hidden.add(job.id);
  }
  const jobs = [...seen.keys()].sort();
  return { jobs, names: jobs.map((id) => seen.get(id)!), hidden: hidden.size };
}

export function renderGpu(
  state: ReadonlyState,
  viewer: User,
  node: FleetNode,
  index: number,
  holders: Holders,
): GpuShape {
  const facts = node.facts.gpus[index]!;
  const gpu = (node.firstGpu + index) as GpuNo;
  const seen = holders.of(gpu).filter((job) => may(state, viewer, "job.read", job.account));
  return {
    uuid: facts.uuid,
    node: nodeName(state.fleet, node),
    index,
    model: facts.model,
    memoryMiB: facts.memoryMiB,
    virtual: node.facts.virtual,
    mode: node.mode,
    free: gpusOf(state.fleet.unitsOffered(gpu)),
    ...renderSharing(state, node, [gpu]),
    jobs: seen.map(({ id }) => id),
    names: seen.map(({ spec }) => spec.name),
  };
}
