import type { Job } from "../model/job.ts";
import { type Instant, unitsPerGpu } from "../model/units.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import type { ReasonOf } from "./reason.ts";
import { reasonFor } from "./reason-for.ts";

/** Free GPUs of a model on nodes that take work. */
export interface FreeGpus {
  readonly model: string;
  /** On all GPUs, those that are shared included. */
  readonly units: number;
  /** Wholly free GPUs. */
  readonly gpus: number;
  /** How many nodes have so many wholly free GPUs, by that number. */
  readonly nodes: ReadonlyMap<number, number>;
}

/** What is free, and in pieces of which size, by model. */
export function freeGpus({ fleet }: ReadonlyState): FreeGpus[] {
  const found = new Map<string, { units: number; gpus: number; nodes: Map<number, number> }>();
  for (const node of fleet.nodes) {
    if (node === undefined || node.mode !== "up") continue;
    const here = new Map<string, number>();
    for (const [i, { model }] of node.facts.gpus.entries()) {
      const units = fleet.unitsOffered(node.firstGpu + i);
      if (units === 0) continue;
      const free = found.get(model) ?? { units: 0, gpus: 0, nodes: new Map<number, number>() };
      found.set(model, free);
      free.units += units;
      if (units === unitsPerGpu) here.set(model, (here.get(model) ?? 0) + 1);
    }
    for (const [model, gpus] of here) {
      const free = found.get(model)!;
      free.gpus += gpus;
      free.nodes.set(gpus, (free.nodes.get(gpus) ?? 0) + 1);
    }
  }
  return [...found].map(([model, free]) => ({ model, ...free })).sort((a, b) => (a.model < b.model ? -1 : 1));
}

/** Jobs of one shape that wait although enough GPUs are free: not in the pieces that they need. */
export interface UnfitShape {
  readonly job: Job;
  readonly jobs: number;
  readonly reason: ReasonOf<"shape">;
}

/** Different shapes that are looked at: each look is a look at the whole fleet. */
const shapesMax = 32;

/** The shapes of waiting jobs that do not fit what is free, those of most jobs first. */
export function unfitShapes(state: ReadonlyState, jobs: Iterable<Job>, now: Instant): UnfitShape[] {
  const shapes = new Map<string, { readonly job: Job; jobs: number }>();
  for (const job of jobs) {
    if (job.state !== "waiting" || job.held || job.waitsFor > 0 || job.notBeforeAt > now) continue;
    const { gpus, members, topology, spread, gpuMemoryMiB } = job.spec;
    const key = JSON.stringify([gpus, members, topology, spread, gpuMemoryMiB]);
    const shape = shapes.get(key);
    if (shape === undefined) shapes.set(key, { job, jobs: 1 });
    else shape.jobs++;
  }
  const most = [...shapes.values()].sort((a, b) => b.jobs - a.jobs).slice(0, shapesMax);
  return most.flatMap((shape) => {
    const reason = reasonFor(state, shape.job, now);
    return reason.kind === "shape" ? [{ ...shape, reason }] : [];
  });
}
