import type { Instant } from "@tessera/core/model";
import { amountOf, coveredBelow, isWithin, stayingOf, usageOf } from "./amount.ts";
import { isSameWish, nextOf } from "./order.ts";
import { coverFor } from "./quota.ts";
import { freeRoom } from "./room.ts";
import { findClaim } from "./search.ts";
import { compareShares, type Share, shareOf, shareOfJob } from "./share.ts";
import { type ClaimBasis, claimBasesOf, faultsOfSet, isEnough, sideOf, startable } from "./take.ts";
import {
  type Holding,
  isInside,
  noAccount,
  onceLeft,
  optionsOf,
  pathOf,
  root,
  type Wish,
  type World,
  without,
} from "./world.ts";

/**
 * Whether the rules determine what happens, and not only what is allowed: one node, and each job needs one GPU.
 */
export function isCounted(world: World): boolean {
  const one = (seats: readonly { readonly gpus: readonly number[] }[]) =>
    seats.length === 1 && seats[0]!.gpus.length === 1;
  return (
    world.nodes.length === 1 &&
    world.accounts.every(({ trust }) => trust !== "confidential") &&
    world.planned.length === 0 &&
    !world.holdings.some((each) => each.extra) &&
    [...world.holdings, ...world.holds].every(
      (each) => one(each.seats) && each.part === undefined && each.cpusMilli === 0 && each.memoryMiB === 0,
    ) &&
    world.wishes.every(isOneGpu)
  );
}

function isOneGpu({ asks, members, elastic, cpusMilli, memoryMiB }: Wish): boolean {
  const [ask] = asks;
  const whole = asks.length === 1 && ask!.gpus === 1 && ask!.part === undefined;
  return whole && members === 1 && !elastic && cpusMilli === 0 && memoryMiB === 0;
}

/** Time since the last checkpoint, or since the start. */
export function lostMs({ startedAt, checkpointMs }: Holding, now: Instant): number {
  if (startedAt === 0) return 0;
  return checkpointMs === undefined ? now - startedAt : (now - startedAt) % checkpointMs;
}

/** The possible victims of the next claim [T4, T5]: all that are equally good; none if the job may not claim. */
export function victimsFor(now: World, wish: Wish): Holding[] {
  const world = onceLeft(now);
  const option = optionsOf(world, wish)[0];
  if (option === undefined || startable(world, wish) !== undefined) return [];
  const able = (basis: ClaimBasis) =>
    [...basis.by.keys()].filter(
      (holding) =>
        isEnough(world, wish, option, [holding]) && faultsOfSet(world, wish, option, basis, [holding]).length === 0,
    );
  const bases = claimBasesOf(world, wish, option);
  // If the job can claim with or without its own account's guarantee, the rules leave open which it does.
  if (bases.some(({ byOwn }) => byOwn)) return [...new Set(bases.flatMap(able))];
  return bases.flatMap((basis) => {
    const by = (rule: string) => able(basis).filter((holding) => basis.by.get(holding) === rule);
    const others = [...leastLost(world, by("T1")), ...ofLargestShare(world, root, by("T2"))];
    return others.length > 0 ? others : firstOffer(world, by("T3"));
  });
}

/** The holding that an account gives up first. */
function firstOffer(world: World, holdings: readonly Holding[]): Holding[] {
  return [...holdings].sort((a, b) => compareOffers(a, b, world.now)).slice(0, 1);
}

function compareOffers(a: Holding, b: Holding, now: Instant): number {
  if (a.extra !== b.extra) return a.extra ? -1 : 1;
  return a.priority - b.priority || lostMs(a, now) - lostMs(b, now) || b.no - a.no;
}

function leastLost(world: World, holdings: readonly Holding[]): Holding[] {
  const accounts = new Set(holdings.map((holding) => holding.account));
  const offers = [...accounts].flatMap((account) =>
    firstOffer(
      world,
      holdings.filter((holding) => holding.account === account),
    ),
  );
  const least = Math.min(...offers.map((offer) => lostMs(offer, world.now)));
  return offers.filter((offer) => lostMs(offer, world.now) === least);
}

/** Descends by the largest share; returns the first offer of each account that is reached. */
function ofLargestShare(world: World, at: number, holdings: readonly Holding[]): Holding[] {
  const sides = new Map<number, Holding[]>();
  for (const holding of holdings) {
    const side = sideOf(world, holding.account, at);
    sides.set(side, [...(sides.get(side) ?? []), holding]);
  }
  const shares = [...sides].map(([side, of]) => ({ side, of, share: shareOfSide(world, side, of) }));
  const top = shares.filter(({ share }) => shares.every((other) => compareShares(share, other.share) >= 0));
  return top.flatMap(({ side, of }) => (side === noAccount ? firstOffer(world, of) : ofLargestShare(world, side, of)));
}

function shareOfSide(world: World, side: number, of: readonly Holding[]): Share {
  if (side !== noAccount) return shareOf(world, side, stayingOf(world, side));
  const wish = wishOf(of[0]!);
  return shareOfJob(world, amountOf(world, wish, optionsOf(world, wish)[0]!));
}

/** The request of a running job of one GPU, for when it waits again. */
function wishOf({ job, account, no, priority, preemptible, compute, memory, checkpointMs, evictedAt }: Holding): Wish {
  const asks = [{ model: "*", gpus: 1, compute, memory }];
  const plain = { asks, members: 1, elastic: false, apart: false, cpusMilli: 0, memoryMiB: 0 };
  return { job, account, no, priority, preemptible, checkpointMs, evictedAt, ...plain };
}

export interface Played {
  readonly world: World;
  /** The evicted jobs, in order. */
  readonly evicted: readonly Holding[];
  /** The rules left no choice, so the scheduler must end in the same state. */
  readonly determined: boolean;
}

/** Small enough for thousands of cases. */
const bounds = { victimsMax: 4, setsMax: 300 };

/** More turns than this are a livelock. */
const turnsMax = 10_000;

/**
 * Applies the rules until nothing changes. Evicted jobs stop at once, or all together when no more job can start or
 * claim: the rules leave both open.
 */
export function play(start: World, leave: "at-once" | "together"): Played {
  let world = settleClasses(start);
  let determined = true;
  const evicted: Holding[] = [];
  let closed: Wish[] = [];
  for (let turn = 0; turn < turnsMax; turn++) {
    const next = nextOf(
      world,
      world.wishes.filter((wish) => !closed.includes(wish)),
    );
    if (next === undefined) {
      if (world.holds.length === 0) return { world, evicted, determined };
      world = settleClasses(startClaimants(world));
      closed = [];
    } else if (startable(world, next) !== undefined) {
      world = settleClasses(place(world, next, freeRoom(world)[0]!.gpus[0]!));
    } else {
      const victims = victimsFor(world, next);
      // It may need several victims, for its cover or for unlent guarantees; the rules leave open which.
      if (victims.length > 1 || (victims.length === 0 && findClaim(world, next, bounds) !== "none")) determined = false;
      const victim = victims[0];
      if (victim === undefined) {
        // No equal job can start or claim either.
        closed.push(...world.wishes.filter((wish) => isSameWish(wish, next)));
      } else {
        evicted.push(victim);
        world = claim(world, next, victim);
        if (leave === "at-once") {
          world = settleClasses(startClaimants(world));
          closed = [];
        }
      }
    }
  }
  throw new Error("does not come to rest");
}

function place(world: World, wish: Wish, gpu: number): World {
  const option = optionsOf(world, wish)[0]!;
  const holding: Holding = {
    ...{ job: wish.job, account: wish.account, no: wish.no, priority: wish.priority, preemptible: wish.preemptible },
    ...{ compute: option.compute, memory: option.memory, cpusMilli: 0, memoryMiB: 0 },
    seats: [{ node: 0, gpus: [gpu] }],
    cover: coverFor(world, wish.account, amountOf(world, wish, option)),
    extra: false,
    leaving: false,
    since: world.now,
    startedAt: world.now,
    checkpointMs: wish.checkpointMs,
    evictedAt: wish.evictedAt,
  };
  const wishes = world.wishes.filter((each) => each !== wish);
  return { ...world, wishes, holdings: [...world.holdings, holding] };
}

function claim(world: World, wish: Wish, victim: Holding): World {
  const { compute, memory, seats } = victim;
  const hold = { job: wish.job, account: wish.account, seats, compute, memory, cpusMilli: 0, memoryMiB: 0, wish };
  return {
    ...world,
    wishes: world.wishes.filter((each) => each !== wish),
    holdings: world.holdings.map((each) => (each === victim ? { ...victim, leaving: true } : each)),
    holds: [...world.holds, hold],
  };
}

/** All stopping jobs have stopped and wait again; the claimants start on the seats held for them. */
function startClaimants(world: World): World {
  const leaving = world.holdings.filter((each) => each.leaving);
  let next: World = {
    ...without(world, leaving),
    wishes: [...world.wishes, ...leaving.map((each) => wishOf({ ...each, evictedAt: [...each.evictedAt, world.now] }))],
  };
  for (const hold of world.holds) {
    const { wish } = hold as typeof hold & { readonly wish: Wish };
    next = place({ ...next, holds: next.holds.filter((each) => each !== hold) }, wish, hold.seats[0]!.gpus[0]!);
  }
  return next;
}

/** Promotions and falls [C3]. */
export function settleClasses(world: World): World {
  // Lower accounts first: a job that falls there need not fall above.
  const fallen = world.accounts
    .flatMap((_, account) => (covers(world, account) ? [] : falling(world, account)))
    .reverse();
  if (fallen.length > 0) {
    const cover = noAccount;
    return settleClasses({
      ...world,
      holdings: world.holdings.map((each) => (each === fallen[0] ? { ...each, cover } : each)),
    });
  }
  const holdings = world.holdings.map((each) => {
    if (each.cover !== noAccount) return each;
    const cover = pathOf(world, each.account).find((at) => isWithin(world, at, usageOf(world, at))) ?? noAccount;
    return cover === noAccount ? each : { ...each, cover };
  });
  return holdings.some((each, i) => each !== world.holdings[i]) ? settleClasses({ ...world, holdings }) : world;
}

function covers(world: World, account: number): boolean {
  return account === root || isWithin(world, account, coveredBelow(world, account));
}

function falling(world: World, account: number): Holding[] {
  return world.holdings
    .filter((each) => each.cover === account && isInside(world, each.account, account))
    .sort((a, b) => a.priority - b.priority || b.no - a.no)
    .slice(0, 1);
}
