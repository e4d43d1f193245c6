import { clean, unknownHolder } from "../../gpu/scrub.ts";
import type { GpuNo } from "../../model/ids.ts";
import type { Job } from "../../model/job.ts";
import type { Lease } from "../../model/lease.ts";
import type { FleetNode, NodeFacts } from "../../model/node.ts";
import type { Policy } from "../../model/policy.ts";
import { accountOf } from "../../quota/accounts.ts";
import type { ReadonlyState } from "../readonly-state.ts";
import type { State } from "../state.ts";

/*
 * The marks of a GPU: the tenant whose data its memory may hold, and the mode in which it was last partitioned. Kept only
 * where the owner's policy asks for scrubs or mode changes.
 */

/** A lease begins: its GPUs carry the mark of its tenant and their mode from now on. */
export function markHeld(state: State, job: Job, { gpus, part }: Lease): void {
  const { fleet } = state;
  if (state.policy.reshapeMs !== undefined) for (const gpu of gpus) fleet.gpuMode[gpu] = gpuModeNo(part?.mode);
  if (state.policy.scrubMs === undefined) return;
  const { tenant } = accountOf(state, job.account);
  for (const gpu of gpus) {
    const occupants = part === undefined ? [] : fleet.occupants(gpu);
    const before = fleet.gpuMark[gpu];
    // Beside other tenants, or on what they left behind, the mark of one tenant would be wrong for the whole GPU.
    const sole = before === clean || before === tenant ? occupants.every((each) => each.tenant === tenant) : false;
    fleet.gpuMark[gpu] = sole || occupants.length <= 1 ? tenant : unknownHolder;
  }
}

/** A lease ended before its GPUs were scrubbed: the earlier data is still there. */
export function markUnscrubbed({ fleet }: State, { handover }: Lease): void {
  for (const gpu of handover?.scrub ?? []) fleet.gpuMark[gpu] = unknownHolder;
}

/** An empty node was rebooted, which clears its GPUs. */
export function clearMarks({ fleet }: State, node: FleetNode, facts: NodeFacts | undefined): void {
  if (facts === undefined || facts.bootId === node.facts.bootId || node.leases > 0) return;
  for (let gpu = node.firstGpu as number; gpu < node.firstGpu + facts.gpus.length; gpu++) {
    fleet.gpuMark[gpu] = clean;
    fleet.gpuMode[gpu] = 0;
  }
}

/**
 * A new policy begins or ends the keeping of marks. When it begins and jobs have run before, what the GPUs hold is
 * unknown.
 */
export function marksUnder(state: State, policy: Policy): void {
  const { fleet } = state;
  const before = state.policy;
  if ((before.scrubMs === undefined) !== (policy.scrubMs === undefined))
    fleet.gpuMark.fill(policy.scrubMs === undefined || state.nextJob === 1 ? clean : unknownHolder, 0, fleet.gpus);
  if (policy.reshapeMs === undefined) fleet.gpuMode.fill(0);
}

const gpuModes = ["whole", "mig", "mps", "timeslice"] as const;
type GpuMode = (typeof gpuModes)[number];

function gpuModeNo(mode: GpuMode | undefined): number {
  return gpuModes.indexOf(mode ?? "whole");
}

/** The mode in which a GPU was last used; whole where it never was. */
export function gpuModeOf({ fleet }: ReadonlyState, gpu: GpuNo): GpuMode {
  return gpuModes[fleet.gpuMode[gpu]!]!;
}

/** Marks as a snapshot keeps them: GPU, tenant and mode, for each GPU that has any. */
export function writeMarks({ fleet }: State): readonly (readonly [number, number, number])[] {
  const marks: [number, number, number][] = [];
  for (let gpu = 0; gpu < fleet.gpus; gpu++) {
    const [mark, mode] = [fleet.gpuMark[gpu]!, fleet.gpuMode[gpu]!];
    if (mark !== clean || mode !== 0) marks.push([gpu, mark, mode]);
  }
  return marks;
}

export function readMarks({ fleet }: State, marks: readonly (readonly [number, number, number])[]): void {
  fleet.gpuMark.fill(clean);
  fleet.gpuMode.fill(0);
  for (const [gpu, mark, mode] of marks) {
    fleet.gpuMark[gpu] = mark;
    fleet.gpuMode[gpu] = mode;
  }
}
