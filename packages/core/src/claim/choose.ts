import { type GpuNo, type NodeNo, noAccount, rootAccount } from "../model/ids.ts";
import type { Lease } from "../model/lease.ts";
import { dedicatedRemainderThen } from "../place/dedicated-usage.ts";
import { pathUp } from "../quota/accounts.ts";
import { unlentBeside } from "../quota/lending.ts";
import type { ClaimContext } from "./claim-context.ts";
import type { Cost } from "./cost.ts";
import type { Offers } from "./offers.ts";
import { goesByVictim, type Place } from "./places.ts";
import { Site } from "./site.ts";
import { isOwn, type Rule } from "./takeable.ts";
import { type Tally, unitsFreedBy } from "./tally.ts";
import { gpusOf, leavesFirst, lostMs, lostWork, type Victim } from "./victim.ts";

/** Nodes for all members with their victims taken, the cheapest first; undefined where there are not enough. */
export function chooseSites(context: ClaimContext, offers: Offers, place: Place, tally: Tally): Site[] | undefined {
  if (!takeForCover(context, offers, tally)) return undefined;
  if (!takeForCeilings(context, offers, tally)) return undefined;
  if (!takeForLending(context, offers, tally)) return undefined;
  const { fleet } = context.state;
  const { members } = context.claimant.job.spec;
  const sites = new Map<NodeNo, Site>();
  const siteOn = (no: NodeNo): Site => {
    let site = sites.get(no);
    if (site === undefined) {
      site = new Site(fleet, fleet.node(no), context.need);
      sites.set(no, site);
    }
    return site;
  };
  const chosen = new Set<Site>();
  for (let placed = 0; placed < members.min; placed++) {
    const best = cheapestSite(context, offers, place, tally, siteOn, chosen);
    if (best === undefined) return undefined;
    for (const victim of best.bill.victims) tally.take(victim, offers.ruleOf(victim));
    best.site.members++;
    chosen.add(best.site);
  }
  // What is put back may leave its place to another's, wherever that lies.
  for (const { leases } of tally.victims.keys())
    for (const { node } of leases) if (place.has(node)) chosen.add(siteOn(node));
  // Who was taken for a guarantee or for what is lent may have left the claimant seats that are free already.
  if (context.state.lendingLimits > 0)
    for (const no of place.listed) if (siteOn(no).fits([]) > 0) chosen.add(siteOn(no));
  return [...chosen].sort((a, b) => a.node.no - b.node.no);
}

/** One more member on a node, and where that node stands among equals. */
interface Choice {
  readonly site: Site;
  readonly bill: Bill;
  readonly rank: number;
}

/** Where one more member costs least. */
function cheapestSite(
  context: ClaimContext,
  offers: Offers,
  place: Place,
  tally: Tally,
  siteOn: (no: NodeNo) => Site,
  chosen: ReadonlySet<Site>,
): Choice | undefined {
  const { members } = context.claimant.job.spec;
  const byVictim = goesByVictim(context);
  const looked = new Set<NodeNo>();
  let best: Choice | undefined;
  const look = (no: NodeNo): void => {
    if (looked.has(no)) return;
    looked.add(no);
    const site = siteOn(no);
    if (members.apart && chosen.has(site)) return;
    const bill = billFor(context, site, offers, tally);
    if (bill === undefined) return;
    const choice = { site, bill, rank: place.rank(no) };
    if (best === undefined || isCheaper(context, offers, tally, choice, best, byVictim)) best = choice;
  };
  for (const no of place.listed) look(no);
  // Who is taken already may have left room elsewhere too, and where one member is there may be room for another.
  for (const { leases } of tally.victims.keys()) for (const { node } of leases) if (place.has(node)) look(node);
  for (const site of chosen) look(site.node.no);
  for (const cost of place.cheapest()) {
    if (best !== undefined && !(byVictim ? mayLoseLess(context, offers, cost, best) : mayBeat(cost, place, best)))
      break;
    look(cost.node);
  }
  return best;
}

/** Whether a node that costs at least so much could be cheaper than the best so far. */
function mayBeat(cost: Cost, place: Place, { bill, rank }: Choice): boolean {
  if (bill.own > 0) return true;
  if (cost.lost !== bill.lost) return cost.lost < bill.lost;
  return cost.victims !== bill.victims.length ? cost.victims < bill.victims.length : place.rank(cost.node) < rank;
}

/** Whether someone on a node could go before the first victim of the best so far. */
function mayLoseLess({ now }: ClaimContext, offers: Offers, cost: Cost, { bill }: Choice): boolean {
  const [first] = bill.victims;
  if (first === undefined || bill.own > 0 || offers.ruleOf(first) !== "T1") return true;
  return cost.leastMs <= lostMs(first, now);
}

function isCheaper(
  context: ClaimContext,
  offers: Offers,
  tally: Tally,
  a: Choice,
  b: Choice,
  byVictim: boolean,
): boolean {
  if (a.bill.own !== b.bill.own) return a.bill.own < b.bill.own;
  const [first, second] = [a.bill.victims[0], b.bill.victims[0]];
  if (byVictim && first !== undefined && second !== undefined && first !== second) {
    return firstOf(context, [first, second], offers, tally) === first;
  }
  if (a.bill.lost !== b.bill.lost) return a.bill.lost < b.bill.lost;
  const more = a.bill.victims.length - b.bill.victims.length;
  return more !== 0 ? more < 0 : a.rank < b.rank;
}

/** Where its guarantee holds it only without some of its own account's work, that work goes first. */
function takeForCover({ claimant, now }: ClaimContext, offers: Offers, tally: Tally): boolean {
  if (claimant.cover === noAccount || tally.covers()) return true;
  const own = [...offers.of(claimant.job.account)].filter((victim) => isOwn(offers.ruleOf(victim)));
  own.sort((a, b) => leavesFirst(a, b, now));
  for (const victim of own) {
    if (tally.covers()) return true;
    tally.take(victim, offers.ruleOf(victim));
  }
  return tally.covers();
}

/** Where a ceiling is full, someone below it must leave, whatever is free. */
function takeForCeilings(context: ClaimContext, offers: Offers, tally: Tally): boolean {
  for (let hit = tally.ceilingHit(); hit !== undefined; hit = tally.ceilingHit()) {
    const below = [...offers.below(hit.account.no)].filter((victim) => !tally.isGone(victim));
    const next = nextVictim(context, below, offers, tally);
    if (next === undefined) return false;
    tally.take(next, offers.ruleOf(next));
  }
  return true;
}

/** Where what is free may not be borrowed, another borrower must leave, whatever is free. */
function takeForLending(context: ClaimContext, offers: Offers, tally: Tally): boolean {
  while (!isLent(context, tally)) {
    const able = [...offers.below(rootAccount)].filter(
      (victim) => !tally.isGone(victim) && (unitsFreedBy(context.state, victim) > 0 || sharesAccount(context, victim)),
    );
    const next = nextVictim(context, able, offers, tally);
    if (next === undefined) return false;
    tally.take(next, offers.ruleOf(next));
  }
  return true;
}

/** Whether a guarantee that the victim uses might hold the claimant instead. */
function sharesAccount({ state, claimant }: ClaimContext, { job }: Victim): boolean {
  return pathUp(state, job.account).some(({ no }) => claimant.path.has(no));
}

/** What stays free holds what is not lent; a claimant that a guarantee covers need not ask [C5]. */
export function isLent({ state, claimant }: ClaimContext, tally: Tally): boolean {
  if (state.lendingLimits === 0 || tally.isCovered()) return true;
  const isGone = (lease: Lease) => tally.on(lease.node).some(({ leases }) => leases.includes(lease));
  const freeOf = (name: string) =>
    state.fleet.freeUnitsOnceLeft(name) + tally.unitsFreed(name) - dedicatedRemainderThen(state, name, isGone);
  return unlentBeside(state, claimant.job.account, claimant.demand, freeOf, (account) => tally.left(account)) === 0;
}

/** What one more member on a node would cost. */
interface Bill {
  readonly victims: readonly Victim[];
  /** How many of them are the claimant's own account's: others' borrowed work goes first [T4]. GPUs where it is O3. */
  readonly own: number;
  readonly lost: number;
}

/** The victims that make room for one more member here; undefined where none do. */
function billFor(context: ClaimContext, site: Site, offers: Offers, tally: Tally): Bill | undefined {
  context.effort.spend();
  const wanted = site.members + 1;
  const gone = tally.on(site.node.no);
  if (site.fits(gone) >= wanted) return { victims: [], own: 0, lost: 0 };
  const here = offers.on(site.node.no).filter((victim) => !tally.isGone(victim));
  let best: Bill | undefined;
  const tryWith = (left: readonly Victim[]): Victim | undefined => {
    const { fits, first, victims } = takeUntilFits(context, site, wanted, left, offers, tally);
    const bill = fits ? billOf(context, victims, offers) : undefined;
    if (bill !== undefined && (best === undefined || bill.own < best.own)) best = bill;
    // Others may be enough without the one that goes first, where its own account's work was needed beside it [T4].
    return fits && (best?.own === 0 || isOwn(offers.ruleOf(first!))) ? undefined : first;
  };
  for (let left = here; site.fits([...gone, ...left]) >= wanted; ) {
    const first = tryWith(left);
    if (first === undefined) break;
    left = left.filter((victim) => victim !== first);
  }
  if (best?.own === 0) return best;
  // Who leaves a part of one GPU makes no room on another.
  for (const gpu of sharedGpusOf(here)) {
    const onGpu = here.filter(({ leases }) => leases.some(({ gpus }) => gpus.includes(gpu)));
    if (site.fits([...gone, ...onGpu]) >= wanted) tryWith(onGpu);
  }
  return best;
}

function billOf({ now }: ClaimContext, victims: readonly Victim[], offers: Offers): Bill {
  let own = 0;
  let lost = 0;
  for (const victim of victims) {
    if (isOwn(offers.ruleOf(victim))) own += victim.costToEnd === undefined ? 1 : gpusOf(victim.leases);
    lost += lostWork(victim, now);
  }
  return { victims, own, lost };
}

/** GPUs of which some hold parts. */
function sharedGpusOf(victims: readonly Victim[]): Set<GpuNo> {
  const shared = new Set<GpuNo>();
  for (const { leases } of victims)
    for (const { part, gpus } of leases) if (part !== undefined) for (const gpu of gpus) shared.add(gpu);
  return shared;
}

/** Who of those here would be taken in order until `wanted` members fit, or nobody more may be taken. */
function takeUntilFits(
  context: ClaimContext,
  site: Site,
  wanted: number,
  here: readonly Victim[],
  offers: Offers,
  tally: Tally,
): { readonly fits: boolean; readonly first: Victim | undefined; readonly victims: readonly Victim[] } {
  // Whoever leaves whole takes its extra members' places in the order; where there are such, a copy keeps the order.
  const trial = context.state.elastic.size > 0 ? tally.copy() : tally;
  const firstBefore = tally.first;
  const taken: Victim[] = [];
  let fits = false;
  for (const left = [...here]; !fits; ) {
    const next = nextVictim(context, left, offers, trial);
    if (next === undefined) break;
    left.splice(left.indexOf(next), 1);
    taken.push(next);
    trial.take(next, offers.ruleOf(next));
    fits = site.fits(trial.on(site.node.no)) >= wanted;
  }
  const [first] = taken;
  if (trial !== tally)
    return { fits, first, victims: [...trial.victims.keys()].filter((each) => !tally.victims.has(each)) };
  for (const victim of taken.toReversed()) tally.putBack(victim);
  tally.first = firstBefore;
  return { fits, first, victims: taken };
}

/**
 * Who goes next: others before the claimant's own [T4]; for a floor the least work lost per GPU, for fair share the side
 * with the largest share; in one account by T5.
 */
function nextVictim(context: ClaimContext, left: readonly Victim[], offers: Offers, tally: Tally): Victim | undefined {
  return firstOffer(context, left, offers, tally, true) ?? firstOffer(context, left, offers, tally, false);
}

/** Each account offers one; `last` = of those after whom nobody need follow to make it lawful. */
function firstOffer(
  context: ClaimContext,
  left: readonly Victim[],
  offers: Offers,
  tally: Tally,
  last: boolean,
): Victim | undefined {
  const firsts: Victim[] = [];
  for (const victim of left) {
    const rule = offers.ruleOf(victim);
    const { account } = victim.job;
    const at = firsts.findIndex((first) => first.job.account === account);
    if (at >= 0 && leavesFirst(firsts[at]!, victim, context.now) < 0) continue;
    if (!isOwn(rule) && !tally.isSourceFor(victim)) continue;
    if (rule === "T2" && !tally.isFairWithout(victim, last)) continue;
    firsts[at < 0 ? firsts.length : at] = victim;
  }
  return firsts.length === 0 ? undefined : firstOf(context, firsts, offers, tally);
}

const ranks: Readonly<Record<Rule, number>> = { T1: 0, T2: 1, T3: 2, O3: 3 };

/** Which of the accounts' offers is taken. */
function firstOf(context: ClaimContext, victims: readonly Victim[], offers: Offers, tally: Tally): Victim {
  const { now } = context;
  if (victims.length === 1) return victims[0]!;
  const rank = Math.min(...victims.map((victim) => ranks[offers.ruleOf(victim)]));
  let left = victims.filter((victim) => ranks[offers.ruleOf(victim)] === rank);
  if (rank === ranks.T1) {
    const least = Math.min(...left.map((victim) => lostMs(victim, now)));
    left = left.filter((victim) => lostMs(victim, now) === least);
    if (goesByVictim(context)) left = withFewestGpus(left);
  }
  return tally.ofLargestSide(left, (a, b) => leavesFirst(a, b, now));
}

function withFewestGpus(victims: readonly Victim[]): Victim[] {
  const fewest = Math.min(...victims.map(({ leases }) => gpusOf(leases)));
  return victims.filter(({ leases }) => gpusOf(leases) === fewest);
}
