import type { Seat } from "../journal/event.ts";
import { noAccount } from "../model/ids.ts";
import { heldBeside } from "../place/dedicated-usage.ts";
import { isInside } from "../quota/accounts.ts";
import { ceilingHit } from "../quota/ceiling.ts";
import { coverFor } from "../quota/guarantee.ts";
import type { State } from "../state/state.ts";
import type { Claimant, Rule } from "./takeable.ts";
import { Tally } from "./tally.ts";
import type { Victim } from "./victim.ts";

/** Whether a confidential claimant may hold the nodes of its seats whole [U3]: under every max, and inside its guarantee. */
export function mayHoldWhole(
  state: State,
  claimant: Claimant,
  seats: readonly Seat[],
  victims: ReadonlyMap<Victim, Rule>,
): boolean {
  const { job, demand, cover } = claimant;
  const tally = new Tally(state, claimant);
  for (const [victim, rule] of victims) tally.take(victim, rule);
  // What its own work leaves on a node that it keeps is still charged to it.
  const held = heldBeside(state, job.account, seats, {
    held: ({ no }) => tally.left(no),
    isEmptied: (node) => tally.empties(node),
    withoutOwnLeaving: true,
  });
  if (ceilingHit(state, job.account, demand, held) !== undefined) return false;
  const covered = coverFor(state, job.account, demand, held);
  return covered !== noAccount && isInside(state, covered, cover);
}
