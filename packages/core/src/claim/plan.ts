import { type MayUse, needOf } from "../fleet/fit.ts";
import { limitHit } from "../gate/limits.ts";
import { moneyHit } from "../gate/money.ts";
import type { Seat } from "../journal/event.ts";
import { type NodeNo, noAccount } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import type { Instant } from "../model/units.ts";
import { isConfidential, leavingOn, nodesFor } from "../place/dedicated.ts";
import { lacksSeatsAlone } from "../place/place.ts";
import { findSeats } from "../place/seats.ts";
import type { Wish, WishOption } from "../state/indexes/wish.ts";
import type { State } from "../state/state.ts";
import { wishOf } from "../state/wish-of.ts";
import { chooseSites, isLent } from "./choose.ts";
import type { ClaimContext } from "./claim-context.ts";
import type { ClaimPlan } from "./claim-plan.ts";
import { EffortBudget } from "./effort-budget.ts";
import { Offers } from "./offers.ts";
import { partNeedOf } from "./part-seats.ts";
import { anywhere, type Place, placesFor } from "./places.ts";
import { hasProspects } from "./prospects.ts";
import { quickClaim } from "./quick.ts";
import { quickShareClaim } from "./quick-share.ts";
import { Site } from "./site.ts";
import { SiteRooms } from "./site-rooms.ts";
import { type Claimant, isOwn, type Rule, standingsOf } from "./takeable.ts";
import { Tally } from "./tally.ts";
import { leavesFirst, lostWork, type Victim } from "./victim.ts";
import { mayHoldWhole } from "./whole-nodes.ts";

/** An alternative of the job, and what it may stand on to claim for it. */
interface Way {
  readonly option: WishOption;
  readonly claimant: Claimant;
  readonly offers: Offers;
}

/** Room made for a job that found none: complete, lawful, and with nobody in it who could be spared; or not at all [T6]. */
export function planClaim(
  state: State,
  job: Job,
  now: Instant,
  effort = new EffortBudget(state, now),
): ClaimPlan | undefined {
  // Room that must lie in different places is waited for: nobody is taken for it [P7].
  if (job.spec.spread !== undefined && job.spec.members.min > 1) return undefined;
  const wish = wishOf(state, job.spec);
  for (const { demand } of wish.options) if (limitHit(state, job, demand.units, now) !== undefined) return undefined;
  const quick = quickClaim(state, job, wish, now, effort.full) ?? quickShareClaim(state, job, wish, now, effort);
  if (quick === "nobody") return undefined;
  if (quick !== undefined && "seats" in quick) return quick;
  return weighClaim(state, job, wish, now, effort, quick?.nodes);
}

/** The same by weighing all who might leave, or those on some nodes. */
export function weighClaim(
  state: State,
  job: Job,
  wish: Wish,
  now: Instant,
  effort: EffortBudget,
  nodes?: readonly NodeNo[],
): ClaimPlan | undefined {
  const ways: Way[] = [];
  let prospects = false;
  // Where someone is leaving, a way without prospects may show that nobody else need leave.
  const all = state.fleet.nodesBeingLeft.size > 0;
  for (const option of wish.options) {
    for (const claimant of standingsOf(state, job, option.demand, now)) {
      if (moneyHit(state, job, option, claimant.cover === noAccount, now) !== undefined) continue;
      const has = hasProspects(state, claimant);
      prospects ||= has;
      if (has || all) ways.push({ option, claimant, offers: Offers.to(state, claimant, now) });
    }
  }
  if (!prospects) return undefined;
  if (nodes !== undefined) return planByWays(state, job, ways, now, effort, nodes);
  // Most who wait can take nobody, and are asked again and again.
  const empty = ways.every((way) => way.offers.isEmpty());
  for (const { offers } of ways) effort.spend(offers.looks);
  return empty ? undefined : planByWays(state, job, ways, now, effort);
}

function planByWays(
  state: State,
  job: Job,
  ways: readonly Way[],
  now: Instant,
  effort: EffortBudget,
  nodes?: readonly NodeNo[],
): ClaimPlan | undefined {
  const wholeNodes = isConfidential(state, job.account);
  const mayUse = nodesOnceLeft(state, job);
  let best: ClaimPlan | undefined;
  let done: WishOption | undefined;
  for (const way of ways) {
    const { option, claimant, offers } = way;
    if (option === done || (wholeNodes && claimant.cover === noAccount)) continue;
    const { choice, model } = option;
    const need = { ...needOf(job.spec, choice, model), mayUse, part: partNeedOf(state, job, choice) };
    const context = { state, claimant, need, now, effort, nodes };
    const plan = planOnFree(context, choice, offers, planFor(context, offers));
    // Nobody need leave for it: it fits what others are leaving already, be it as another alternative.
    if (plan?.victims.size === 0) return wholeNodes ? undefined : planOnWhatIsLeft(context, choice, plan);
    if (plan === undefined) continue;
    const first = ways.find((each) => each.option === option)!;
    const fewer =
      first === way || wholeNodes
        ? undefined
        : planWithFewer({ ...context, claimant: first.claimant, isOwed: true }, first.offers, plan);
    const { cover } = fewer === undefined ? claimant : first.claimant;
    const { seats, victims } = fewer ?? plan;
    if (wholeNodes && !mayHoldWhole(state, claimant, seats, victims)) continue;
    const { unitsEach } = job.spec.gpus[choice]!;
    const found = { choice, cover, unitsEach, seats, victims };
    if (best === undefined || (takesOwn(best) && !takesOwn(found))) best = found; // T4
    done = option;
  }
  return best;
}

/** Nodes that a job may use once all have gone who were told to. */
function nodesOnceLeft(state: State, job: Job): MayUse | undefined {
  const mayUse = nodesFor(state, job);
  if (mayUse === undefined || state.confidential === 0) return mayUse;
  return (node, going = []) => mayUse(node, [...going, ...leavingOn(state, node.no)]);
}

/**
 * Seats that others are leaving, kept for a job that its guarantee holds [T7]: else each of many who are owed the same
 * few seats would wait for them, and nobody would be asked to leave for the others. Undefined where it only waits.
 */
function planOnWhatIsLeft(
  { state, claimant, need, now, effort }: ClaimContext,
  choice: number,
  plan: Plan,
): ClaimPlan | undefined {
  const { cover, job } = claimant;
  if (need.part !== undefined || cover === noAccount || !new Tally(state, claimant).covers()) return undefined;
  const { seats, victims } = plan;
  // A free seat that it does not get is kept for someone who is planned [B2].
  if (need.gpus === 0 || !lacksSeatsAlone(state, job, now, effort.full)) return undefined;
  return { choice, cover, unitsEach: job.spec.gpus[choice]!.unitsEach, seats, victims };
}

function takesOwn({ victims }: Pick<ClaimPlan, "victims">): boolean {
  return [...victims.values()].some(isOwn);
}

/** Without a floor of others first, where its own account's work would have to leave to claim it. */
function planFor(context: ClaimContext, offers: Offers): Plan | undefined {
  const { state, claimant } = context;
  if (claimant.cover !== noAccount && claimant.job.spec.preemptible && !new Tally(state, claimant).covers()) {
    const plan = planAmong({ ...context, claimant: { ...claimant, cover: noAccount } }, offers.withoutFloors());
    if (plan !== undefined) return plan;
  }
  return planAmong(context, offers);
}

function planAmong(context: ClaimContext, offers: Offers): Plan | undefined {
  const { topology } = context.claimant.job.spec;
  if (topology !== undefined) {
    const plan = cheapestOf(context, offers, placesFor(context, offers, topology.level));
    if (plan !== undefined || topology.required) return plan;
  }
  return planOn(context, offers, anywhere(context, offers));
}

/** Of the plans for each place the one that costs least; of equals the first. */
function cheapestOf(context: ClaimContext, offers: Offers, places: readonly Place[]): Plan | undefined {
  let best: { plan: Plan; rank: number; place: Place } | undefined;
  // The cheapest at best come first, so that most others need no plan to be passed over.
  const order = [...places.entries()].sort(([, a], [, b]) => a.lost - b.lost);
  for (const [rank, place] of order) {
    if (best !== undefined && !takesOwn(best.plan) && place.lost > best.plan.lost) break;
    const plan = planOn(context, offers, place);
    if (plan === undefined) continue;
    const cost = best === undefined ? -1 : compareCosts(plan, best.plan) || rank - best.rank;
    if (cost < 0) best = { plan, rank, place };
  }
  return best && sparedElsewhere(context, offers, places, best.plan, best.place);
}

/**
 * The plan, or a part of it that is enough in another place, where T5's order led to others: of an elastic job or a gang
 * some members may be there.
 */
function sparedElsewhere(context: ClaimContext, offers: Offers, places: readonly Place[], plan: Plan, at: Place): Plan {
  const nodes = new Set<NodeNo>();
  for (const { leases } of plan.victims.keys()) for (const { node } of leases) if (!at.has(node)) nodes.add(node);
  let least = plan;
  for (const place of nodes.size === 0 ? [] : places) {
    const here = [...nodes].filter((node) => place.has(node));
    if (here.length === 0) continue;
    const part = partOf(context, offers, plan, [...here, ...place.listed]);
    if (part !== undefined && compareCosts(part, least) < 0) least = part;
  }
  return least;
}

/** Others' work before its own account's [T4], the least work lost, members before whole jobs, the fewest victims [T5]. */
function compareCosts(a: Plan, b: Plan): number {
  const own = Number(takesOwn(a)) - Number(takesOwn(b));
  return own || a.lost - b.lost || jobsOf(a) - jobsOf(b) || a.victims.size - b.victims.size;
}

/** How many jobs leave whole. */
function jobsOf({ victims }: Plan): number {
  let jobs = 0;
  for (const { extra } of victims.keys()) if (!extra) jobs++;
  return jobs;
}

function planOn(context: ClaimContext, offers: Offers, place: Place): Plan | undefined {
  // Where a rule forbids the set that the order of T5 leads to, or its own account's work would have to leave beside it
  // [T4], it is looked for without the one that goes first.
  let left = offers;
  let best: Plan | undefined;
  for (let tries = 0; tries < triesMax; tries++) {
    const tally = new Tally(context.state, context.claimant);
    const plan = planWith(context, left, place, tally);
    if (plan !== undefined && !takesOwn(plan)) return plan;
    best ??= plan;
    const { first } = tally;
    if (first === undefined || (plan !== undefined && isOwn(left.ruleOf(first)))) return best;
    left = left.without(first);
  }
  return best;
}

const triesMax = 8;

interface Plan {
  readonly seats: readonly Seat[];
  readonly victims: ReadonlyMap<Victim, Rule>;
  readonly lost: number;
}

/**
 * Where its own account's work leaves so that a guarantee holds the claimant, some of it may be spared if what remains
 * can be taken as the claimant stands without that [T5].
 */
function planWithFewer(context: ClaimContext, offers: Offers, plan: Plan): Plan | undefined {
  const nodes = plan.seats.map(({ node }) => node);
  const part = partOf(context, offers, plan, nodes);
  return part === undefined || part.victims.size >= plan.victims.size ? undefined : part;
}

/** The plan, or a part of it that is enough where seats are free already: then only quota is lacking [T5]. */
function planOnFree(context: ClaimContext, choice: number, offers: Offers, plan: Plan | undefined): Plan | undefined {
  const { state, claimant, need } = context;
  if (plan === undefined || plan.victims.size < 2 || need.part !== undefined) return plan;
  const free = findSeats(state, claimant.job, choice, need.model);
  if (typeof free === "string") return plan;
  const part = partOf(
    context,
    offers,
    plan,
    free.map(({ node }) => node),
  );
  return part !== undefined && compareCosts(part, plan) < 0 ? part : plan;
}

/** What of a plan's victims is needed for room on some nodes; undefined where all of them are not enough. */
function partOf(context: ClaimContext, offers: Offers, { victims }: Plan, nodes: readonly NodeNo[]): Plan | undefined {
  const { state, need, claimant } = context;
  const tally = new Tally(state, claimant);
  for (const victim of victims.keys()) {
    const same = offers.same(victim);
    if (same !== undefined) tally.take(same, offers.ruleOf(same));
  }
  const each = [...new Set(nodes)].sort((a, b) => a - b);
  context.effort.spend(each.length);
  const sites = each.map((node) => new Site(state.fleet, state.fleet.node(node), need));
  return leastOf(context, sites, offers, tally);
}

function planWith(context: ClaimContext, offers: Offers, place: Place, tally: Tally): Plan | undefined {
  const sites = chooseSites(context, offers, place, tally);
  return sites === undefined ? undefined : leastOf(context, sites, offers, tally);
}

/** The plan that is left when nobody more can be spared, if there is room and it is lawful. */
function leastOf(context: ClaimContext, sites: readonly Site[], offers: Offers, tally: Tally): Plan | undefined {
  const { claimant, now } = context;
  const rooms = new SiteRooms(sites, tally, claimant.job.spec.members);
  if (!rooms.holdAll) return undefined;
  const isLawful = () => tally.isLawful() && isLent(context, tally);
  spare(tally, rooms, offers, isLawful, now);
  if (!isLawful() || !areNeeded(context, tally, rooms)) return undefined;
  const seats = sites.flatMap((site) => site.seats(tally.on(site.node.no)));
  let lost = 0;
  for (const victim of tally.victims.keys()) lost += lostWork(victim, now);
  return { seats, victims: tally.victims, lost };
}

/**
 * Whether each T2 victim is needed for room or quota, and beside T2 victims each own victim for room, quota or cover. A
 * job that left only so that the claimant's side is small enough would start again, and the others would take their room
 * back, without end [T2, T10, T14].
 */
function areNeeded(context: ClaimContext, tally: Tally, rooms: SiteRooms): boolean {
  const { preemptible } = context.claimant.job.spec;
  const fair = [...tally.victims].filter(([, rule]) => rule === "T2");
  const own = context.isOwed || fair.length === 0 ? [] : [...tally.victims].filter(([, rule]) => isOwn(rule));
  for (const [victim, rule] of [...own, ...fair]) {
    tally.putBack(victim);
    rooms.changed(victim);
    const hasQuota = tally.ceilingHit() === undefined && (tally.isCovered() || (preemptible && isLent(context, tally)));
    const isNeeded = !rooms.holdAll || !hasQuota || (isOwn(rule) && !tally.isLawfulButForFairness());
    tally.take(victim, rule);
    rooms.changed(victim);
    if (!isNeeded) return false;
  }
  return true;
}

/** Puts back whoever is not needed after all, the one that would lose most first, until nobody can be spared. */
function spare(tally: Tally, rooms: SiteRooms, offers: Offers, isLawful: () => boolean, now: Instant): void {
  const isEnough = () => rooms.holdAll && isLawful();
  for (let changed = true; changed; ) {
    changed = false;
    const victims = [...tally.victims].sort(
      ([a], [b]) => lostWork(b, now) - lostWork(a, now) || -leavesFirst(a, b, now),
    );
    for (const [victim, rule] of victims) {
      tally.putBack(victim);
      rooms.changed(victim);
      if (isEnough() || isEnoughToShrink(victim, tally, rooms, offers, isEnough)) changed = true;
      else {
        tally.take(victim, rule);
        rooms.changed(victim);
      }
    }
  }
  rooms.seatMembers();
}

/** Whether fewer members of a job are enough, of those beyond its minimum; they are taken then. */
function isEnoughToShrink(
  victim: Victim,
  tally: Tally,
  rooms: SiteRooms,
  offers: Offers,
  isEnough: () => boolean,
): boolean {
  const { job, extra, leases } = victim;
  if (extra || !leases.some((lease) => lease.extra)) return false;
  const taken: Victim[] = [];
  for (const other of offers.extrasOf(job)) {
    taken.push(other);
    tally.take(other, offers.ruleOf(other));
    rooms.changed(other);
    if (isEnough()) return true;
  }
  for (const other of taken) {
    tally.putBack(other);
    rooms.changed(other);
  }
  return false;
}
