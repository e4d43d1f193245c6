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
  noAccount,
  type Option,
  optionsOf,
  pathOf,
  type Wish,
  type World,
  without,
} from "./world.ts";

export type TakingRule = "T1" | "T2" | "T3";

/** The cover by which a job claims, and the rule by which it may take each holding on its own. */
export interface ClaimBasis {
  readonly cover: number;
  /** It is covered only once the work that it may take from its own account is gone. */
  readonly byOwn: boolean;
  readonly by: ReadonlyMap<Holding, TakingRule>;
}

/**
 * The ways in which a job may claim, before any set of victims is considered: by the guarantee that has room for it, and
 * by a lower one that has room once the work which it may take from its own account is gone. Both are open to it,
 * because borrowed work of others goes before its own account's [T4].
 */
export function claimBasesOf(world: World, wish: Wish, option: Option): ClaimBasis[] {
  const amount = amountOf(world, wish, option);
  const basis = (cover: number, byOwn: boolean): ClaimBasis => {
    const by = new Map<Holding, TakingRule>();
    for (const holding of world.holdings) {
      const rule = ruleFor(world, wish, cover, holding);
      if (rule !== undefined) by.set(holding, rule);
    }
    return { cover, byOwn, by };
  };
  const plain = coverFor(world, wish.account, amount, stayingOf);
  const bases = plain === noAccount && !wish.preemptible ? [] : [basis(plain, false)];
  for (const at of pathOf(world, wish.account)) {
    if (at === plain) break;
    if (isCoveredLessOwn(world, wish, amount, at)) bases.push(basis(at, true));
  }
  return bases;
}

/** Whether an account would cover the job, judged on what stays now without all that it may take from its own account. */
function isCoveredLessOwn(world: World, wish: Wish, amount: Amount, at: number): boolean {
  const own = world.holdings.filter((holding) => ruleFor(world, wish, at, holding) === "T3");
  return isWithin(world, at, plus(stayingOf(without(world, own), at), amount));
}

function ruleFor(world: World, wish: Wish, cover: number, holding: Holding): TakingRule | undefined {
  if (!holding.preemptible || holding.leaving) return undefined; // C4
  const young = world.now - holding.since < world.minRuntimeMs; // T8
  if (holding.account === wish.account) {
    // Extra members come after all waiting minimums, whatever the priority [P1].
    if (holding.extra) return "T3";
    const lower = holding.priority < wish.priority;
    const equal = holding.priority === wish.priority && !wish.preemptible && holding.cover === noAccount;
    const covered = holding.cover !== noAccount;
    const asLow = cover !== noAccount && isInside(world, cover, holding.cover);
    return (lower || equal) && (!covered || asLow) && !young ? "T3" : undefined;
  }
  const exposed = holding.cover === noAccount || isInside(world, wish.account, holding.cover); // C2
  if (!exposed) return undefined;
  if (cover !== noAccount && !isInside(world, holding.account, cover)) return "T1";
  if (world.rebalance === "off") return undefined;
  if (holding.extra) return "T2"; // as above; shrinking evicts no job
  if (young || isShielded(world, holding)) return undefined;
  return world.rebalance === "on" || holding.checkpointMs !== undefined ? "T2" : undefined;
}

/** Evicted three times within an hour, the last time less than an hour ago [T8]. */
function isShielded(world: World, { evictedAt }: Holding): boolean {
  const [first, , last] = evictedAt.slice(-3);
  return first !== undefined && last !== undefined && last - first <= hour && world.now - last < hour;
}

/** The side of `at` that an account is on; `noAccount` for `at` itself: a job of it is a side of its own. */
export function sideOf(world: World, account: number, at: number): number {
  return pathOf(world, account).find((each) => world.accounts[each]!.above === at && each !== at) ?? noAccount;
}

const unfair = "[T2] the side of";

/** Why exactly this set may not be taken on this basis, each with its rule; empty = it may. */
export function faultsOfSet(
  world: World,
  wish: Wish,
  option: Option,
  { cover, byOwn, by }: ClaimBasis,
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
    // A guarantee filled by other work of the claimant's account is no reason to take from others. And if burst work
    // could replace covered work, the guarantee would be free to be claimed again, without end.
    const least = by.get(victim) === "T1" && byOwn ? cover : by.get(victim) !== "T1" ? victim.cover : noAccount;
    if (least !== noAccount && (covering === noAccount || !isInside(world, covering, least))) {
      faults.push(`[${by.get(victim)}] it takes ${victim.job} and is not covered as low once it runs`);
    }
  }
  return faults;
}

/** Whether the set is allowed on some basis. */
export function isLegal(world: World, wish: Wish, option: Option, set: readonly Holding[]): boolean {
  const bases = claimBasesOf(world, wish, option);
  return bases.some(
    (basis) =>
      faultsOfSet(world, wish, option, basis, set).length === 0 &&
      // A claimant that a floor would hold without its own account's work may take less of that work [T5].
      (bases.some(({ byOwn }) => byOwn) || !set.some((one) => onlyLowers(world, wish, option, basis, one, set))),
  );
}

/** Whether one of the claimant's own account goes only so that its side is small enough to take from others [T14]. */
function onlyLowers(
  world: World,
  wish: Wish,
  option: Option,
  basis: ClaimBasis,
  one: Holding,
  set: readonly Holding[],
): boolean {
  if (basis.by.get(one) !== "T3") return false;
  const others = set.filter((each) => each !== one);
  if (!isEnough(world, wish, option, others)) return false;
  const faults = faultsOfSet(world, wish, option, basis, others);
  return faults.length > 0 && faults.every((fault) => fault.startsWith(unfair));
}

/** Accounts that lose more than they have borrowed: before their last loss they would be within their guarantee [T5]. */
function exhausted(world: World, wish: Wish, by: ClaimBasis["by"], set: readonly Holding[]): string[] {
  const others = set.filter((victim) => by.get(victim) !== "T3");
  const losing = new Set<number>();
  for (const { account } of others) {
    const common = lowestCommon(world, account, wish.account);
    for (const at of pathOf(world, account)) if (at !== common && isInside(world, at, common)) losing.add(at);
  }
  const faults: string[] = [];
  for (const account of losing) {
    const from = others.filter((victim) => isInside(world, victim.account, account));
    // The order of the losses is free, so it is enough if one of them can be the last.
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

/** Whether the side that loses this victim ends with no smaller share than the claimant's side [T2]. */
function isFair(world: World, after: World, wish: Wish, option: Option, victim: Holding): boolean {
  const at = lowestCommon(world, victim.account, wish.account);
  const amount = amountOf(world, wish, option);
  const [theirs, ours] = [sideOf(world, victim.account, at), sideOf(world, wish.account, at)];
  const left: Share =
    theirs === noAccount ? shareOfJob(world, nothing(world)) : shareOf(world, theirs, stayingOf(after, theirs));
  const mine: Share =
    ours === noAccount ? shareOfJob(world, amount) : shareOf(world, ours, plus(stayingOf(after, ours), amount));
  const weight = (side: number) => (side === noAccount ? 1 : world.accounts[side]!.quota.weight);
  // A side of weight 0 may lose all that it borrowed, and no more.
  const gpusLeft = (side: number) =>
    stayingOf(after, side)
      .slice(0, world.models.length)
      .reduce((a, b) => a + b, 0);
  const keepsFloor = theirs !== noAccount && gpusLeft(theirs) >= sum(world.accounts[theirs]!.quota.guarantee);
  if (weight(theirs) === 0 && weight(ours) > 0 && keepsFloor) return true;
  // Equal shares are enough only if the losing side's share falls [T11].
  const order = compareShares(left, mine);
  const falls = theirs === noAccount || compareShares(left, shareOf(world, theirs, stayingOf(world, theirs))) < 0;
  return order > 0 || (order === 0 && falls);
}

/** Whether the claimant could start without this set: ceilings, lending, class and seats. */
export function isEnough(world: World, wish: Wish, option: Option, set: readonly Holding[]): boolean {
  const after = without(world, set);
  if (!hasRoom(after, wish, option)) return false;
  const amount = amountOf(world, wish, option);
  if (overMax(after, wish.account, amount, stayingOf) !== undefined) return false;
  if (coverFor(after, wish.account, amount, stayingOf) !== noAccount) return true;
  return wish.preemptible && isLent(after, wish.account, amount);
}

/** The alternative with which the job could start on free seats now; undefined = none. */
export function startable(world: World, wish: Wish): Option | undefined {
  if (isConfidential(world, wish.account)) return startableWhole(world, wish);
  return optionsOf(world, wish).find((option) => mayStart(world, wish, option) && hasRoom(world, wish, option));
}

/** Whether ceilings, lending and class allow a start; seats are not considered. */
export function mayStart(world: World, wish: Wish, option: Option): boolean {
  const amount = amountOf(world, wish, option);
  if (overMax(world, wish.account, amount) !== undefined) return false;
  if (coverFor(world, wish.account, amount) !== noAccount) return true;
  return wish.preemptible && isLent(world, wish.account, amount);
}
