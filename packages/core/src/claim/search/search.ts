import type { ClaimContext } from "../claim-context.ts";
import type { Draft } from "../draft/draft.ts";
import type { Victim } from "../draft/victim.ts";
import type { Offers } from "./offers.ts";

/** One search for victims: for which claimant, among which offers, and the draft on which they are tried. */
export interface ClaimSearch {
  readonly context: ClaimContext;
  readonly offers: Offers;
  readonly draft: Draft;
}

/** Evicts a victim on the draft, by the rule under which it is offered. */
export function evict({ offers, draft }: ClaimSearch, victim: Victim): void {
  draft.evict(victim, offers.ruleOf(victim));
}
