import { type AccountNo, type Job, type ReadonlyState, reasonFor, unitsPerGpu } from "@tessera/core";

export interface WaitingGpus {
  readonly account: AccountNo;
  readonly reason: string;
  readonly gpus: number;
}

/**
 * GPUs that jobs wait for, by account and reason. Jobs of one group want the same, so the reason of the first stands for
 * all: the work grows with the number of different wishes, not of jobs.
 */
export function waitingByReason(state: ReadonlyState, now: number): WaitingGpus[] {
  const sums = new Map<string, { account: AccountNo; reason: string; gpus: number }>();
  const put = ({ account, spec }: Pick<Job, "account" | "spec">, reason: string, jobs = 1) => {
    const gpus = gpusWanted(spec) * jobs;
    if (gpus === 0) return;
    const at = `${account} ${reason}`;
    const known = sums.get(at);
    if (known === undefined) sums.set(at, { account, reason, gpus });
    else known.gpus += gpus;
  };
  const queued = new Set<Job>();
  for (const { jobs } of state.waiting.groups) {
    const reason = reasonFor(state, jobs[0]!, now).kind;
    for (const job of jobs) {
      queued.add(job);
      put(job, job.claim === undefined ? reason : "evicting");
    }
  }
  for (const job of state.jobs.values()) if (job.state === "waiting" && !queued.has(job)) put(job, outsideReason(job));
  for (const array of state.arrays.values()) {
    if (array.later === undefined) continue;
    const { next, ahead, held } = array.later;
    put(array, held ? "held" : "not-yet", array.size - next - ahead.length);
  }
  return [...sums.values()];
}

/** Why a job is not in the queue. */
function outsideReason({ held, claim, waitsFor }: Job): string {
  if (held) return "held";
  if (claim !== undefined) return "evicting";
  return waitsFor > 0 ? "dependency" : "not-yet";
}

/** The GPUs that the smallest gang of a job takes, by its first choice. */
function gpusWanted({ gpus, members }: Job["spec"]): number {
  const { count, unitsEach, part } = gpus[0]!;
  return (count * (part?.compute ?? unitsEach) * members.min) / unitsPerGpu;
}
