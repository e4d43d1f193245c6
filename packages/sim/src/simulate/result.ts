import type { Arrival } from "./setting.ts";

/** One start of a job, on the nodes and devices it was given. */
export interface Stint {
  readonly seats: readonly { readonly node: string; readonly devices: readonly number[] }[];
  readonly placedAt: number;
  endedAt: number;
}

/** The record of one arriving job. */
export interface JobRun {
  readonly arrival: Arrival;
  readonly gpus: number;
  /** In order; it ended in the last one. */
  readonly stints: Stint[];
  /** NaN while it is not over. */
  endedAt: number;
  /** How it ended: `succeeded`, the core's word for another end, or `refused`. */
  outcome: string;
  /** How often it was evicted or moved. */
  evictions: number;
  moves: number;
  /** GPU time that had to be done again. */
  lostGpuMs: number;
}

/** The fleet at one instant. */
export interface Sample {
  readonly at: number;
  readonly gpusHeld: number;
  /** Free GPUs on nodes that are partly in use, where no job finds a whole node. */
  readonly gpusFreeInParts: number;
  readonly jobsWaiting: number;
  /** Evictions since the sample before. */
  readonly evictions: number;
}

export interface Result {
  readonly jobs: readonly JobRun[];
  readonly samples: readonly Sample[];
  readonly gpus: number;
  readonly startedAt: number;
  /** The end of the last job. */
  readonly endedAt: number;
  /** Starts, claims and moves. */
  readonly decisions: number;
  readonly batches: number;
  readonly wallMs: number;
}

/** How long a job waited, including work that it did twice: its time in the system beyond its run time. */
export function waitMs({ arrival, endedAt }: JobRun): number {
  return endedAt - arrival.submitAt - arrival.runMs;
}

/** From submission to the end. */
export function completionMs({ arrival, endedAt }: JobRun): number {
  return endedAt - arrival.submitAt;
}

/** The part of all GPU time until the last job ended that was held; jobs that still run then count up to it. */
export function heldPart({ jobs, gpus, startedAt, endedAt }: Result): number {
  let held = 0;
  for (const { stints, gpus: each } of jobs) {
    for (const stint of stints) {
      const until = Number.isNaN(stint.endedAt) ? endedAt : stint.endedAt;
      held += each * Math.max(0, until - stint.placedAt);
    }
  }
  return endedAt <= startedAt ? 0 : held / (gpus * (endedAt - startedAt));
}
