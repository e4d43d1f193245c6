import { gangGpus } from "../../learn/lengths.ts";
import { guessWorth, usualRunMs } from "../../learn/pace.ts";
import type { Job } from "../../model/job.ts";
import { second, unitsPerGpu } from "../../model/units.ts";
import { orderOf } from "../../quota/accounts.ts";
import type { State } from "../state.ts";

/**
 * How long what waits in an account would take on the GPUs that it holds, with so many alike jobs that come now: about as
 * long as these would wait if each went in its turn. Undefined where the order does not ask, or the jobs do not say how
 * long they run.
 */
export function backlogMsOf(
  state: State,
  { account, spec }: Pick<Job, "account" | "spec">,
  jobs: number,
): number | undefined {
  const said = spec.expectedMs ?? spec.maxTimeMs;
  if (said === undefined || orderOf(state, account) !== "aged-shortest") return undefined;
  const { saidGpuS, silentGpus } = state.waiting.workOf(account);
  const gpuS = saidGpuS + jobs * gangGpus(spec) * Math.ceil(said / second);
  const gpuMs = gpuS * guessWorth(state, account) * second + silentGpus * usualRunMs(state, account);
  return Math.floor((gpuMs * unitsPerGpu) / Math.max(unitsPerGpu, state.usage[account]!.units));
}
