import { clean, unknownHolder } from "../../gpu/scrub.ts";
import type { GpuNo } from "../../model/ids.ts";
import type { Job } from "../../model/job.ts";
import type { Lease } from "../../model/lease.ts";
import type { FleetNode, NodeFacts } from "../../model/node.ts";
import type { Policy } from "../../model/policy.ts";
import { accountOf } from "../../quota/accounts.ts";
import type { State } from "../state.ts";

/** Whose work may be in the memory of each GPU, and how it was last cut. Kept only where the owner asks for scrubs. */

/** A lease begins: its devices carry its tenant's mark from now on, and the mode in which they are cut. */
export function markHeld(state: State, job: Job, { gpus, part }: Lease): void {
  const { fleet } = state;
  if (state.policy.reshapeMs !== undefined) for (const gpu of gpus) fleet.gpuShape[gpu] = shapeNo(part?.mode);
  if (state.policy.scrubMs === undefined) return;
  const { tenant } = accountOf(state, job.account);
  for (const gpu of gpus) {
    const occupants = part === undefined ? [] : fleet.occupants(gpu);
    const before = fleet.gpuMark[gpu];
    // Beside others, or in what others left of it, only its own slice is known.
    const sole = before === clean || before === tenant ? occupants.every((each) => each.tenant === tenant) : false;
    fleet.gpuMark[gpu] = sole || occupants.length <= 1 ? tenant : unknownHolder;
  }
}

/** A lease is over before its devices were cleared: what was in them is there still. */
export function markUnscrubbed({ fleet }: State, { handover }: Lease): void {
  for (const gpu of handover?.scrub ?? []) fleet.gpuMark[gpu] = unknownHolder;
}

/** The machine has started anew, and its GPUs with it. */
export function clearMarks({ fleet }: State, node: FleetNode, facts: NodeFacts | undefined): void {
  if (facts === undefined || facts.bootId === node.facts.bootId || node.leases > 0) return;
  for (let gpu = node.firstGpu as number; gpu < node.firstGpu + facts.gpus.length; gpu++) {
    fleet.gpuMark[gpu] = clean;
    fleet.gpuShape[gpu] = 0;
  }
}

/**
 * From when scrubs are asked for, nothing is known of what jobs held before, if there were any; when they no longer are,
 * nothing is kept.
 */
export function marksUnder(state: State, policy: Policy): void {
  const { fleet } = state;
  const before = state.policy;
  if ((before.scrubMs === undefined) !== (policy.scrubMs === undefined))
    fleet.gpuMark.fill(policy.scrubMs === undefined || state.nextJob === 1 ? clean : unknownHolder, 0, fleet.gpus);
  if (policy.reshapeMs === undefined) fleet.gpuShape.fill(0);
}

const shapes = ["whole", "mig", "mps", "timeslice"] as const;
type Shape = (typeof shapes)[number];

function shapeNo(mode: Shape | undefined): number {
  return shapes.indexOf(mode ?? "whole");
}

/** How a GPU was last given out; whole where nobody had it yet. */
export function shapeOf({ fleet }: State, gpu: GpuNo): Shape {
  return shapes[fleet.gpuShape[gpu]!]!;
}

/** Marks as a snapshot keeps them: of each GPU that has any, its holder and its shape. */
export function writeMarks({ fleet }: State): readonly (readonly [number, number, number])[] {
  const marks: [number, number, number][] = [];
  for (let gpu = 0; gpu < fleet.gpus; gpu++) {
    const [mark, shape] = [fleet.gpuMark[gpu]!, fleet.gpuShape[gpu]!];
    if (mark !== clean || shape !== 0) marks.push([gpu, mark, shape]);
  }
  return marks;
}

export function readMarks({ fleet }: State, marks: readonly (readonly [number, number, number])[]): void {
  fleet.gpuMark.fill(clean);
  fleet.gpuShape.fill(0);
  for (const [gpu, mark, shape] of marks) {
    fleet.gpuMark[gpu] = mark;
    fleet.gpuShape[gpu] = shape;
  }
}
