import type { AccountNo } from "../../model/ids.ts";
import type { Job } from "../../model/job.ts";
import type { Demand } from "../../quota/demand.ts";

/** A waiting job that asks for room, and the guarantee by which it does. */
export interface Claimant {
  readonly job: Job;
  readonly demand: Demand;
  /** The account whose guarantee would cover it; `noAccount` = it claims as burst. */
  readonly cover: AccountNo;
  /** Its account and the accounts above, without the root. */
  readonly path: ReadonlySet<AccountNo>;
}
