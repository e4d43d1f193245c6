import { NodeFill } from "./node-fill.ts";

/** A gang as the comparison policies see it. */
export interface GangJob {
  readonly submitAt: number;
  readonly gpus: number;
  readonly runMs: number;
}

/** Published and textbook policies, to compare with; none of this is part of the product. */
export const policies = {
  /** In order of arrival; no job passes one that does not fit. */
  fifo: { key: (job: GangJob) => job.submitAt, strict: true, preempts: false },
  /** In order of arrival; every job that fits starts, without regard for those that do not. */
  "greedy-backfill": { key: (job: GangJob) => job.submitAt, strict: false, preempts: false },
  /** Shortest first, with true run times; no job passes one that does not fit. */
  sjf: { key: (job: GangJob) => job.runMs, strict: true, preempts: false },
  /** Shortest remaining time first, with true run times; preemption and moves are free. */
  srtf: { key: (_: GangJob, leftMs: number) => leftMs, strict: false, preempts: true },
  /** Smallest remaining service (time × GPUs) first. */
  srsf: { key: (job: GangJob, leftMs: number) => leftMs * job.gpus, strict: false, preempts: true },
} as const satisfies Record<string, ComparedPolicy>;

export type PolicyName = keyof typeof policies;

interface ComparedPolicy {
  readonly key: (job: GangJob, leftMs: number) => number;
  readonly strict: boolean;
  readonly preempts: boolean;
}

/** When each job ends under a policy on alike nodes, by index. */
export function runPolicy(
  name: PolicyName,
  jobs: readonly GangJob[],
  nodes: number,
  gpusPerNode: number,
): Float64Array {
  const policy: ComparedPolicy = policies[name];
  return policy.preempts ? preemptive(policy, jobs, nodes, gpusPerNode) : queued(policy, jobs, nodes, gpusPerNode);
}

interface Running {
  readonly job: number;
  readonly endAt: number;
  readonly nodes: readonly number[];
}

/** Jobs run to their end once they have started. */
function queued({ key, strict }: ComparedPolicy, jobs: readonly GangJob[], nodes: number, gpusPerNode: number) {
  const ends = new Float64Array(jobs.length);
  const fill = new NodeFill(nodes, gpusPerNode);
  const keys = jobs.map((job) => key(job, job.runMs));
  const waiting: number[] = [];
  const running: Running[] = []; // by end, the last ends first
  for (let next = 0; next < jobs.length || running.length > 0; ) {
    const submitAt = jobs[next]?.submitAt ?? Number.POSITIVE_INFINITY;
    const now = Math.min(submitAt, running.at(-1)?.endAt ?? Number.POSITIVE_INFINITY);
    while ((running.at(-1)?.endAt ?? Number.POSITIVE_INFINITY) <= now) {
      const over = running.pop()!;
      fill.free(over.nodes, jobs[over.job]!.gpus);
    }
    for (; (jobs[next]?.submitAt ?? Number.POSITIVE_INFINITY) <= now; next++) enqueue(waiting, next, keys);
    // Of what did not fit, the smallest: nothing as large fits either.
    const failed = new Set<number>();
    let kept = 0;
    for (let i = 0; i < waiting.length; i++) {
      const job = waiting[i]!;
      const { gpus, runMs } = jobs[job]!;
      const stopped = strict ? failed.size > 0 : failed.has(gpus);
      const taken = stopped ? undefined : fill.take(gpus);
      if (taken === undefined) {
        failed.add(gpus);
        waiting[kept++] = job;
        continue;
      }
      ends[job] = now + runMs;
      insertByEnd(running, { job, endAt: now + runMs, nodes: taken });
    }
    waiting.length = kept;
  }
  return ends;
}

function enqueue(waiting: number[], job: number, keys: readonly number[]): void {
  let low = 0;
  let high = waiting.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keys[waiting[middle]!]! <= keys[job]!) low = middle + 1;
    else high = middle;
  }
  waiting.splice(low, 0, job);
}

function insertByEnd(running: Running[], each: Running): void {
  let low = 0;
  let high = running.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (running[middle]!.endAt > each.endAt) low = middle + 1;
    else high = middle;
  }
  running.splice(low, 0, each);
}

/** At every arrival and end all jobs are placed again from an empty fleet, in the policy's order. */
function preemptive({ key }: ComparedPolicy, jobs: readonly GangJob[], nodes: number, gpusPerNode: number) {
  const ends = new Float64Array(jobs.length);
  const left = Float64Array.from(jobs, ({ runMs }) => runMs);
  let alive: number[] = [];
  let chosen: number[] = [];
  let now = 0;
  for (let next = 0; next < jobs.length || alive.length > 0; ) {
    const submitAt = jobs[next]?.submitAt ?? Number.POSITIVE_INFINITY;
    let endAt = Number.POSITIVE_INFINITY;
    for (const job of chosen) endAt = Math.min(endAt, now + left[job]!);
    const at = Math.min(submitAt, endAt);
    for (const job of chosen) left[job]! -= at - now;
    now = at;
    for (const job of chosen) if (left[job]! <= 0) ends[job] = now;
    alive = alive.filter((job) => left[job]! > 0);
    for (; (jobs[next]?.submitAt ?? Number.POSITIVE_INFINITY) <= now; next++) alive.push(next);
    const keys = new Map(alive.map((job) => [job, key(jobs[job]!, left[job]!)]));
    alive.sort((a, b) => keys.get(a)! - keys.get(b)! || a - b);
    const fill = new NodeFill(nodes, gpusPerNode);
    chosen = alive.filter((job) => fill.take(jobs[job]!.gpus) !== undefined);
  }
  return ends;
}
