import type { Seat } from "../journal/event.ts";
import type { Account } from "../model/account.ts";
import { noAccount } from "../model/ids.ts";
import { heldBeside } from "../place/dedicated.ts";
import { ceilingHit, coverFor } from "../queue/quota.ts";
import type { State } from "../state/state.ts";
import { addTo, minus, nothingHeld, stayingOf } from "../state/usage.ts";
import { type Claimant, isInside } from "./takeable.ts";
import type { Victim } from "./victim.ts";

/** Whether a confidential claimant may hold the nodes of its seats whole [U3]: under every max, and inside its guarantee. */
export function mayHoldWhole(
  state: State,
  { job, demand, cover }: Claimant,
  seats: readonly Seat[],
  victims: ReadonlyMap<Victim, unknown>,
): boolean {
  const left = ({ no }: Account) => {
    const taken = nothingHeld();
    for (const victim of victims.keys()) {
      if (!isInside(state, victim.job.account, no)) continue;
      for (const lease of victim.leases) addTo(taken, state.fleet, lease, 1);
    }
    return minus(stayingOf(state, no), taken);
  };
  const held = heldBeside(state, job.account, seats, left);
  if (ceilingHit(state, job.account, demand, held) !== undefined) return false;
  const covered = coverFor(state, job.account, demand, held);
  return covered !== noAccount && isInside(state, covered, cover);
}
