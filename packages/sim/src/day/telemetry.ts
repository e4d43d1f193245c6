import { type LeaseId, nodeKey, type ReadonlyState, unitsPerGpu } from "@tessera/core";
import type { Telemetry } from "@tessera/engine";
import type { TelemetryRow } from "@tessera/telemetry";

/** Samples of whole GPUs, joined to the leases that hold them; each stands for the time since the one before. */
export function rowsOf(state: ReadonlyState, engine: string, { gpus }: Telemetry, spanMs: number): TelemetryRow[] {
  return gpus.flatMap(({ node: name, gpuUuid, leases, at, source, metrics }) => {
    const node = state.fleet.nodeByName.get(nodeKey({ engine, name }));
    const gpu = node?.facts.gpus.find(({ uuid }) => uuid === gpuUuid);
    if (node === undefined || gpu === undefined) return [];
    const row = { at, spanMs, node: nodeKey(node.facts), gpu: gpuUuid, model: gpu.model, share: unitsPerGpu };
    return [{ ...row, source, metrics, ...holderOf(state, leases[0]) }];
  });
}

function holderOf(state: ReadonlyState, id: LeaseId | undefined): Partial<TelemetryRow> {
  const lease = id === undefined ? undefined : state.leases.get(id);
  const job = lease === undefined ? undefined : state.jobs.get(lease.job);
  const account = job === undefined ? undefined : state.accounts[job.account];
  if (lease === undefined || job === undefined || account === undefined) return {};
  return { lease: lease.id, job: job.id, rank: lease.rank, account: account.id, user: job.user };
}
