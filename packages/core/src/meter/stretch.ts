import { recordGpu, recordName } from "../fleet/find-node.ts";
import type { GpuNo, NodeNo } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import type { Lease } from "../model/lease.ts";
import { must } from "../model/must.ts";
import type { NodeRemainder } from "../model/remainder.ts";
import type { Instant } from "../model/units.ts";
import type { UsageState } from "../model/usage.ts";
import { accountOf } from "../quota/accounts.ts";
import { jobOf } from "../state/live-jobs.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import type { Usage } from "./usage.ts";

/** One GPU of a stretch, and what it is metered as. */
export interface StretchDevice {
  readonly gpu: string;
  readonly state: UsageState;
}

/**
 * The one record of use: a lease that stayed in one state from `fromAt` to `toAt`, with its GPUs. The unheld remainder
 * of a dedicated node is recorded the same way, as if a lease named after the GPU held it [U3]. Usage rows, the input
 * of billing and the leased side of the balance all derive from stretches.
 */
export interface Stretch extends Omit<Usage, "gpus"> {
  /** In the order of the lease. Empty for a lease without GPUs, whose use is its cores and memory. */
  readonly devices: readonly StretchDevice[];
}

/** Revision of a stretch that may still go on; its closed form replaces it. */
const openRevision = 0;
const closedRevision = 1;

/** A GPU of a dedicated node of which `units` are held by no lease, up to `toAt`. */
export interface RestStretch extends NodeRemainder {
  readonly gpu: GpuNo;
  readonly toAt: Instant;
}

/** The stretch that ends at `toAt` because the lease is about to leave its state. */
export function closedStretch(state: ReadonlyState, lease: Lease, toAt: Instant): Stretch {
  return stretchOf(state, lease, toAt, closedRevision);
}

/** The stretch of a dedicated GPU whose unheld remainder changes at `toAt`. */
export function closedRest(state: ReadonlyState, rest: RestStretch): Stretch {
  return stretchOfRest(state, rest, closedRevision);
}

/** Every stretch that is open and began before `toAt`, as if it ended there. */
export function stretchesUntil(state: ReadonlyState, toAt: Instant): Stretch[] {
  const open: Stretch[] = [];
  for (const lease of state.leases.values())
    if (lease.since < toAt) open.push(stretchOf(state, lease, toAt, openRevision));
  for (const [gpu, rest] of state.rest)
    if (rest.since < toAt) open.push(stretchOfRest(state, { ...rest, gpu, toAt }, openRevision));
  return open;
}

/** The open stretches as billing takes them. */
export function openUsage(state: ReadonlyState, toAt: Instant): Usage[] {
  return stretchesUntil(state, toAt).flatMap(usagesOf);
}

/** The open stretches of one job as billing takes them. */
export function openUsageOf(state: ReadonlyState, { leases }: Pick<Job, "leases">, toAt: Instant): Usage[] {
  const begun = leases.filter(({ since }) => since < toAt);
  return begun.flatMap((lease) => usagesOf(stretchOf(state, lease, toAt, openRevision)));
}

/** A stretch as billing takes it: one usage for each state that its GPUs are in. */
export function usagesOf({ devices, ...stretch }: Stretch): Usage[] {
  if (devices.length === 0) return [{ ...stretch, gpus: [] }];
  const gpusByState = new Map<UsageState, string[]>();
  for (const { gpu, state } of devices) {
    const gpus = gpusByState.get(state);
    if (gpus === undefined) gpusByState.set(state, [gpu]);
    else gpus.push(gpu);
  }
  return [...gpusByState].map(([state, gpus], i) => ({
    ...stretch,
    state,
    gpus,
    // Cores and memory belong to the lease as a whole, so only its first usage carries them.
    ...(i > 0 && { cpusMilli: 0, memoryMiB: 0 }),
  }));
}

function stretchOf(state: ReadonlyState, lease: Lease, toAt: Instant, revision: number): Stretch {
  const { fleet } = state;
  const job = jobOf(state, lease.job);
  const { pool, poolPerMille } = lease;
  return {
    lease: lease.id,
    state: holderState(lease),
    fromAt: lease.since,
    toAt,
    revision,
    job: job.id,
    account: accountOf(state, job.account).path,
    user: job.user,
    node: recordName(fleet, fleet.node(lease.node).facts),
    devices: lease.gpus.map((gpu) => ({ gpu: uuidOf(state, gpu), state: deviceState(lease, gpu) })),
    // All GPUs of a lease are of one model: a job is placed on GPUs of one of the models that it accepts.
    model: lease.gpus[0] === undefined ? "" : modelOf(state, lease.gpus[0]),
    unitsEach: lease.unitsEach,
    profile: lease.part?.profile ?? "",
    isolation: lease.part?.mode ?? "whole",
    topology: job.spec.topology?.required === true ? job.spec.topology.level : "",
    class: job.class,
    cpusMilli: lease.cpusMilli,
    memoryMiB: lease.memoryMiB,
    ...(pool !== undefined && poolPerMille !== undefined && { pool, poolPerMille }),
  };
}

function stretchOfRest(
  state: ReadonlyState,
  { gpu, account, units, since, toAt }: RestStretch,
  revision: number,
): Stretch {
  const { fleet } = state;
  const uuid = uuidOf(state, gpu);
  return {
    lease: `dedicated-${uuid}`,
    state: "dedicated",
    fromAt: since,
    toAt,
    revision,
    job: "",
    account: accountOf(state, account).path,
    user: "",
    node: recordName(fleet, fleet.node(fleet.gpuNode[gpu] as NodeNo).facts),
    devices: [{ gpu: uuid, state: "dedicated" }],
    model: modelOf(state, gpu),
    unitsEach: units,
    profile: "",
    isolation: "whole",
    topology: "",
    class: "guaranteed",
    cpusMilli: 0,
    memoryMiB: 0,
  };
}

function uuidOf({ fleet }: ReadonlyState, gpu: GpuNo): string {
  const uuid = must(fleet.gpuUuid[gpu], "a GPU of the fleet has a uuid");
  return recordGpu(fleet, fleet.node(fleet.gpuNode[gpu] as NodeNo).facts, uuid);
}

function modelOf({ fleet }: ReadonlyState, gpu: GpuNo): string {
  return must(fleet.models[fleet.gpuModel[gpu]!], "a GPU of the fleet has a model");
}

function holderState({ state }: Lease): UsageState {
  return state === "prepared" ? "starting" : state;
}

/** A GPU that is being scrubbed or reshaped is metered as that, whatever its lease does meanwhile [P6]. */
function deviceState(lease: Lease, gpu: GpuNo): UsageState {
  const { handover } = lease;
  const holder = holderState(lease);
  if (holder !== "starting" || handover === undefined) return holder;
  if (handover.scrub.length > 0) return handover.scrub.includes(gpu) ? "scrub" : "starting";
  return handover.reshape.includes(gpu) ? "reshape" : "starting";
}
