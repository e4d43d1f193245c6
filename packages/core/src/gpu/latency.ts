import type { JobSpec, JobType } from "../model/job.ts";
import type { PartMode } from "../model/part.ts";

/** How a job on a shared GPU loads it, and how far its neighbours may slow down its requests [P5]. */
export interface Load {
  readonly type: JobType;
  /** The highest acceptable latency in thousandths of that without neighbours; absent = it promises none. */
  readonly stretchMax?: number;
}

/** The latency without neighbours, in thousandths of itself. */
const unstretched = 1_000;

/**
 * What one neighbour adds to the latency of small requests, in thousandths of the latency without neighbours. The worst
 * case measured on an H200 (driver 580, requests of 0.3 ms) beside a memory stream, beside arithmetic and beside other
 * requests. MPS with half of the threads each, as parts are capped: 4.6, 2.2 and 1.4 times; without a cap 9.9. Time
 * slices: 3.0, 2.0 and 1.5 times. MIG divides the resources that these contend for.
 */
const added: Readonly<Record<PartMode, { readonly serving: number; readonly computing: number }>> = {
  mig: { serving: 0, computing: 0 },
  mps: { serving: 400, computing: 3_600 },
  timeslice: { serving: 500, computing: 2_000 },
};

/** What one neighbour adds. Requests wait for each neighbour in turn, so the delays of several are taken to add up. */
function addedBy(mode: PartMode, { type }: Load): number {
  return type === "service" ? added[mode].serving : added[mode].computing;
}

/** The load of a job on a shared GPU. */
export function loadOf({ type, slo }: Pick<JobSpec, "type" | "slo">): Load {
  if (slo === undefined) return { type };
  const { p99Ms, aloneMs = p99Ms } = slo; // without a declared latency alone, nothing can be spared
  return { type, stretchMax: Math.floor((p99Ms * unstretched) / aloneMs) };
}

/** Whether all promises on a GPU, the newcomer's included, are kept once the newcomer is there [P5]. */
export function keepsPromises(mode: PartMode, newcomer: Load, there: readonly Load[]): boolean {
  if (mode === "mig" || there.length === 0) return true;
  const { total, spare } = promisesOn(mode, there);
  if (newcomer.stretchMax !== undefined && unstretched + total > newcomer.stretchMax) return false;
  return addedBy(mode, newcomer) <= spare;
}

/** The sum that the occupants of a GPU add, and the smallest further delay that any of them still tolerates. */
export function promisesOn(mode: PartMode, there: readonly Load[]): { readonly total: number; readonly spare: number } {
  let total = 0;
  for (const each of there) total += addedBy(mode, each);
  let spare = Number.POSITIVE_INFINITY;
  for (const each of there) {
    if (each.stretchMax === undefined) continue;
    spare = Math.min(spare, each.stretchMax - unstretched - (total - addedBy(mode, each)));
  }
  return { total, spare };
}

/** Whether the work comes in bursts with pauses between them, and is not busy all the time. */
export function isBursty({ type }: Load): boolean {
  return type === "service" || type === "notebook";
}

/** Whether busy and bursty work would share a GPU in a mode that does not isolate them [P5]. */
export function mixes(mode: PartMode, newcomer: Load, there: readonly Load[]): boolean {
  return mode !== "mig" && there.some((each) => isBursty(each) !== isBursty(newcomer));
}
