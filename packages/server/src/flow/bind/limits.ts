import { type Job, type Lease, mostOf, pathUp, type ReadonlyState, unitsPerGpu } from "@tessera/core";
import type { Limits } from "@tessera/engine";

/** A checkpoint outlives its job for days, so there is always a limit. */
const checkpointMiBUsual = 1_048_576;
/** No share of a machine is so small that an interpreter with its libraries could not start in it. */
const least = { cpusMilli: 1_000, memoryMiB: 1_024 };

/**
 * What one member may use at most; every one of them is set. Cores and memory: as asked for, else the part of the node
 * that its GPUs are of the node's. Folders: as asked for, within the lowest limit of the accounts above, else the owner's.
 */
export function limitsOf(state: ReadonlyState, job: Job, lease: Lease): Limits {
  const { spec } = job;
  return {
    ...shareOf(state, job, lease),
    processesMax: mostOf(state.policy, "processesPerMember"),
    logMiB: mostOf(state.policy, "logMiBPerMember"),
    runMsMax: spec.maxTimeMs ?? 0,
    ...(spec.shmMiB !== undefined && { shmMiB: spec.shmMiB }),
    ...folders(state, job),
  };
}

/**
 * A member without GPUs that names nothing is placed by little: it may use one core while that is idle, and the owner's
 * usual memory even where a small machine has less of it for each.
 */
function shareOf(
  state: ReadonlyState,
  { spec }: Job,
  { node, gpus, unitsEach }: Lease,
): Pick<Limits, "cpusMilli" | "memoryMiB"> {
  const { facts } = state.fleet.nodes[node]!;
  const part = gpus.length === 0 ? 0 : (gpus.length * unitsEach) / (facts.gpus.length * unitsPerGpu);
  const share = (whole: number, usual: number) =>
    Math.max(Math.min(usual, Math.ceil(whole / 2)), Math.floor(whole * part));
  const usualMiB = gpus.length === 0 ? mostOf(state.policy, "cpuMemberMemoryMiB") : least.memoryMiB;
  const asked = {
    cpusMilli: spec.usual?.cpus ? 0 : spec.cpusMilli,
    memoryMiB: spec.usual?.memory ? 0 : spec.memoryMiB,
  };
  return {
    cpusMilli: asked.cpusMilli || share(facts.cpusMilli, least.cpusMilli),
    memoryMiB: asked.memoryMiB || Math.max(spec.memoryMiB, share(facts.memoryMiB, usualMiB)),
  };
}

function folders(state: ReadonlyState, { spec, account }: Job): Pick<Limits, "scratchMiB" | "checkpointMiB"> {
  let most = Number.POSITIVE_INFINITY;
  let checkpointMiB = checkpointMiBUsual;
  for (const { terms } of pathUp(state, account)) {
    most = Math.min(most, terms.limits.scratchMiBMax ?? most);
    checkpointMiB = Math.min(checkpointMiB, terms.limits.checkpointMiBMax ?? checkpointMiB);
  }
  if (most === Number.POSITIVE_INFINITY) most = mostOf(state.policy, "scratchMiBPerMember");
  return { scratchMiB: Math.min(spec.scratchMiB ?? most, most), checkpointMiB };
}
