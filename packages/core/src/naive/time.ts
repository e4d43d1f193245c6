import type { Instant } from "../model/units.ts";
import { amountOf } from "./amount.ts";
import type { Fault } from "./judge.ts";
import { firstOf, isSameWish } from "./order.ts";
import { coverFor } from "./quota.ts";
import { freeRoom, hasRoom } from "./room.ts";
import { startable } from "./take.ts";
import { type Holding, isInside, nobody, type Option, type Plan, pathOf, type Wish, type World } from "./world.ts";

/** More plans than this are not made [B1]. */
const plansMax = 8;

/**
 * Whether the model can tell what will be free when: on one node of whole GPUs which of them a job has makes no
 * difference, so that counting is enough.
 */
export function isForeseen(world: World): boolean {
  return (
    world.nodes.length === 1 &&
    world.nodes[0]!.up &&
    world.holds.length === 0 &&
    world.accounts.every(({ trust }) => trust !== "confidential") &&
    world.holdings.every((each) => !each.leaving && !each.extra && each.part === undefined) &&
    world.wishes.every(({ elastic, asks }) => !elastic && asks.every(({ part }) => part === undefined))
  );
}

/** What is wrong with the plans and with who waits beside them, where nothing more happens now [B1, B2, B4, O4]. */
export function judgePlans(world: World): Fault[] {
  if (!isForeseen(world)) return [];
  const faults: Fault[] = [];
  const seen: Wish[] = [];
  for (const wish of [...world.wishes].sort((a, b) => b.priority - a.priority || a.no - b.no)) {
    // Of those who want the same for as long the first speaks for all.
    const { priority } = wish;
    if (seen.some((each) => isSameWish({ ...each, priority }, wish) && each.runsMs === wish.runsMs)) continue;
    seen.push(wish);
    if (startable(world, wish) !== undefined) {
      if (delayed(world, wish) === "none") faults.push(rule(`[O4] ${wish.job} waits, could start and delays no plan`));
      continue;
    }
    const earlier = plannedBefore(world, wish);
    if (earlier.length >= plansMax) continue;
    const at = world.planned.find(({ no }) => no === wish.no)?.at ?? Number.POSITIVE_INFINITY;
    const sooner = momentsOf(world, earlier).find((each) => each < at && fitsAt(world, wish, each, earlier));
    if (sooner === undefined) continue;
    const plan = Number.isFinite(at) ? `is planned in ${at - world.now} ms` : "has no plan";
    faults.push(rule(`[B1] ${wish.job} ${plan} and could start in ${sooner - world.now} ms`));
  }
  return faults;
}

/** Whether a start on free seats makes someone late who was planned and goes before it [B2]. */
export function judgeGap(world: World, wish: Wish): Fault[] {
  if (!isForeseen(world)) return [];
  const late = delayed(world, wish);
  if (typeof late === "string") return [];
  return [rule(`[B2] ${wish.job} starts and ${wishOf(world, late).job} cannot in ${late.at - world.now} ms`)];
}

const rule = (what: string): Fault => ({ kind: "rule", what });

function wishOf(world: World, plan: Plan): Wish {
  return world.wishes.find(({ no }) => no === plan.no)!;
}

function runsMs(wish: Wish): number {
  return wish.runsMs ?? Number.POSITIVE_INFINITY;
}

/** Those who keep their place before a job that waits: who has a plan, those planned before it; who has none, all. */
function plannedBefore(world: World, wish: Wish): readonly Plan[] {
  const own = world.planned.findIndex(({ no }) => no === wish.no);
  return own < 0 ? world.planned : world.planned.slice(0, own);
}

/** The plans that a job must not delay if it starts now: not its own, nor those behind it in its account [O3]. */
function aheadOf(world: World, wish: Wish): readonly Plan[] {
  return world.planned.filter((plan) => {
    const other = wishOf(world, plan);
    return other !== wish && !(other.account === wish.account && firstOf([wish, other]) === wish);
  });
}

/** The first plan that a start now would delay; `unsure` where someone counts on more than the ends of what runs. */
function delayed(world: World, wish: Wish): Plan | "none" | "unsure" {
  const own = startable(world, wish);
  if (own === undefined) return "unsure";
  const ahead = aheadOf(world, wish);
  const burst = coverFor(world, wish.account, amountOf(world, wish, own)) === nobody;
  for (const plan of ahead) {
    if (plan.at >= world.now + runsMs(wish)) continue;
    const other = wishOf(world, plan);
    const base = worldAt(world, plan.at, ahead, plan);
    const free = base && startable(base, other);
    if (base === undefined || free === undefined) return "unsure";
    const beside = withStarted(base, wish, world.now);
    if (beside !== undefined && startable(beside, other) !== undefined) continue;
    if (burst && takesBack(world, base, plan, wish, free, beside)) continue;
    return plan;
  }
  return "none";
}

/** Whether who is planned can take back what a burst start would hold of its gap [B2, T1, T3]. */
function takesBack(
  world: World,
  base: World,
  plan: Plan,
  wish: Wish,
  option: Option,
  beside: World | undefined,
): boolean {
  const planned = wishOf(world, plan);
  const cover = coverFor(base, planned.account, amountOf(base, planned, option));
  if (cover !== nobody && !isInside(world, wish.account, cover)) return true;
  const lesser = planned.account === wish.account && wish.priority < planned.priority && wish.preemptible;
  if (!lesser || plan.at - world.now < world.minRuntimeMs) return false;
  const floor = pathOf(world, wish.account).find((at) =>
    Object.values(world.accounts[at]!.quota.guarantee).some((units) => units > 0),
  );
  const asLow = floor === undefined || (cover !== nobody && isInside(world, cover, floor));
  return asLow && beside !== undefined && hasRoom(beside, planned, option);
}

/** When something may become free for who is planned behind some others. */
function momentsOf(world: World, earlier: readonly Plan[]): Instant[] {
  const ends = world.holdings.map(({ endsAt }) => endsAt ?? Number.POSITIVE_INFINITY);
  const over = earlier.map((plan) => plan.at + runsMs(wishOf(world, plan)));
  return [...ends, ...over].filter((at) => Number.isFinite(at) && at > world.now).sort((a, b) => a - b);
}

/** Whether a job could start at an instant behind some plans, and leave each of them what it needs. */
function fitsAt(world: World, wish: Wish, at: Instant, earlier: readonly Plan[]): boolean {
  const then = worldAt(world, at, earlier);
  if (then === undefined || startable(then, wish) === undefined) return false;
  return earlier.every((plan) => {
    if (plan.at <= at || plan.at >= at + runsMs(wish)) return true;
    const later = worldAt(world, plan.at, earlier, plan);
    const beside = later && withStarted(later, wish, at);
    return beside !== undefined && startable(beside, wishOf(world, plan)) !== undefined;
  });
}

/** The world at an instant to come, but for one plan: what is over by then is gone, and who is planned runs. */
function worldAt(world: World, at: Instant, plans: readonly Plan[], but?: Plan): World | undefined {
  const holdings = world.holdings.filter(({ endsAt }) => (endsAt ?? Number.POSITIVE_INFINITY) > at);
  let then: World | undefined = { ...world, now: at, holdings, planned: [] };
  for (const plan of plans) {
    if (plan === but || plan.at > at || plan.at + runsMs(wishOf(world, plan)) <= at) continue;
    then = then && withStarted(then, wishOf(world, plan), plan.at);
  }
  return then;
}

/** The world with a job on free GPUs; undefined where there are too few. */
function withStarted(world: World, wish: Wish, since: Instant): World | undefined {
  const [room] = freeRoom(world);
  const [ask] = wish.asks;
  const count = ask!.gpus * wish.members;
  if (room === undefined || room.gpus.length < count) return undefined;
  const { job, account, no, priority, preemptible, evictedAt, cpusMilli, memoryMiB } = wish;
  const holding: Holding = {
    ...{ job, account, no, priority, preemptible, evictedAt, cpusMilli, memoryMiB, since, startedAt: since },
    ...{ compute: ask!.compute, memory: ask!.memory, cover: nobody, extra: false, leaving: false },
    seats: Array.from({ length: wish.members }, (_, i) => ({
      node: room.node,
      gpus: room.gpus.slice(i * ask!.gpus, (i + 1) * ask!.gpus),
    })),
  };
  return { ...world, holdings: [...world.holdings, holding], wishes: world.wishes.filter((each) => each !== wish) };
}
