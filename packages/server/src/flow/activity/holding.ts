import {
  type AccountNo,
  accountOf,
  type FleetNode,
  type GpuNo,
  type Instant,
  type JobId,
  jobOf,
  type Lease,
  type LeaseId,
  nodeName,
  type ReadonlyState,
  recordGpu,
  type UserId,
  unitsPerGpu,
} from "@tessera/core";
import type { GpuMetrics } from "@tessera/engine";
import type { TelemetryRow } from "@tessera/telemetry";

/** One GPU, or the part of one, that a lease holds, with what was measured of it alone. */
export interface Holding {
  readonly lease: LeaseId;
  readonly job: JobId;
  readonly jobName: string;
  readonly account: AccountNo;
  readonly accountPath: string;
  readonly user: UserId;
  readonly node: string;
  /** The GPU, also where only a part of it is held. */
  readonly gpuNo: GpuNo;
  /** The uuid of the GPU, or of the MIG instance. */
  readonly gpu: string;
  readonly model: string;
  /** Of what is held. */
  readonly memoryMiB: number;
  readonly units: number;
  /** Absent: nothing was measured, or nothing that is this lease's own. */
  readonly measured?: { readonly metrics: GpuMetrics; readonly simulated: boolean };
}

/** A sample that is older says nothing about now: some exporters measure every 30 seconds. */
export const freshMs = 90_000;

/** Everything that is held now. `of`: the newest sample of a lease on a GPU. */
export function holdingsOf(
  state: ReadonlyState,
  of: (lease: LeaseId, gpu: string) => TelemetryRow | undefined,
  now: Instant,
): Holding[] {
  const holdings: Holding[] = [];
  for (const lease of state.leases.values()) {
    const node = state.fleet.nodes[lease.node];
    if (node === undefined) continue;
    for (const gpu of lease.gpus) holdings.push(holdingOf(state, lease, node, gpu, of, now));
  }
  return holdings;
}

function holdingOf(
  state: ReadonlyState,
  lease: Lease,
  node: FleetNode,
  gpu: GpuNo,
  of: (lease: LeaseId, gpu: string) => TelemetryRow | undefined,
  now: Instant,
): Holding {
  const job = jobOf(state, lease.job);
  const { uuid, model, memoryMiB } = node.facts.gpus[gpu - node.firstGpu]!;
  const reading = of(lease.id, recordGpu(state.fleet, node.facts, uuid));
  const metrics = reading && isOfNow(reading, lease, now) ? ownMetrics(reading, lease.unitsEach) : undefined;
  return {
    ...{ lease: lease.id, job: job.id, jobName: job.spec.name, user: job.user, units: lease.unitsEach },
    ...{ account: job.account, accountPath: accountOf(state, job.account).path },
    ...{ node: nodeName(state.fleet, node), gpuNo: gpu, gpu: reading?.instance ?? uuid, model },
    memoryMiB: Math.round((memoryMiB * (lease.part?.memory ?? unitsPerGpu)) / unitsPerGpu),
    ...(reading !== undefined && metrics !== undefined && { measured: { metrics, simulated: isSimulated(reading) } }),
  };
}

/** A sample that began before the lease tells of what held the GPU before. */
function isOfNow({ at, spanMs }: TelemetryRow, { placedAt }: Pick<Lease, "placedAt">, now: Instant): boolean {
  return at > now - freshMs && at - spanMs >= placedAt;
}

/** There is no hardware behind it. */
export function isSimulated({ source }: Pick<TelemetryRow, "source">): boolean {
  return source === "simulated" || source === "virtual";
}

/**
 * What of a sample belongs to one lease alone. A sample of a whole GPU tells of everything on it: it is the lease's own
 * only where the lease holds all of it, for else one tenant could read the load of another from it. Of an instance the
 * driver counts work and memory apart, but neither power nor clocks; of a share, at most memory.
 */
export function ownMetrics(
  row: Pick<TelemetryRow, "instance" | "apart" | "metrics">,
  units: number,
): GpuMetrics | undefined {
  const { instance, apart, metrics } = row;
  const { smActive, tensorActive, memoryActive, memoryUsedMiB } = metrics;
  if (instance === undefined) {
    if (units === unitsPerGpu) return metrics;
    return apart && memoryUsedMiB !== undefined ? { memoryUsedMiB } : undefined;
  }
  return {
    ...(smActive !== undefined && { smActive }),
    ...(tensorActive !== undefined && { tensorActive }),
    ...(memoryActive !== undefined && { memoryActive }),
    ...(memoryUsedMiB !== undefined && { memoryUsedMiB }),
  };
}
