import type { AccountNo } from "../../model/ids.ts";
import { must } from "../../model/must.ts";
import { pathUp } from "../../quota/accounts.ts";
import { addTo, nothingHeld } from "../../quota/held.ts";
import { compareShares, type Share, shareOfJob } from "../../quota/share.ts";
import type { Draft } from "../draft/draft.ts";
import { gpusOf, leavesFirst, lostMs, type Victim } from "../draft/victim.ts";
import { isFairWithout } from "../rules/lawful.ts";
import { isOwn, type Rule } from "../rules/rule.ts";
import { isSourceFor } from "../rules/source.ts";
import { goesByVictim } from "./areas.ts";
import type { ClaimSearch } from "./search.ts";

/**
 * The victim of `left` that goes next: others' work before the claimant's own [T4]; for a guarantee the least work lost
 * per GPU, for a fair share the side with the largest share; inside one account the order of T5.
 */
export function nextVictim(search: ClaimSearch, left: readonly Victim[]): Victim | undefined {
  return firstOffer(search, left, true) ?? firstOffer(search, left, false);
}

/** Each account offers its first; `last` = only victims that need no other after them to be lawful. */
function firstOffer(search: ClaimSearch, left: readonly Victim[], last: boolean): Victim | undefined {
  const { context, offers, draft } = search;
  const firsts: Victim[] = [];
  for (const victim of left) {
    const rule = offers.ruleOf(victim);
    const { account } = victim.job;
    const at = firsts.findIndex((first) => first.job.account === account);
    if (at >= 0 && leavesFirst(firsts[at]!, victim, context.now) < 0) continue;
    if (!isOwn(rule) && !isSourceFor(draft, victim)) continue;
    if (rule === "T2" && !isFairWithout(draft, victim, last)) continue;
    firsts[at < 0 ? firsts.length : at] = victim;
  }
  return firsts.length === 0 ? undefined : firstOf(search, firsts);
}

const ranks: Readonly<Record<Rule, number>> = { T1: 0, T2: 1, T3: 2, O3: 3 };

/** The first of several accounts' offers [T4, T5]. */
export function firstOf({ context, offers, draft }: ClaimSearch, victims: readonly Victim[]): Victim {
  const { now } = context;
  if (victims.length === 1) return victims[0]!;
  const rank = Math.min(...victims.map((victim) => ranks[offers.ruleOf(victim)]));
  let left = victims.filter((victim) => ranks[offers.ruleOf(victim)] === rank);
  if (rank === ranks.T1) {
    const least = Math.min(...left.map((victim) => lostMs(victim, now)));
    left = left.filter((victim) => lostMs(victim, now) === least);
    if (goesByVictim(context)) left = withFewestGpus(left);
  }
  return ofLargestSide(draft, left, (a, b) => leavesFirst(a, b, now));
}

function withFewestGpus(victims: readonly Victim[]): Victim[] {
  const fewest = Math.min(...victims.map(({ leases }) => gpusOf(leases)));
  return victims.filter(({ leases }) => gpusOf(leases) === fewest);
}

/** Down the tree, at each level into the side with the largest share; of equal sides the victim that leaves first [T5]. */
function ofLargestSide(
  draft: Draft,
  victims: readonly Victim[],
  compare: (a: Victim, b: Victim) => number,
  level = 1,
): Victim {
  if (victims.length === 1) return victims[0]!;
  let best: { readonly victim: Victim; readonly share: Share } | undefined;
  for (const [side, ofSide] of bySide(draft, victims, level)) {
    const victim =
      side === undefined ? [...ofSide].sort(compare)[0]! : ofLargestSide(draft, ofSide, compare, level + 1);
    const share = side === undefined ? shareAlone(draft, victim) : draft.share(side);
    const order = best === undefined ? 1 : compareShares(share, best.share) || compare(best.victim, victim);
    if (order > 0) best = { victim, share };
  }
  return must(best, "a victim is chosen of at least one").victim;
}

/** The victims by their account at a level of the tree, from the root down; undefined = jobs of the account above. */
function bySide({ state }: Draft, victims: readonly Victim[], level: number): Map<AccountNo | undefined, Victim[]> {
  const sides = new Map<AccountNo | undefined, Victim[]>();
  for (const victim of victims) {
    const path = pathUp(state, victim.job.account);
    const side = path[path.length - level]?.no;
    const known = sides.get(side);
    if (known === undefined) sides.set(side, [victim]);
    else known.push(victim);
  }
  return sides;
}

/** The share of a job that is a side of its own beside the accounts below. */
function shareAlone({ state }: Draft, { leases }: Victim): Share {
  const held = nothingHeld();
  for (const lease of leases) addTo(held, state.fleet, lease, 1);
  return shareOfJob(state, { ...held, model: -1 });
}
