import { must } from "@tessera/core/model";
import { type Amount, amountOf, beyondGuarantee, coveredBelow, isWithin, plus, usageOf } from "./amount.ts";
import { isCounted, victimsFor } from "./counts.ts";
import { type Fault, rule } from "./fault.ts";
import { isSameWish, nextOf } from "./order.ts";
import { faultOfGpu, faultOfNode } from "./part.ts";
import { coverFor, exceedsMax, isLent, overMax } from "./quota.ts";
import { compareLists, faultOfSeats, leastSpread, spreadOf } from "./room.ts";
import { type Bounds, type FoundClaim, findClaim } from "./search.ts";
import { claimBasesOf, faultsOfSet, isEnough, isLegal, startable, type TakingRule } from "./take.ts";
import { delayedBy, judgeGap, judgePlans } from "./time.ts";
import { nodesFor, wholeOn } from "./whole-claim.ts";
import { isConfidential, tenantOf } from "./whole-node.ts";
import {
  type Holding,
  isInside,
  noAccount,
  type Option,
  onceLeft,
  optionsOf,
  pathOf,
  type Seat,
  type Wish,
  type World,
  without,
} from "./world.ts";

/** A start as the scheduler decided it. */
export interface Start {
  readonly wish: Wish;
  readonly choice: number;
  readonly seats: readonly Seat[];
  readonly cover: number;
  /** The seats were held for it by a claim. */
  readonly claimed: boolean;
  /** It ran elsewhere and was moved [T9]. */
  readonly moved?: boolean;
}

/** A claim as the scheduler decided it. */
export interface Claim {
  readonly wish: Wish;
  readonly choice: number;
  readonly seats: readonly Seat[];
  readonly victims: readonly Holding[];
}

/** The faults of a start, in the world just before it; that world has no seats held for the job itself. */
export function judgeStart(world: World, start: Start, bounds: Bounds, earlier: readonly World[] = []): Fault[] {
  const { wish, seats, cover, claimed } = start;
  const option = optionFor(world, wish, start.choice, seats);
  if (option === undefined) return [rule(`${wish.job} starts as no alternative that it asked for`)];
  const faults: Fault[] = [];
  const bad = faultOfSeats(world, wish, option, seats);
  if (bad !== undefined) faults.push({ kind: bad.kind, what: `${wish.job}: ${bad.what}` });
  const amount = amountOf(world, wish, option);
  const whole = isConfidential(world, wish.account) ? wholeOn(world, wish, option, seats) : undefined;
  const over = whole === undefined ? overMax(world, wish.account, amount) : whole.over;
  if (over !== undefined) {
    faults.push({ kind: "max", what: `[C5] ${wish.job} brings ${world.accounts[over]!.path} above its max` });
  }
  const covering = whole?.cover ?? coverFor(world, wish.account, amount);
  // A moved job keeps its class [T9].
  const kept = claimed && isCoveredStill(world, cover, amount);
  if (cover !== covering && !start.moved && !kept) {
    faults.push(rule(`[C1] ${wish.job} starts covered by ${named(world, cover)}, not ${named(world, covering)}`));
  }
  if (cover === noAccount && !wish.preemptible)
    faults.push(rule(`[C4] ${wish.job} is not preemptible and starts as burst`));
  if (claimed || faults.length > 0) return faults;
  if (whole !== undefined && wish.members === 1) {
    const nodes = nodesFor(world, wish, option);
    if (!nodes.some(({ node }) => node === seats[0]!.node))
      faults.push(rule(`[U3] ${wish.job} opens a node and there is room on one of its tenant's`));
  }
  if (cover === noAccount && !(whole?.isLent ?? isLent(world, wish.account, amount))) {
    faults.push(rule(`[C5] ${wish.job} uses an unlent guarantee`));
  }
  const isSpread = wish.members > 1 && whole === undefined && option.part === undefined;
  if (isSpread && world.planned.length === 0 && world.nodes.length <= 10) {
    const least = leastSpread(world, wish, option)!;
    const spread = spreadOf(world, new Set(seats.map((seat) => seat.node)));
    if (compareLists(least, spread) < 0) faults.push(rule(`[P2] ${wish.job} spans ${spread} and could span ${least}`));
  }
  return [...faults, ...judgeGap(world, wish, seats, earlier.length <= 1), ...judgeTurn(world, wish, bounds, earlier)];
}

/** Whether the guarantee by which a job claimed still has room for it beside the work that it covers itself [C4]. */
function isCoveredStill(world: World, cover: number, amount: Amount): boolean {
  if (cover === noAccount) return false;
  // Jobs that started below on a guarantee of their own do not count: the claimant then falls as it starts [C3].
  const below = world.holdings.filter((holding) => holding.cover !== cover);
  return isWithin(world, cover, plus(coveredBelow(without(world, below), cover), amount));
}

/** The faults of a claim, in the world just before it. */
export function judgeClaim(now: World, claim: Claim, bounds: Bounds, earlier: readonly World[] = []): Fault[] {
  const world = onceLeft(now);
  const { wish, seats, victims } = claim;
  const option = optionFor(world, wish, claim.choice, seats);
  if (option === undefined) return [rule(`${wish.job} claims as no alternative that it asked for`)];
  if (startable(now, wish) !== undefined) {
    return [{ kind: "useless", what: `[T6] ${wish.job} could start without a victim` }];
  }
  // Seats of stopping jobs may be held for a covered claimant [T7].
  const keeps = victims.length === 0 && coverFor(world, wish.account, amountOf(world, wish, option)) !== noAccount;
  // The rules leave open which nodes a confidential tenant gets, and with it whether a guarantee covers it there.
  if (startable(world, wish) !== undefined && !keeps && !isConfidential(world, wish.account)) {
    return [
      {
        kind: "useless",
        what: `[T5] ${wish.job} takes ${names(victims)} and would fit once the stopping jobs have stopped`,
      },
    ];
  }
  if (isConfidential(world, wish.account)) return judgeWholeClaim(world, claim, option);
  const faults: Fault[] = [];
  const bases = claimBasesOf(world, wish, option);
  const after = without(world, victims);
  const bad = faultOfSeats(after, wish, option, seats);
  if (bad !== undefined) faults.push({ kind: bad.kind, what: `${wish.job} claims: ${bad.what}` });
  faults.push(...judgeVictims(world, wish, victims));
  if (faults.length > 0) return faults;
  if (!isLegal(world, wish, option, victims)) {
    const why = bases.map((basis) => faultsOfSet(world, wish, option, basis, victims));
    const [least = ["[C4] it would be burst and must not be"]] = why.sort((a, b) => a.length - b.length);
    faults.push(rule(`${wish.job}: ${least[0] ?? "[T14] some of its own account go only to lower its side"}`));
  }
  if (!isEnough(world, wish, option, victims)) {
    faults.push({ kind: "useless", what: `[T6] ${wish.job} cannot start when its victims are gone` });
  }
  const fewer = spared(world, wish, option, victims);
  if (fewer !== undefined) {
    faults.push({ kind: "useless", what: `[T5] ${wish.job} needs only ${names(fewer)} of ${names(victims)}` });
  }
  if (faults.length > 0) return faults;
  // If several victims are needed, for the cover or for unlent guarantees, the rules leave open which.
  if (isCounted(world) && victims.length === 1) {
    const best = victimsFor(world, wish);
    if (best.length > 0 && !best.includes(victims[0]!)) {
      faults.push(rule(`[T5] ${wish.job} takes ${names(victims)} and not one of ${names(best)}`));
    }
  } else if (!bases.some(({ byOwn }) => byOwn) && victims.some(({ account }) => account === wish.account)) {
    const others = claimDue(world, wish, bounds, ["T1", "T2"]);
    if (others !== undefined) {
      faults.push(rule(`[T4] ${wish.job} takes from its own account and could take ${names(others.set)}`));
    }
  }
  return [...faults, ...judgeTurn(now, wish, bounds, earlier)];
}

/** The faults of a claim of a confidential tenant: it claims only for a guarantee, and only whole nodes [U3]. */
function judgeWholeClaim(world: World, { wish, seats, victims }: Claim, option: Option): Fault[] {
  const after = without(world, victims);
  const bad = faultOfSeats(after, wish, option, seats);
  if (bad !== undefined) return [{ kind: bad.kind, what: `${wish.job} claims: ${bad.what}` }];
  const faults = judgeVictims(world, wish, victims);
  const { over, cover } = wholeOn(after, wish, option, seats);
  if (over !== undefined)
    faults.push({ kind: "max", what: `[C5] ${wish.job} claims beyond ${named(world, over)}'s max` });
  if (cover === noAccount) faults.push(rule(`[U3] ${wish.job} claims, and no guarantee covers it`));
  const nodes = new Set(seats.map(({ node }) => node));
  for (const victim of victims) {
    const others = tenantOf(world, victim.account) !== tenantOf(world, wish.account);
    if (others && !victim.seats.some(({ node }) => nodes.has(node)))
      faults.push({ kind: "useless", what: `[T5] ${wish.job} takes ${victim.job} on a node that it does not use` });
  }
  return faults;
}

/** The victims that no claim of this job may take in any state. */
export function judgeVictims(world: World, wish: Wish, victims: readonly Holding[]): Fault[] {
  const faults: Fault[] = [];
  for (const victim of victims) {
    const forbidden = victim.cover !== noAccount && !isInside(world, wish.account, victim.cover);
    const what = `[C2] ${victim.job} is covered by ${named(world, victim.cover)} and taken for ${wish.job}`;
    if (forbidden) faults.push({ kind: "floor", what });
    if (!victim.preemptible) faults.push({ kind: "floor", what: `[C4] ${victim.job} is taken and is not preemptible` });
  }
  return faults;
}

/** A proper subset of the victims that would have been enough and allowed. */
function spared(world: World, wish: Wish, option: Option, victims: readonly Holding[]) {
  const enough = (set: readonly Holding[]) => isEnough(world, wish, option, set) && isLegal(world, wish, option, set);
  if (victims.length > 10) {
    return victims.map((spare) => victims.filter((each) => each !== spare)).find(enough);
  }
  for (let set = 0; set < 2 ** victims.length - 1; set++) {
    const part = victims.filter((_, i) => (set >> i) & 1);
    if (enough(part)) return part;
  }
  return undefined;
}

/**
 * Whether a job before this one in the order could have started or claimed instead [O1, O2, O3]. A job that cannot does
 * not block others [O4]; the rules leave open whether it still represents its account until its turn.
 */
function judgeTurn(world: World, wish: Wish, bounds: Bounds, earlier: readonly World[]): Fault[] {
  const chances = new Map(world.wishes.map((each) => [each, each === wish ? "" : chanceOf(world, each, bounds)]));
  const inTurn = firstAble(world, wish, chances);
  if (inTurn === undefined) return [];
  if (
    nextOf(
      world,
      [...chances.keys()].filter((each) => chances.get(each) !== undefined),
    ) === wish
  )
    return [];
  const withoutUnable = (mayBeSkipped: (unable: Wish) => boolean) =>
    world.wishes.filter((each) => chances.get(each) !== undefined || !mayBeSkipped(each));
  const readings = [
    ...pathOf(world, wish.account).map((at) => withoutUnable((each) => isInside(world, each.account, at))),
    ...pathOf(world, inTurn.account).map((at) => withoutUnable((each) => !isInside(world, each.account, at))),
  ];
  if (readings.some((wishes) => firstAble({ ...world, wishes }, wish, chances) === undefined)) return [];
  // A job whose claim became fair only by later starts of this pass is tried again in the next one.
  const able = (then: World) => {
    const same = then.wishes.find((each) => each.no === inTurn.no);
    return same !== undefined && chanceOf(then, same, bounds) !== undefined;
  };
  // So is a job of a confidential tenant for which another of its jobs has just opened a node.
  const late = startable(world, inTurn) === undefined || isConfidential(world, inTurn.account);
  if (late && !earlier.every(able)) return [];
  return [rule(`[O] ${wish.job} goes before ${inTurn.job}, which can ${chances.get(inTurn)}`)];
}

/** The first job in the order that can start or claim, if it comes before `wish`. */
function firstAble(world: World, wish: Wish, chances: ReadonlyMap<Wish, string | undefined>): Wish | undefined {
  for (let left = world.wishes; ; ) {
    const next = nextOf(world, left);
    if (next === undefined || next === wish) return undefined;
    if (chances.get(next) !== undefined) return next;
    left = left.filter((each) => !isSameWish(each, next));
  }
}

/** What a waiting job can do now, in words; undefined = nothing. */
function chanceOf(world: World, wish: Wish, bounds: Bounds): string | undefined {
  if (startable(world, wish) !== undefined) return world.planned.length > 0 ? undefined : "start";
  // While jobs are stopping, the possible claims change within one pass, so none is demanded.
  const claim = isQuiet(world) ? claimDue(world, wish, bounds) : undefined;
  return claim === undefined ? undefined : `take ${names(claim.set)}`;
}

/** A claim that the scheduler must find; of claims by T2, only those with one victim [T2]. */
function claimDue(
  world: World,
  wish: Wish,
  bounds: Bounds,
  rules: readonly TakingRule[] = ["T1", "T2", "T3"],
): FoundClaim | undefined {
  if (isConfidential(world, wish.account)) return undefined; // the rules leave open which nodes it gets
  const claim = findClaim(world, wish, bounds, rules);
  if (typeof claim !== "object") return undefined;
  // It must not delay a plan ahead of it in its own account [O4].
  if (delayedBy(world, wish, claim) !== "none") return undefined;
  const jobs = new Set(claim.set.map(({ job }) => job));
  return rulesOf(claim).includes("T2") && jobs.size > 1 ? undefined : claim;
}

function rulesOf({ set, basis }: FoundClaim): string {
  return [...new Set(set.map((victim) => basis.by.get(victim)!))].sort().join("+");
}

/** No job is stopping. */
function isQuiet(world: World): boolean {
  return !world.holdings.some((each) => each.leaving);
}

/** The faults of a world in which the scheduler has nothing more to do. */
export function judgeRest(world: World, bounds: Bounds): Fault[] {
  const faults: Fault[] = [];
  const seen: Wish[] = [];
  for (const wish of world.wishes) {
    if (seen.some((each) => isSameWish(each, wish))) continue;
    seen.push(wish);
    if (startable(world, wish) !== undefined) {
      if (world.planned.length === 0) faults.push(rule(`[O4] ${wish.job} waits and could start`));
      continue;
    }
    const claim = isQuiet(world) ? claimDue(world, wish, bounds) : undefined;
    if (claim === undefined) continue;
    const rules = rulesOf(claim);
    const what = `[${rules}] ${wish.job} waits and could take ${names(claim.set)}`;
    faults.push({ kind: rules === "T1" ? "floor" : "rule", what });
  }
  return [...faults, ...judgePlans(world), ...judgeClasses(world)];
}

/** The classes that disagree with the guarantees [C3]. */
export function judgeClasses(world: World): Fault[] {
  const faults: Fault[] = [];
  for (const holding of world.holdings) {
    if (holding.cover !== noAccount || holding.extra || holding.leaving) continue;
    const level = pathOf(world, holding.account).find((at) => isWithin(world, at, usageOf(world, at)));
    if (level !== undefined) {
      faults.push(rule(`[C3] ${holding.job} is burst, and ${named(world, level)} is within its guarantee`));
    }
  }
  for (const account of world.accounts.keys()) {
    if (isWithin(world, account, coveredBelow(world, account))) continue;
    const own = world.holdings.filter((holding) => holding.cover === account);
    if (own.some((holding) => isPartOfExcess(world, account, holding)))
      faults.push(rule(`[C3] ${named(world, account)} covers more than its guarantee`));
  }
  return faults;
}

/** Whether a holding is a part of what its account covers beyond the guarantee; otherwise it keeps its class [C3]. */
function isPartOfExcess(world: World, account: number, holding: Holding): boolean {
  const beyond = (of: World) => beyondGuarantee(of, account, coveredBelow(of, account));
  return compareLists(beyond(without(world, [holding])), beyond(world)) !== 0;
}

/** Whether a job grows while a waiting job could start instead [P1]. */
export function judgeGrowth(world: World, job: string): Fault[] {
  if (world.planned.length > 0) return [];
  const first = world.wishes.find((wish) => startable(world, wish) !== undefined);
  return first === undefined ? [] : [rule(`[P1] ${job} grows, and ${first.job} waits and could start`)];
}

/** Holdings beyond a capacity or a max; must be empty at every instant, whatever was decided. */
export function judgeHoldings(now: World): Fault[] {
  const faults: Fault[] = [];
  // Seats held for a claimant are still counted with its victims.
  const world = { ...now, holds: [] };
  for (const [account, { path }] of world.accounts.entries()) {
    const held = usageOf(world, account);
    if (exceedsMax(world, account, held, held))
      faults.push({ kind: "max", what: `[C5] ${path} holds more than its max` });
  }
  for (const job of new Set(world.holdings.map((holding) => holding.job))) {
    const seats = world.holdings.flatMap((holding) => (holding.job === job ? holding.seats : []));
    const engines = new Set(seats.map((seat) => world.nodes[seat.node]!.engine));
    if (engines.size > 1) faults.push({ kind: "gang", what: `[P9] ${job} is in ${[...engines].join(" and ")}` });
  }
  for (const [no, node] of world.nodes.entries()) {
    for (const fault of [...node.gpus.map((gpu) => faultOfGpu(world, no, gpu)), faultOfNode(now, no)])
      if (fault !== undefined) faults.push(fault);
    const here = world.holdings.flatMap((holding) =>
      holding.seats.filter((seat) => seat.node === no).map(() => holding),
    );
    const cpus = here.reduce((total, { cpusMilli }) => total + cpusMilli, 0);
    const memory = here.reduce((total, { memoryMiB }) => total + memoryMiB, 0);
    if (cpus > node.cpusMilli || memory > node.memoryMiB) {
      faults.push({ kind: "capacity", what: `node ${node.name} holds more cores or memory than it has` });
    }
  }
  return faults;
}

function optionFor(world: World, wish: Wish, choice: number, seats: readonly Seat[]): Option | undefined {
  const model = seats[0] === undefined ? -1 : world.nodes[seats[0].node]!.model;
  return optionsOf(world, wish).find((option) => option.choice === choice && option.model === model);
}

function named(world: World, account: number): string {
  return account === noAccount ? "no account" : must(world.accounts[account], "an account is missing").path;
}

function names(set: readonly Holding[]): string {
  return `{${set.map((each) => (each.extra ? `${each.job}+` : each.job)).join(", ")}}`;
}
