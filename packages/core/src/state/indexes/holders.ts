import type { JobsUnder } from "../../collections/jobs-under.ts";
import type { AccountNo } from "../../model/ids.ts";
import type { Policy } from "../../model/policy.ts";
import type { QuotaFacts } from "../../quota/facts.ts";

/** The part of State from which the indexes of possible victims are built. */
export interface Holders extends QuotaFacts {
  /** Jobs that hold leases, by account. */
  readonly active: Omit<JobsUnder<AccountNo>, "add" | "delete">;
  readonly policy: Policy;
}
