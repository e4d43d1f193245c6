import { hour } from "@tessera/core/model";
import { type Amount, amountOf, beyondGuarantee, isWithin, nothing, plus, stayingOf, sum } from "./amount.ts";
import { coverFor, isLent, overMax } from "./quota.ts";
import { hasRoom } from "./room.ts";
import { compareShares, type Share, shareOf, shareOfJob } from "./share.ts";
import { startableWhole } from "./whole-claim.ts";
import { isConfidential } from "./whole-node.ts";
import {
  type Holding,
  isInside,
  lowestCommon,
  nobody,
  type Option,
  optionsOf,
  pathOf,
  type Wish,
  type World,
  without,
} from "./world.ts";

export type TakingRule = "T1" | "T2" | "T3";

/** As what a job claims, and which holdings it may take by which rule, each seen alone. */
export interface Standing {
  readonly cover: number;
  /** It is covered only less what it may take from its own account. */
  readonly byOwn: boolean;
  readonly by: ReadonlyMap<Holding, TakingRule>;
}

/**
 * The ways in which a job may claim, before any set is looked at: as what its guarantees have room for, and, where one
 * lower down would hold it but for what it may take from its own account, standing on that. Both are open to it, since
 * others' borrowed work goes before its own [T4].
 */
export function standingsOf(world: World, wish: Wish, option: Option): Standing[] {
  const amount = amountOf(world, wish, option);
  const standing = (cover: number, byOwn: boolean): Standing => {
    const by = new Map<Holding, TakingRule>();
    for (const holding of world.holdings) {
      const rule = ruleFor(world, wish, cover, holding);
      if (rule !== undefined) by.set(holding, rule);
    }
    return { cover, byOwn, by };
  };
  const plain = coverFor(world, wish.account, amount, stayingOf);
  const standings = plain === nobody && !wish.preemptible ? [] : [standing(plain, false)];
  for (const at of pathOf(world, wish.account)) {
    if (at === plain) break;
    if (isCoveredLessOwn(world, wish, amount, at)) standings.push(standing(at, true));
  }
  return standings;
}

/** Whether an account would cover it, judged on what stays now less all that it may take from its own account. */
function isCoveredLessOwn(world: World, wish: Wish, amount: Amount, at: number): boolean {
  const own = world.holdings.filter((holding) => ruleFor(world, wish, at, holding) === "T3");
  return isWithin(world, at, plus(stayingOf(without(world, own), at), amount));
}

function ruleFor(world: World, wish: Wish, cover: number, holding: Holding): TakingRule | undefined {
  if (!holding.preemptible || holding.leaving) return undefined; // C4
  const young = world.now - holding.since < world.minRuntimeMs; // T8
  if (holding.account === wish.account) {
    // Growth comes after all waiting minimums, whatever the priority [P1].
    if (holding.extra) return "T3";
    const lower = holding.priority < wish.priority;
    const equal = holding.priority === wish.priority && !wish.preemptible && holding.cover === nobody;
    const covered = holding.cover !== nobody;
    const asLow = cover !== nobody && isInside(world, cover, holding.cover);
    return (lower || equal) && (!covered || asLow) && !young ? "T3" : undefined;
  }
  const exposed = holding.cover === nobody || isInside(world, wish.account, holding.cover); // C2
  if (!exposed) return undefined;
  if (cover !== nobody && !isInside(world, holding.account, cover)) return "T1";
  if (world.rebalance === "off") return undefined;
  if (holding.extra) return "T2"; // as above; to shrink is not to evict
  if (young || isShielded(world, holding)) return undefined;
  return world.rebalance === "on" || holding.checkpointMs !== undefined ? "T2" : undefined;
}

/** Taken three times within an hour, and the last of them less than an hour ago [T8]. */
function isShielded(world: World, { evictedAt }: Holding): boolean {
  const [first, , last] = evictedAt.slice(-3);
  return first !== undefined && last !== undefined && last - first <= hour && world.now - last < hour;
}

/** The side of `at` that an account is on; `nobody` for `at` itself: a job of it is a side of its own. */
export function sideOf(world: World, account: number, at: number): number {
  return pathOf(world, account).find((each) => world.accounts[each]!.above === at && each !== at) ?? nobody;
}

const unfair = "[T2] the side of";

/** What forbids taking exactly this set in this standing, as rules with the reason; empty = nothing does. */
export function faultsOfSet(
  world: World,
  wish: Wish,
  option: Option,
  { cover, byOwn, by }: Standing,
  set: readonly Holding[],
): string[] {
  const faults: string[] = [];
  const after = without(world, set);
  for (const victim of set) {
    if (!by.has(victim)) faults.push(`no rule lets it take ${victim.job}`);
    if (!victim.extra && world.holdings.some((each) => each.job === victim.job && each.extra && !set.includes(each))) {
      faults.push(`[T5] ${victim.job} is not taken whole`);
    }
  }
  faults.push(...exhausted(world, wish, by, set));
  for (const victim of set) {
    if (by.get(victim) === "T2" && !isFair(world, after, wish, option, victim)) {
      faults.push(`${unfair} ${victim.job} ends below the claimant's`);
    }
  }
  const covering = coverFor(after, wish.account, amountOf(world, wish, option), stayingOf);
  for (const victim of set) {
    // A floor that its own account's other work fills is no floor to claim from others. And if burst work could take the
    // place of covered work, the floor would be free to be claimed again, and so on without end.
    const least = by.get(victim) === "T1" && byOwn ? cover : by.get(victim) !== "T1" ? victim.cover : nobody;
    if (least !== nobody && (covering === nobody || !isInside(world, covering, least))) {
      faults.push(`[${by.get(victim)}] it takes ${victim.job} and is not covered as low once it runs`);
    }
  }
  return faults;
}

/** Whether the set is allowed in some standing. */
export function isLegal(world: World, wish: Wish, option: Option, set: readonly Holding[]): boolean {
  const standings = standingsOf(world, wish, option);
  return standings.some(
    (standing) =>
      faultsOfSet(world, wish, option, standing, set).length === 0 &&
      // A claimant that a floor would hold without its own account's work may take less of that work [T5].
      (standings.some(({ byOwn }) => byOwn) || !set.some((one) => onlyLowers(world, wish, option, standing, one, set))),
  );
}

/** Whether one of the claimant's own account goes only so that its side is small enough to take from others [T14]. */
function onlyLowers(
  world: World,
  wish: Wish,
  option: Option,
  standing: Standing,
  one: Holding,
  set: readonly Holding[],
): boolean {
  if (standing.by.get(one) !== "T3") return false;
  const others = set.filter((each) => each !== one);
  if (!isEnough(world, wish, option, others)) return false;
  const faults = faultsOfSet(world, wish, option, standing, others);
  return faults.length > 0 && faults.every((fault) => fault.startsWith(unfair));
}

/** Accounts that lose although they would, before their last loss, not be above their guarantee any more [T5]. */
function exhausted(world: World, wish: Wish, by: Standing["by"], set: readonly Holding[]): string[] {
  const others = set.filter((victim) => by.get(victim) !== "T3");
  const losing = new Set<number>();
  for (const { account } of others) {
    const common = lowestCommon(world, account, wish.account);
    for (const at of pathOf(world, account)) if (at !== common && isInside(world, at, common)) losing.add(at);
  }
  const faults: string[] = [];
  for (const account of losing) {
    const from = others.filter((victim) => isInside(world, victim.account, account));
    // The order in which they are taken is free, so some one of them may be the last.
    const fine = from.some((last) => {
      const before = stayingOf(
        without(
          world,
          from.filter((each) => each !== last),
        ),
        account,
      );
      return beyondGuarantee(world, account, before).some((beyond) => beyond > 0);
    });
    if (!fine) faults.push(`[T5] ${world.accounts[account]!.path} loses more than it has beyond its guarantee`);
  }
  return faults;
}

/** Whether the side that loses this victim stands no lower than the claimant's once it runs [T2]. */
function isFair(world: World, after: World, wish: Wish, option: Option, victim: Holding): boolean {
  const at = lowestCommon(world, victim.account, wish.account);
  const amount = amountOf(world, wish, option);
  const [theirs, ours] = [sideOf(world, victim.account, at), sideOf(world, wish.account, at)];
  const left: Share =
    theirs === nobody ? shareOfJob(world, nothing(world)) : shareOf(world, theirs, stayingOf(after, theirs));
  const mine: Share =
    ours === nobody ? shareOfJob(world, amount) : shareOf(world, ours, plus(stayingOf(after, ours), amount));
  const weight = (side: number) => (side === nobody ? 1 : world.accounts[side]!.quota.weight);
  // It may lose all that it borrowed, and no more.
  const gpusLeft = (side: number) =>
    stayingOf(after, side)
      .slice(0, world.models.length)
      .reduce((a, b) => a + b, 0);
  const keepsFloor = theirs !== nobody && gpusLeft(theirs) >= sum(world.accounts[theirs]!.quota.guarantee);
  if (weight(theirs) === 0 && weight(ours) > 0 && keepsFloor) return true;
  // To end level is enough only for a side whose share falls by it [T11].
  const order = compareShares(left, mine);
  const falls = theirs === nobody || compareShares(left, shareOf(world, theirs, stayingOf(world, theirs))) < 0;
  return order > 0 || (order === 0 && falls);
}

/** Whether the claimant could start if this set were gone: ceilings, lending, class and seats. */
export function isEnough(world: World, wish: Wish, option: Option, set: readonly Holding[]): boolean {
  const after = without(world, set);
  if (!hasRoom(after, wish, option)) return false;
  const amount = amountOf(world, wish, option);
  if (overMax(after, wish.account, amount, stayingOf) !== undefined) return false;
  if (coverFor(after, wish.account, amount, stayingOf) !== nobody) return true;
  return wish.preemptible && isLent(after, wish.account, amount);
}

/** Whether the job could start on what is free now, and how. */
export function startable(world: World, wish: Wish): Option | undefined {
  if (isConfidential(world, wish.account)) return startableWhole(world, wish);
  return optionsOf(world, wish).find((option) => mayStart(world, wish, option) && hasRoom(world, wish, option));
}

/** Ceilings, lending and class, without asking for seats. */
export function mayStart(world: World, wish: Wish, option: Option): boolean {
  const amount = amountOf(world, wish, option);
  if (overMax(world, wish.account, amount) !== undefined) return false;
  if (coverFor(world, wish.account, amount) !== nobody) return true;
  return wish.preemptible && isLent(world, wish.account, amount);
}
