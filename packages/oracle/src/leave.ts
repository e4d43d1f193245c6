import { type Fault, rule } from "./fault.ts";

/** An attempt that is over, and what became of its job. */
export interface Left {
  readonly job: string;
  /** It was asked to leave: evicted, moved, drained, suspended, requeued, or for a budget. */
  readonly asked: boolean;
  /** Rank 0 had written the done file. */
  readonly done: boolean;
  /** The outcome of the job; undefined = it waits again. */
  readonly outcome: string | undefined;
}

/** A job that was asked to leave has succeeded exactly if it is done, whatever its exit codes [L1]. */
export function judgeLeft({ job, asked, done, outcome }: Left): Fault[] {
  if (!asked || (outcome === "succeeded") === done) return [];
  const as = outcome ?? "waiting again";
  return [rule(`[L1] ${job} was asked to leave, is ${done ? "" : "not "}done, and is ${as}`)];
}
