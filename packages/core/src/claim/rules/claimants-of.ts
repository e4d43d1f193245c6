import { noAccount } from "../../model/ids.ts";
import type { Job } from "../../model/job.ts";
import type { Instant } from "../../model/units.ts";
import { isInside, pathUp } from "../../quota/accounts.ts";
import type { Demand } from "../../quota/demand.ts";
import { coverFor, isWithin } from "../../quota/guarantee.ts";
import { addTo, type Held, minus, nothingHeld, stayingOf } from "../../quota/held.ts";
import type { ReadonlyState } from "../../state/readonly-state.ts";
import { victimsOf } from "../draft/victim.ts";
import type { Claimant } from "./claimant.ts";
import { mayReplace, mayTakeOwn, mightReplace } from "./own-account.ts";
import { pathOf } from "./sides.ts";

/**
 * The guarantees by which a job may claim, best first. First the one that holds it beside all work that stays, else burst.
 * Then the ones that would hold it without the work it may take from its own account, from the top down: a higher
 * guarantee takes less of that work.
 */
export function claimantsOf(state: ReadonlyState, job: Job, demand: Demand, now: Instant): Claimant[] {
  const burst: Claimant = { job, demand, cover: noAccount, path: pathOf(state, job.account) };
  const covered = coverFor(state, job.account, demand, (account) => stayingOf(state, account.no));
  const claimants = covered === noAccount && !job.spec.preemptible ? [] : [{ ...burst, cover: covered }];
  for (const account of [...pathUp(state, job.account)].toReversed()) {
    if (account.no === covered || (covered !== noAccount && !isInside(state, account.no, covered))) continue;
    const claimant = { ...burst, cover: account.no };
    const own = ownWorkFor(state, claimant, now);
    if (own.units === 0 && own.cpusMilli === 0 && own.memoryMiB === 0) continue;
    if (isWithin(state, account, minus(stayingOf(state, account.no), own), demand)) claimants.push(claimant);
  }
  return claimants;
}

/** All that the claimant may take from its own account. */
function ownWorkFor(state: ReadonlyState, claimant: Claimant, now: Instant): Held {
  const own = nothingHeld();
  if (state.elastic.size === 0 && !mayTakeOwn(state, claimant.job)) return own;
  for (const other of state.active.of(claimant.job.account)) {
    if (!mightReplace(state, claimant.job, other)) continue;
    const takeable = victimsOf(other).filter((victim) => mayReplace(state, claimant, victim, now));
    // Where the whole job may be taken, its extra members are in it.
    const whole = takeable.find((victim) => !victim.extra);
    for (const victim of whole === undefined ? takeable : [whole]) {
      for (const lease of victim.leases) addTo(own, state.fleet, lease, 1);
    }
  }
  return own;
}
