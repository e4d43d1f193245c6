import { leavesFirst, lostWork, type Victim } from "../draft/victim.ts";
import { ceilingHitOf, isCovered, isLawful, isLawfulButForFairness } from "../rules/lawful.ts";
import { respectsLendingLimits } from "../rules/lending.ts";
import { isOwn } from "../rules/rule.ts";
import type { Site } from "../seats/site.ts";
import { SiteCapacity } from "../seats/site-capacity.ts";
import { type ClaimSearch, evict } from "./search.ts";
import type { SeatPlan } from "./seat-plan.ts";

/** The plan of a draft once no more victims can be spared [T5]; undefined where there is no room or it is not lawful. */
export function leastPlan(search: ClaimSearch, sites: readonly Site[]): SeatPlan | undefined {
  const { context, draft } = search;
  const capacity = new SiteCapacity(sites, draft);
  if (!capacity.holdsAll) return undefined;
  const mayStand = () => isLawful(draft) && respectsLendingLimits(draft);
  spareVictims(search, () => capacity.holdsAll && mayStand());
  capacity.seatMembers();
  if (!mayStand() || !areNeeded(search, capacity)) return undefined;
  const seats = sites.flatMap((site) => site.seats(draft.on(site.node.no)));
  let lost = 0;
  for (const victim of draft.victims.keys()) lost += lostWork(victim, context.now);
  return { seats, victims: draft.victims, lost };
}

/** Spares every victim that is not needed, the one that would lose most first, until none can be spared. */
function spareVictims(search: ClaimSearch, isEnough: () => boolean): void {
  const { draft, context } = search;
  const { now } = context;
  for (let changed = true; changed; ) {
    changed = false;
    const victims = [...draft.victims.keys()].sort(
      (a, b) => lostWork(b, now) - lostWork(a, now) || -leavesFirst(a, b, now),
    );
    for (const victim of victims) {
      const mark = draft.mark();
      draft.spare(victim);
      if (isEnough() || isEnoughToShrink(search, victim, isEnough)) changed = true;
      else draft.undoTo(mark);
    }
  }
}

/** T13: evicts extra members until they are enough instead of the whole job; false = they are not, the caller undoes it. */
function isEnoughToShrink(search: ClaimSearch, { job, extra, leases }: Victim, isEnough: () => boolean): boolean {
  if (extra || !leases.some((lease) => lease.extra)) return false;
  for (const other of search.offers.extrasOf(job)) {
    evict(search, other);
    if (isEnough()) return true;
  }
  return false;
}

/**
 * T2, T10, T14: where some victims are taken by T2, all but those of T1 must be needed for room or quota, or, of the
 * claimant's own account, for its cover. A victim that left only to make the claimant's side small enough would start
 * again, and the others would take their room back, without end.
 */
function areNeeded({ draft, context }: ClaimSearch, capacity: SiteCapacity): boolean {
  const { preemptible } = draft.claimant.job.spec;
  const fair = [...draft.victims].filter(([, rule]) => rule === "T2");
  const own = context.isOwed || fair.length === 0 ? [] : [...draft.victims].filter(([, rule]) => isOwn(rule));
  for (const [victim, rule] of [...own, ...fair]) {
    const mark = draft.mark();
    draft.spare(victim);
    const hasQuota =
      ceilingHitOf(draft) === undefined && (isCovered(draft) || (preemptible && respectsLendingLimits(draft)));
    const isNeeded = !capacity.holdsAll || !hasQuota || (isOwn(rule) && !isLawfulButForFairness(draft));
    draft.undoTo(mark);
    if (!isNeeded) return false;
  }
  return true;
}
