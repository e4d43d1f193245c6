import type { Arrival } from "./setting.ts";

/** One start of a job, on the nodes and devices it was given. */
export interface Stint {
  readonly seats: readonly { readonly node: string; readonly devices: readonly number[] }[];
  readonly placedAt: number;
  endedAt: number;
}

/** What became of one arrival. */
export interface JobRun {
  readonly arrival: Arrival;
  readonly gpus: number;
  /** In order; the last one is that in which it ended. */
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
  /** Free GPUs on nodes of which others are in use: no whole node can be had there. */
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

/** What a job waited, work that it did twice included: its time in the system beyond what it needed. */
export function waitMs({ arrival, endedAt }: JobRun): number {
  return endedAt - arrival.submitAt - arrival.runMs;
}

/** From submission to the end. */
export function completionMs({ arrival, endedAt }: JobRun): number {
  return endedAt - arrival.submitAt;
}

/** GPU time that was held, of all there was until the last job ended; what still runs then counts up to it. */
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
