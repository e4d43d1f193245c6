import { gangGpus } from "../../learn/lengths.ts";
import { guessWorth, usualRunMs } from "../../learn/pace.ts";
import type { Job } from "../../model/job.ts";
import { second, unitsPerGpu } from "../../model/units.ts";
import { queueOrderOf } from "../../quota/accounts.ts";
import type { ReadonlyState } from "../readonly-state.ts";

/**
 * The backlog that `jobs` equal jobs find at their submission: the time that all waiting work of the account, with
 * theirs, would take on the GPUs that the account holds. About how long they would wait if each went in its turn.
 * Undefined where the account's order does not use it, or the jobs do not say how long they run.
 */
export function backlogMsOf(
  state: ReadonlyState,
  { account, spec }: Pick<Job, "account" | "spec">,
  jobs: number,
): number | undefined {
  const said = spec.expectedMs ?? spec.maxTimeMs;
  if (said === undefined || queueOrderOf(state, account) !== "aged-shortest") return undefined;
  const { saidGpuS, silentGpus } = state.waiting.workOf(account);
  const gpuS = saidGpuS + jobs * gangGpus(spec) * Math.ceil(said / second);
  const gpuMs = gpuS * guessWorth(state, account) * second + silentGpus * usualRunMs(state, account);
  return Math.floor((gpuMs * unitsPerGpu) / Math.max(unitsPerGpu, state.usage[account]!.units));
}
