import type { Seat } from "../../journal/event.ts";
import { noAccount } from "../../model/ids.ts";
import { heldBeside } from "../../place/dedicated-usage.ts";
import { isInside } from "../../quota/accounts.ts";
import { ceilingHit } from "../../quota/ceiling.ts";
import { coverFor } from "../../quota/guarantee.ts";
import type { ReadonlyState } from "../../state/readonly-state.ts";
import { Draft } from "../draft/draft.ts";
import type { Victim } from "../draft/victim.ts";
import type { Claimant } from "./claimant.ts";
import type { Rule } from "./rule.ts";

/** U3: a confidential claimant holds the nodes of its seats whole, under every max and inside its guarantee. */
export function mayHoldWhole(
  state: ReadonlyState,
  claimant: Claimant,
  seats: readonly Seat[],
  victims: ReadonlyMap<Victim, Rule>,
): boolean {
  const { job, demand, cover } = claimant;
  const draft = new Draft(state, claimant);
  for (const [victim, rule] of victims) draft.evict(victim, rule);
  // Seats that its own work leaves on a node that it keeps are still charged to it.
  const held = heldBeside(state, job.account, seats, {
    held: ({ no }) => draft.left(no),
    isEmptied: (node) => draft.empties(node),
    withoutOwnLeaving: true,
  });
  if (ceilingHit(state, job.account, demand, held) !== undefined) return false;
  const covered = coverFor(state, job.account, demand, held);
  return covered !== noAccount && isInside(state, covered, cover);
}
