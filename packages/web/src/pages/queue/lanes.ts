import type { Job } from "@tessera/wire";

/** The waiting jobs of one account, the next one first. */
export interface Lane {
  readonly account: string;
  readonly jobs: readonly Job[];
  readonly gpus: number;
}

/** Within an account: priority, then age. Which account is next depends on shares; `explain` knows it for a job. */
function isSooner(a: Job, b: Job): number {
  if (a.priority !== b.priority) return b.priority - a.priority;
  if (a.submittedAt !== b.submittedAt) return a.submittedAt < b.submittedAt ? -1 : 1;
  return a.id < b.id ? -1 : 1;
}

/** One lane for each account with waiting jobs, the one that waits for most GPUs first. */
export function lanesOf(jobs: readonly Job[]): Lane[] {
  const byAccount = new Map<string, Job[]>();
  for (const job of jobs) {
    if (job.state !== "waiting") continue;
    const lane = byAccount.get(job.project);
    if (lane === undefined) byAccount.set(job.project, [job]);
    else lane.push(job);
  }
  const lanes = [...byAccount].map(([account, waiting]) => ({
    account,
    jobs: waiting.sort(isSooner),
    gpus: waiting.reduce((sum, { gpus }) => sum + gpus, 0),
  }));
  return lanes.sort((a, b) => b.gpus - a.gpus || (a.account < b.account ? -1 : 1));
}
