import { unitsPerGpu } from "../model/units.ts";
import { smallestProfile } from "./mig.ts";
import { migModelOf } from "./mig-models.ts";

/** What a member held, and the most that it used of it. */
export interface ShapeUse {
  readonly model: string;
  /** Of one GPU. */
  readonly memoryMiB: number;
  /** Whole GPUs of the member. */
  readonly gpus: number;
  /** The most that it had in use on one of them. */
  readonly memoryPeakMiB: number;
  /** Activity of its GPUs over the time that was measured, in ten-thousandths. */
  readonly activity: number;
}

export interface SmallerShape {
  /** As a job asks for it. */
  readonly gpus: string;
  /** Of all its GPUs together. */
  readonly units: number;
}

/** A tenth of what is asked stays free: a job that just fits fails on its next larger batch. */
const headroom = { of: 10, keeps: 9 };

/**
 * The smallest shape of the same model that would have held the memory and done the work of a member: fewer GPUs, or a
 * part of one where the model has MIG. Undefined where what it held is none too large.
 */
export function smallerShape({ model, memoryMiB, gpus, memoryPeakMiB, activity }: ShapeUse): SmallerShape | undefined {
  const neededMiB = Math.ceil((memoryPeakMiB * headroom.of) / headroom.keeps);
  if (gpus === 1) {
    const mig = migModelOf(model, memoryMiB);
    const compute = Math.ceil((activity * unitsPerGpu) / 10_000);
    const profile = mig === undefined ? undefined : smallestProfile(mig, compute, 0, neededMiB);
    if (profile === undefined || profile.compute >= unitsPerGpu) return undefined;
    return { gpus: `${model}:${profile.name}`, units: profile.compute };
  }
  const forMemory = memoryMiB === 0 ? gpus : Math.ceil((gpus * neededMiB) / memoryMiB);
  const fewer = Math.max(1, forMemory, Math.ceil((gpus * activity) / 10_000));
  // A suggestion is worth the trouble of a change from a quarter on.
  return 4 * fewer <= 3 * gpus ? { gpus: `${model}:${fewer}`, units: fewer * unitsPerGpu } : undefined;
}
