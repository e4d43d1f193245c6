import type { Seat } from "../journal/event.ts";
import { type AccountNo, noAccount } from "../model/ids.ts";
import type { Job, Members } from "../model/job.ts";
import type { FleetNode } from "../model/node.ts";
import type { Instant } from "../model/units.ts";
import { unitsPerGpu } from "../model/units.ts";
import { seatPart } from "../part/seat.ts";
import { isConfidential, nodesFor } from "../place/dedicated.ts";
import { modelsFor } from "../place/place.ts";
import { type MemberNeed, needOf } from "../place/seats.ts";
import { limitHit } from "../queue/limits.ts";
import { unlentUnits } from "../queue/quota.ts";
import { demandOf, type State, whoIs } from "../state/state.ts";
import { type Domain, type Level, levels } from "../state/topology.ts";
import { hasProspects } from "./prospects.ts";
import { Site } from "./site.ts";
import { type Claimant, isInside, type Rule, ruleFor, standingsOf } from "./takeable.ts";
import { Tally } from "./tally.ts";
import { leavesFirst, lostMs, lostWork, type Victim, victimsOf } from "./victim.ts";
import { mayHoldWhole } from "./whole-nodes.ts";

/** Who leaves, and which seats are held for the claimant meanwhile. */
export interface ClaimPlan {
  readonly choice: number;
  /** The guarantee it stands on; `noAccount` = it claims as burst. */
  readonly cover: AccountNo;
  readonly unitsEach: number;
  readonly seats: readonly Seat[];
  readonly victims: ReadonlyMap<Victim, Rule>;
}

/** Room made for a job that found none: complete, lawful, and with nobody in it who could be spared; or not at all [T6]. */
export function planClaim(state: State, job: Job, now: Instant): ClaimPlan | undefined {
  const wholeNodes = isConfidential(state, job.account);
  const mayUse = nodesFor(state, job.account);
  let best: ClaimPlan | undefined;
  for (let choice = 0; choice < job.spec.gpus.length; choice++) {
    for (const model of modelsFor(state, job, choice)) {
      const demand = demandOf(state, job, choice, model);
      if (limitHit(state, job, demand.units, unitsPerGpu, now) !== undefined) return undefined;
      for (const claimant of standingsOf(state, job, demand, now)) {
        if (wholeNodes && claimant.cover === noAccount) continue;
        if (!hasProspects(state, claimant)) continue;
        const plan = planFor(state, claimant, { ...needOf(job.spec, choice, model), mayUse }, now);
        // Nobody need leave for it: it fits what others are leaving already, be it as another alternative.
        if (plan?.victims.size === 0) return undefined;
        const seats = plan === undefined ? undefined : cutSeats(state, job, choice, plan.seats);
        if (plan === undefined || seats === undefined) continue;
        if (wholeNodes && !mayHoldWhole(state, claimant, seats, plan.victims)) continue;
        const { unitsEach } = job.spec.gpus[choice]!;
        const found = { choice, cover: claimant.cover, unitsEach, seats, victims: plan.victims };
        if (best === undefined || (takesOwn(best) && !takesOwn(found))) best = found; // T4
        break;
      }
    }
  }
  return best;
}

function takesOwn({ victims }: Pick<ClaimPlan, "victims">): boolean {
  return [...victims.values()].includes("T3");
}

/** A claim for a part empties a whole GPU, which is then cut for it. */
function cutSeats(state: State, job: Job, choice: number, seats: readonly Seat[]): readonly Seat[] | undefined {
  const ask = job.spec.gpus[choice]!;
  if (ask.part === undefined) return seats;
  const cut: Seat[] = [];
  for (const seat of seats) {
    const device = state.fleet.device(seat.gpus[0]!);
    const part = seatPart(device, [], whoIs(state, job.account), { ...ask.part, isolation: job.spec.isolation });
    if (typeof part === "string") return undefined;
    cut.push({ ...seat, part });
  }
  return cut;
}

/** Without a floor of others first, where its own account's work would have to leave to claim it. */
function planFor(state: State, claimant: Claimant, need: MemberNeed, now: Instant) {
  const offers = offersTo(state, claimant, now);
  if (claimant.job.spec.preemptible && !new Tally(state, claimant).covers()) {
    const others = new Map([...offers].filter(([, rule]) => rule !== "T1"));
    const plan = planAmong(state, { ...claimant, cover: noAccount }, need, others, now);
    if (plan !== undefined) return plan;
  }
  return planAmong(state, claimant, need, offers, now);
}

function planAmong(
  state: State,
  claimant: Claimant,
  need: MemberNeed,
  offers: ReadonlyMap<Victim, Rule>,
  now: Instant,
) {
  const { topology } = claimant.job.spec;
  if (topology !== undefined) {
    const plan = cheapestOf(
      placesAt(state, topology.level).map((nodes) => planOn(state, claimant, need, offers, nodes, now)),
    );
    if (plan !== undefined || topology.required) return plan;
  }
  return planOn(state, claimant, need, offers, state.fleet.nodes, now);
}

function planOn(
  state: State,
  claimant: Claimant,
  need: MemberNeed,
  offers: ReadonlyMap<Victim, Rule>,
  nodes: Iterable<FleetNode | undefined>,
  now: Instant,
) {
  // Where a rule forbids the set that the order of T5 leads to, it is looked for without the one that goes first.
  let left = offers;
  for (let tries = 0; tries < triesMax; tries++) {
    const tally = new Tally(state, claimant);
    const plan = planWith(state, claimant, need, left, nodes, tally, now);
    if (plan !== undefined) return plan;
    const first = tally.first;
    if (first === undefined) return undefined;
    left = new Map([...left].filter(([victim]) => victim !== first));
  }
  return undefined;
}

const triesMax = 8;

function planWith(
  state: State,
  claimant: Claimant,
  need: MemberNeed,
  offers: ReadonlyMap<Victim, Rule>,
  nodes: Iterable<FleetNode | undefined>,
  tally: Tally,
  now: Instant,
) {
  const sites = chooseSites(state, claimant, need, offers, nodes, tally, now);
  if (sites === undefined) return undefined;
  const isLawful = () => tally.isLawful() && isLent(state, claimant, tally);
  spare(tally, sites, claimant.job.spec.members, isLawful, now);
  if (!isLawful()) return undefined;
  const seats = sites.flatMap((site) => site.seats(tally.victims.keys()));
  let lost = 0;
  for (const victim of tally.victims.keys()) lost += lostWork(victim, now);
  return { seats, victims: tally.victims, lost };
}

interface Cost {
  readonly victims: ReadonlyMap<Victim, Rule>;
  readonly lost: number;
}

function cheapestOf<Plan extends Cost>(plans: readonly (Plan | undefined)[]): Plan | undefined {
  let best: Plan | undefined;
  for (const plan of plans) if (plan !== undefined && (best === undefined || compareCosts(plan, best) < 0)) best = plan;
  return best;
}

/** Others' work before its own account's [T4], the least work lost, the fewest victims [T5]. */
function compareCosts(a: Cost, b: Cost): number {
  return Number(takesOwn(a)) - Number(takesOwn(b)) || a.lost - b.lost || a.victims.size - b.victims.size;
}

/** The nodes of each place of a level. */
function placesAt(state: State, level: Level): FleetNode[][] {
  const found: FleetNode[][] = [];
  const nodesOf = (domain: Domain): FleetNode[] => [
    ...domain.nodes.map((no) => state.fleet.nodes[no]!),
    ...domain.children.flatMap(nodesOf),
  ];
  const walk = (domain: Domain): void => {
    if (levels[domain.level] === level) found.push(nodesOf(domain));
    else domain.children.forEach(walk);
  };
  state.fleet.topology.roots.forEach(walk);
  return found;
}

/** Everyone whom the claimant might take, with the rule. */
function offersTo(state: State, claimant: Claimant, now: Instant): Map<Victim, Rule> {
  const offers = new Map<Victim, Rule>();
  const nobody = new Tally(state, claimant);
  for (const [account, jobs] of state.active) {
    const own = account === claimant.job.account;
    if (!own && !nobody.isSource(account)) continue;
    for (const job of jobs) {
      for (const victim of victimsOf(job)) {
        const rule = ruleFor(state, claimant, victim, now);
        if (rule !== undefined) offers.set(victim, rule);
      }
    }
  }
  return offers;
}

/** Nodes for all members with their victims taken, the cheapest first; undefined where there are not enough. */
function chooseSites(
  state: State,
  claimant: Claimant,
  need: MemberNeed,
  offers: ReadonlyMap<Victim, Rule>,
  nodes: Iterable<FleetNode | undefined>,
  tally: Tally,
  now: Instant,
): Site[] | undefined {
  const { members } = claimant.job.spec;
  if (!takeForCover(claimant, offers, tally, now)) return undefined;
  if (!takeForCeilings(state, offers, tally, now)) return undefined;
  if (!takeForLending(state, claimant, offers, tally, now)) return undefined;
  const byNode = new Map<number, Victim[]>();
  for (const victim of offers.keys()) {
    for (const node of new Set(victim.leases.map((lease) => lease.node as number))) {
      const list = byNode.get(node);
      if (list === undefined) byNode.set(node, [victim]);
      else list.push(victim);
    }
  }
  const sites = new Map<number, Site>();
  for (const node of nodes) {
    if (node !== undefined && node.mode === "up") sites.set(node.no, new Site(state.fleet, node, need));
  }
  // Where any GPU will do, who leaves decides; where a shape is needed, the place that costs least work [T5].
  const order = need.gpus <= 1 && !members.apart ? { offers, tally, now } : undefined;
  const chosen = new Set<Site>();
  for (let placed = 0; placed < members.min; placed++) {
    let best: { site: Site; bill: Bill } | undefined;
    for (const site of sites.values()) {
      if (members.apart && chosen.has(site)) continue;
      const bill = billFor(site, byNode.get(site.node.no) ?? [], offers, tally, now);
      if (bill !== undefined && (best === undefined || cheaper(bill, best.bill, order))) best = { site, bill };
    }
    if (best === undefined) return undefined;
    for (const victim of best.bill.victims) tally.take(victim, offers.get(victim)!);
    best.site.members++;
    chosen.add(best.site);
  }
  // What is put back may leave its place to another's, wherever that lies.
  for (const { leases } of tally.victims.keys()) {
    for (const { node } of leases) if (sites.has(node)) chosen.add(sites.get(node)!);
  }
  return [...chosen].sort((a, b) => a.node.no - b.node.no);
}

/** Where its guarantee holds it only without some of its own account's work, that work goes first. */
function takeForCover(claimant: Claimant, offers: ReadonlyMap<Victim, Rule>, tally: Tally, now: Instant): boolean {
  if (claimant.cover === noAccount) return true;
  const own = [...offers].filter(([, rule]) => rule === "T3").map(([victim]) => victim);
  own.sort((a, b) => leavesFirst(a, b, now));
  for (const victim of own) {
    if (tally.covers()) return true;
    tally.take(victim, "T3");
  }
  return tally.covers();
}

/** Where a ceiling is full, someone below it must leave, whatever is free. */
function takeForCeilings(state: State, offers: ReadonlyMap<Victim, Rule>, tally: Tally, now: Instant): boolean {
  for (let hit = tally.ceilingHit(); hit !== undefined; hit = tally.ceilingHit()) {
    const { no } = hit.account;
    const below = [...offers.keys()].filter(
      (victim) => isInside(state, victim.job.account, no) && !isGone(victim, tally),
    );
    const next = nextVictim(below, offers, tally, now);
    if (next === undefined) return false;
    tally.take(next, offers.get(next)!);
  }
  return true;
}

/** Where what is free may not be borrowed, another borrower must leave, whatever is free. */
function takeForLending(
  state: State,
  claimant: Claimant,
  offers: ReadonlyMap<Victim, Rule>,
  tally: Tally,
  now: Instant,
): boolean {
  while (!isLent(state, claimant, tally)) {
    const able = [...offers.keys()].filter((victim) => !isGone(victim, tally) && freesUnits(state, victim));
    const next = nextVictim(able, offers, tally, now);
    if (next === undefined) return false;
    tally.take(next, offers.get(next)!);
  }
  return true;
}

/** What stays free holds what is not lent; a claimant that a guarantee covers need not ask [C5]. */
function isLent(state: State, claimant: Claimant, tally: Tally): boolean {
  if (tally.isCovered()) return true;
  const unlent = unlentUnits(state, claimant.job.account, (account) => tally.left(account).units);
  return unlent === 0 || state.fleet.freeUnitsOnceLeft() + tally.unitsFreed() - claimant.demand.units >= unlent;
}

function freesUnits(state: State, { leases }: Victim): boolean {
  return leases.some(({ node, gpus }) => gpus.length > 0 && state.fleet.node(node).mode === "up");
}

/** What is needed to tell which of two victims goes first. */
interface Order {
  readonly offers: ReadonlyMap<Victim, Rule>;
  readonly tally: Tally;
  readonly now: Instant;
}

/** What one more member on a node would cost. */
interface Bill {
  readonly victims: readonly Victim[];
  /** How many of them are the claimant's own account's: others' borrowed work goes first [T4]. */
  readonly own: number;
  readonly lost: number;
}

function cheaper(a: Bill, b: Bill, order: Order | undefined): boolean {
  if (a.own !== b.own) return a.own < b.own;
  const [first, second] = [a.victims[0], b.victims[0]];
  if (order !== undefined && first !== undefined && second !== undefined && first !== second) {
    return firstOf([first, second], order.offers, order.tally, order.now) === first;
  }
  if (a.lost !== b.lost) return a.lost < b.lost;
  return a.victims.length < b.victims.length;
}

/** The victims that make room for one more member here; undefined where none do. */
function billFor(
  site: Site,
  here: readonly Victim[],
  offers: ReadonlyMap<Victim, Rule>,
  tally: Tally,
  now: Instant,
): Bill | undefined {
  const wanted = site.members + 1;
  if (site.fits(tally.victims.keys()) >= wanted) return { victims: [], own: 0, lost: 0 };
  let left = here.filter((victim) => !isGone(victim, tally));
  while (site.fits([...tally.victims.keys(), ...left]) >= wanted) {
    const taken = takeUntilFits(site, wanted, left, offers, tally.copy(), now);
    if (taken.fits) {
      const victims = [...taken.tally.victims.keys()].filter((victim) => !tally.victims.has(victim));
      const own = victims.filter((victim) => offers.get(victim) === "T3").length;
      const lost = victims.reduce((sum, victim) => sum + lostWork(victim, now), 0);
      return { victims, own, lost };
    }
    if (taken.first === undefined) return undefined;
    left = left.filter((victim) => victim !== taken.first);
  }
  return undefined;
}

/** Takes who is here in order until `wanted` members fit, or nobody more may be taken. */
function takeUntilFits(
  site: Site,
  wanted: number,
  here: readonly Victim[],
  offers: ReadonlyMap<Victim, Rule>,
  tally: Tally,
  now: Instant,
) {
  let first: Victim | undefined;
  for (const left = [...here]; ; ) {
    const next = nextVictim(left, offers, tally, now);
    if (next === undefined) return { fits: false, first, tally };
    first ??= next;
    left.splice(left.indexOf(next), 1);
    tally.take(next, offers.get(next)!);
    if (site.fits(tally.victims.keys()) >= wanted) return { fits: true, first, tally };
  }
}

/** Taken already, by itself or with its whole job. */
function isGone(victim: Victim, tally: Tally): boolean {
  if (tally.victims.has(victim)) return true;
  for (const taken of tally.victims.keys()) if (taken.job === victim.job && !taken.extra) return true;
  return false;
}

/**
 * Who goes next: others before the claimant's own [T4]; for a floor the least work lost per GPU, for fair share the side
 * with the largest share; in one account by T5.
 */
function nextVictim(
  left: readonly Victim[],
  offers: ReadonlyMap<Victim, Rule>,
  tally: Tally,
  now: Instant,
): Victim | undefined {
  return firstOffer(left, offers, tally, now, true) ?? firstOffer(left, offers, tally, now, false);
}

/** Each account offers one; `last` = of those after whom nobody need follow to make it lawful. */
function firstOffer(
  left: readonly Victim[],
  offers: ReadonlyMap<Victim, Rule>,
  tally: Tally,
  now: Instant,
  last: boolean,
): Victim | undefined {
  const firsts = new Map<AccountNo, Victim>();
  for (const victim of left) {
    const rule = offers.get(victim)!;
    const { account } = victim.job;
    if (rule !== "T3" && !tally.isSource(account)) continue;
    if (rule === "T2" && !tally.isFairWithout(victim, last)) continue;
    const known = firsts.get(account);
    if (known === undefined || leavesFirst(victim, known, now) < 0) firsts.set(account, victim);
  }
  return firsts.size === 0 ? undefined : firstOf([...firsts.values()], offers, tally, now);
}

const ranks: Readonly<Record<Rule, number>> = { T1: 0, T2: 1, T3: 2 };

/** Which of the accounts' offers is taken. */
function firstOf(victims: readonly Victim[], offers: ReadonlyMap<Victim, Rule>, tally: Tally, now: Instant): Victim {
  const rank = Math.min(...victims.map((victim) => ranks[offers.get(victim)!]));
  let left = victims.filter((victim) => ranks[offers.get(victim)!] === rank);
  if (rank === ranks.T1) {
    const least = Math.min(...left.map((victim) => lostMs(victim, now)));
    left = left.filter((victim) => lostMs(victim, now) === least);
  }
  return tally.ofLargestSide(left, (a, b) => leavesFirst(a, b, now));
}

/** Puts back whoever is not needed after all, the one that would lose most first, until nobody can be spared. */
function spare(tally: Tally, sites: readonly Site[], members: Members, isLawful: () => boolean, now: Instant): void {
  for (let changed = true; changed; ) {
    changed = false;
    const victims = [...tally.victims].sort(
      ([a], [b]) => lostWork(b, now) - lostWork(a, now) || -leavesFirst(a, b, now),
    );
    for (const [victim, rule] of victims) {
      tally.putBack(victim);
      if (isLawful() && seatMembers(sites, tally.victims.keys(), members)) changed = true;
      else tally.take(victim, rule);
    }
  }
  seatMembers(sites, tally.victims.keys(), members);
}

/** Spreads the members over the sites anew; false where there is no longer room for all. */
function seatMembers(sites: readonly Site[], victims: Iterable<Victim>, { min, apart }: Members): boolean {
  const gone = [...victims];
  const fits = sites.map((site) => Math.min(apart ? 1 : min, site.fits(gone)));
  if (fits.reduce((sum, fit) => sum + fit, 0) < min) return false;
  let left = min;
  for (const [i] of [...fits.entries()].sort(([i, a], [j, b]) => b - a || i - j)) {
    sites[i]!.members = Math.min(left, fits[i]!);
    left -= sites[i]!.members;
  }
  return true;
}
