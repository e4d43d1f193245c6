import {
  type AccountNo,
  type AlikeReason,
  alikeKey,
  alikeReason,
  type Job,
  type JobNo,
  kindAmong,
  ownReason,
  type ReadonlyState,
  Rooms,
  unitsPerGpu,
} from "@tessera/core";
import type { Slices } from "../slices.ts";

export interface WaitingGpus {
  readonly account: AccountNo;
  readonly reason: string;
  readonly gpus: number;
}

/**
 * GPUs that jobs wait for, by account and reason. Jobs that are alike are explained together, so that the work grows with
 * the number of different wishes, not of jobs. The state must stay as it is until the end.
 */
export async function waitingByReason(state: ReadonlyState, now: number, slices: Slices): Promise<WaitingGpus[]> {
  const reasons = new Map<string, AlikeReason>();
  const rooms = new Rooms(state.fleet);
  const reasonOf = (job: Job): string => {
    if (job.claim !== undefined) return "evicting";
    const own = ownReason(state, job, now);
    if (own !== undefined) return own.kind;
    const key = alikeKey(state, job);
    const reason = reasons.get(key) ?? alikeReason(state, job, now, rooms);
    reasons.set(key, reason);
    return kindAmong(reason, job);
  };
  const sums = new Map<string, { account: AccountNo; reason: string; gpus: number }>();
  const put = ({ account, spec }: Pick<Job, "account" | "spec">, reason: string, jobs = 1) => {
    const gpus = gpusWanted(spec) * jobs;
    if (gpus === 0) return;
    const at = `${account} ${reason}`;
    const known = sums.get(at);
    if (known === undefined) sums.set(at, { account, reason, gpus });
    else known.gpus += gpus;
  };
  /** Why the made elements of an array wait: those that are not made yet wait behind them. */
  const ofArrays = new Map<JobNo, string>();
  const putJob = (job: Job, reason: string) => {
    put(job, reason);
    if (job.array !== undefined && !ofArrays.has(job.array)) ofArrays.set(job.array, reason);
  };
  const queued = new Set<Job>();
  for (const { jobs } of state.waiting.groups) {
    for (const job of jobs) {
      if (slices.isOver) await slices.next();
      queued.add(job);
      putJob(job, reasonOf(job));
    }
  }
  for (const job of state.jobs.values())
    if (job.state === "waiting" && !queued.has(job)) putJob(job, outsideReason(job));
  for (const array of state.arrays.values()) {
    if (array.later === undefined) continue;
    const { next, ahead, held } = array.later;
    put(array, ofArrays.get(array.no) ?? (held ? "held" : "not-yet"), array.size - next - ahead.length);
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
