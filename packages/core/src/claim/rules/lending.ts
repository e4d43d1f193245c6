import type { Lease } from "../../model/lease.ts";
import { dedicatedRemainderThen } from "../../place/dedicated-usage.ts";
import { unlentBeside } from "../../quota/lending.ts";
import type { Draft } from "../draft/draft.ts";
import { isCovered } from "./lawful.ts";

/** C5: the GPUs that stay free hold the part of idle guarantees that is not lent. A covered claimant may use any. */
export function respectsLendingLimits(draft: Draft): boolean {
  const { state, claimant } = draft;
  if (state.lendingLimits === 0 || isCovered(draft)) return true;
  const isGone = (lease: Lease) => draft.on(lease.node).some(({ leases }) => leases.includes(lease));
  const freeOf = (name: string) =>
    state.fleet.freeUnitsOnceLeft(name) + draft.unitsFreed(name) - dedicatedRemainderThen(state, name, isGone);
  return unlentBeside(state, claimant.job.account, claimant.demand, freeOf, (account) => draft.left(account)) === 0;
}
