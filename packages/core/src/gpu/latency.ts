import type { JobSpec, JobType } from "../model/job.ts";
import type { PartMode } from "../model/part.ts";

/** What one who shares a GPU is to the others: how it works, and how far their work may slow down its requests. */
export interface Load {
  readonly type: JobType;
  /** Thousandths of the latency it has alone; absent = it promises none. */
  readonly stretchMax?: number;
}

/** As long as it takes alone, in thousandths. */
const unstretched = 1_000;

/**
 * What one neighbour adds to the latency of small requests, in thousandths of what it is alone: the worst that was
 * measured on an H200 (driver 580, requests of 0.3 ms) beside a stream over the memory, beside arithmetic, and beside
 * other requests. By MPS with half of the threads each, since a part is given a cap: 4.6, 2.2 and 1.4 times; without a
 * cap it would be 9.9. By time slices 3.0, 2.0 and 1.5 times. MIG divides what these contend for.
 */
const added: Readonly<Record<PartMode, { readonly serving: number; readonly computing: number }>> = {
  mig: { serving: 0, computing: 0 },
  mps: { serving: 400, computing: 3_600 },
  timeslice: { serving: 500, computing: 2_000 },
};

/** What one neighbour adds; each waits for the others in turn, so what several add is taken to add up. */
function addedBy(mode: PartMode, { type }: Load): number {
  return type === "service" ? added[mode].serving : added[mode].computing;
}

/** How a job works beside others. */
export function loadOf({ type, slo }: Pick<JobSpec, "type" | "slo">): Load {
  if (slo === undefined) return { type };
  const { p99Ms, aloneMs = p99Ms } = slo; // who does not say what it takes alone has nothing to spare
  return { type, stretchMax: Math.floor((p99Ms * unstretched) / aloneMs) };
}

/** Whether the promise of everyone on a GPU, the newcomer's included, is kept once it is there [P5]. */
export function keepsPromises(mode: PartMode, newcomer: Load, there: readonly Load[]): boolean {
  if (mode === "mig" || there.length === 0) return true;
  const { total, spare } = promisesOn(mode, there);
  if (newcomer.stretchMax !== undefined && unstretched + total > newcomer.stretchMax) return false;
  return addedBy(mode, newcomer) <= spare;
}

/** What those on a GPU add up to, and how much more the one of them could bear that can bear the least. */
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

/** Whether it comes in bursts, with pauses between them; else it is busy for as long as it runs. */
export function isBursty({ type }: Load): boolean {
  return type === "service" || type === "notebook";
}

/** Whether work that is busy all the time would come beside work in bursts, where they are not kept apart [P5]. */
export function mixes(mode: PartMode, newcomer: Load, there: readonly Load[]): boolean {
  return mode !== "mig" && there.some((each) => isBursty(each) !== isBursty(newcomer));
}
