import { type IdleRule, type IdleTerms, strictest } from "../model/idle.ts";
import type { Job } from "../model/job.ts";
import { pathUp } from "../quota/accounts.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";

/** What becomes of a job whose GPUs are idle [L4]: its own rule beside that of the nearest account that has one. */
export function idleRuleFor(state: ReadonlyState, job: Pick<Job, "account" | "spec">): IdleRule | undefined {
  if (job.spec.gpus.every(({ count }) => count === 0)) return undefined;
  return strictest(job.spec.idle, idleTermsAt(state, job.account));
}

function idleTermsAt(state: ReadonlyState, account: Job["account"]): IdleTerms | undefined {
  for (const { terms } of pathUp(state, account)) if (terms.idle !== undefined) return terms.idle;
  return undefined;
}
