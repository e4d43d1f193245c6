import type { Instant } from "@tessera/core/model";
import { amountOf } from "./amount.ts";
import { type Fault, rule } from "./fault.ts";
import { firstOf, isSameWish } from "./order.ts";
import { coverFor } from "./quota.ts";
import { freeRoom, hasRoom } from "./room.ts";
import type { FoundClaim } from "./search.ts";
import { mayStart, startable } from "./take.ts";
import {
  type Holding,
  isInside,
  noAccount,
  type Option,
  optionsOf,
  type Plan,
  pathOf,
  type Seat,
  takes,
  type Wish,
  type World,
  without,
} from "./world.ts";

/** The most plans at once [B1]. */
const plansMax = 8;

/** Whether the oracle can predict what will be free: only whole GPUs are held and planned, and no job is stopping. */
function isForeseen(world: World): boolean {
  return (
    world.holds.length === 0 &&
    world.accounts.every(({ trust }) => trust !== "confidential") &&
    world.holdings.every((each) => !each.leaving && !each.extra && each.part === undefined) &&
    world.wishes.every(({ elastic, asks }) => !elastic && asks.length === 1 && asks[0]!.part === undefined)
  );
}

/** On one node the choice of GPUs makes no difference, so that counting tells what must happen. */
function isOneNode(world: World): boolean {
  return world.nodes.length === 1 && world.nodes[0]!.up;
}

/** The faults of the plans, and of the jobs that wait beside them, when the scheduler is at rest [B1, B2, B4, O4]. */
export function judgePlans(world: World): Fault[] {
  if (!isForeseen(world) || !isOneNode(world)) return [];
  const faults: Fault[] = [];
  const seen: Wish[] = [];
  for (const wish of [...world.wishes].sort((a, b) => b.priority - a.priority || a.no - b.no)) {
    // Of equal jobs with equal run times the first stands for the others.
    const { priority } = wish;
    if (seen.some((each) => isSameWish({ ...each, priority }, wish) && each.runsMs === wish.runsMs)) continue;
    seen.push(wish);
    const option = startable(world, wish);
    if (option !== undefined) {
      const started = withStarted(world, wish, world.now)!;
      if (delayed(world, started, wish, aheadOf(world, wish), isBurst(world, wish, option)) === "none")
        faults.push(rule(`[O4] ${wish.job} waits, could start and delays no plan`));
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

/**
 * Whether a start on these free seats delays a plan ahead of it [B2]. On several nodes this is demanded of the `first`
 * decision of a batch only: a plan that lost its seats to an earlier job of its account has no claim to those of others.
 */
export function judgeGap(world: World, wish: Wish, seats: readonly Seat[], first: boolean): Fault[] {
  const option = startable(world, wish);
  if (option === undefined || !isForeseen(world) || !(first || isOneNode(world))) return [];
  const started = withStarted(world, wish, world.now, seats)!;
  const late = delayed(world, started, wish, aheadOf(world, wish), isBurst(world, wish, option));
  if (typeof late === "string") return [];
  return [rule(`[B2] ${wish.job} starts and ${wishOf(world, late).job} cannot in ${late.at - world.now} ms`)];
}

/** The first plan of its own account that a claim would delay [O4]; plans of other accounts do not stop a claim [B2]. */
export function delayedBy(world: World, wish: Wish, { set }: Pick<FoundClaim, "set">): Plan | "none" | "unsure" {
  const own = aheadOf(world, wish).filter((plan) => wishOf(world, plan).account === wish.account);
  if (own.length === 0) return "none";
  // The scheduler does not count the quota that the victims would give back to a plan which waits for quota.
  const { accounts } = world;
  const isBounded = accounts.some(({ quota }) => quota.max !== undefined || quota.lendable !== undefined);
  if (isBounded || own.some((plan) => !wishOf(world, plan).preemptible)) return "unsure";
  if (!isForeseen(world) || !isOneNode(world)) return "unsure";
  const after = withStarted(without(world, set), wish, world.now);
  return after === undefined ? "unsure" : delayed(world, after, wish, own, false);
}

function wishOf(world: World, plan: Plan): Wish {
  return world.wishes.find(({ no }) => no === plan.no)!;
}

function runsMs(wish: Wish): number {
  return wish.runsMs ?? Number.POSITIVE_INFINITY;
}

function isBurst(world: World, wish: Wish, option: Option): boolean {
  return coverFor(world, wish.account, amountOf(world, wish, option)) === noAccount;
}

/** The plans that come before a waiting job: the earlier ones if it has a plan itself, else all. */
function plannedBefore(world: World, wish: Wish): readonly Plan[] {
  const own = world.planned.findIndex(({ no }) => no === wish.no);
  return own < 0 ? world.planned : world.planned.slice(0, own);
}

/** The plans that a job must not delay if it starts now: all but its own and those behind it in its account [O3]. */
function aheadOf(world: World, wish: Wish): readonly Plan[] {
  return world.planned.filter((plan) => {
    const other = wishOf(world, plan);
    return other !== wish && !(other.account === wish.account && firstOf([wish, other]) === wish);
  });
}

/**
 * The first of some plans that is delayed by a job which has started in the world `after`; `unsure` if a plan counts on
 * more than the ends of running jobs.
 */
function delayed(
  world: World,
  after: World,
  wish: Wish,
  plans: readonly Plan[],
  burst: boolean,
): Plan | "none" | "unsure" {
  const ahead = aheadOf(world, wish);
  let answer: "none" | "unsure" = "none";
  for (const plan of plans) {
    if (plan.at >= world.now + runsMs(wish)) continue;
    const before = startsAt(world, world, plan, ahead);
    if (before === undefined) return "unsure";
    if (startsAt(world, after, plan, ahead) !== undefined) continue;
    // The plan had room without taking work back: whether it must take some back now is open.
    if (startsAt(world, withoutTaken(world, after, before, plan), plan, ahead) !== undefined) {
      answer = "unsure";
      continue;
    }
    if (burst && takesBack(world, after, before, plan, wish, ahead)) continue;
    // A plan with an earlier start may have reclaimed it by then.
    const sooner = ahead.filter((each) => each.at <= plan.at && each !== plan);
    const isTaken = (each: Plan, then = startsAt(world, world, each, ahead)) =>
      then === undefined || takesBack(world, after, then, each, wish, ahead);
    return burst && sooner.some((each) => isTaken(each)) ? "unsure" : plan;
  }
  return answer;
}

/** The world without the work that a plan takes back: burst work outside its guarantee, lower priorities of its account. */
function withoutTaken(world: World, from: World, { then, option }: Starting, plan: Plan): World {
  const planned = wishOf(world, plan);
  const cover = coverFor(then, planned.account, amountOf(then, planned, option));
  const isLent = (each: Holding) =>
    cover !== noAccount && each.cover === noAccount && each.preemptible && !isInside(world, each.account, cover);
  const isTaken = (each: Holding) =>
    world.holdings.includes(each) && (isLent(each) || takesOwn(world, plan, cover, each, each.since));
  return without(from, from.holdings.filter(isTaken));
}

/** Whether a planned job takes back less urgent work of its own account, which is old enough by then [B2, T3, T8]. */
function takesOwn(
  world: World,
  plan: Plan,
  cover: number,
  { account, priority, preemptible }: Pick<Wish, "account" | "priority" | "preemptible">,
  since: Instant,
): boolean {
  const planned = wishOf(world, plan);
  if (planned.account !== account || priority >= planned.priority || !preemptible) return false;
  if (plan.at - since < world.minRuntimeMs) return false;
  const floor = pathOf(world, account).find((at) =>
    Object.values(world.accounts[at]!.quota.guarantee).some((units) => units > 0),
  );
  return floor === undefined || (cover !== noAccount && isInside(world, cover, floor));
}

/** Whether a plan can take back what a burst start would hold of its gap [B2, T1, T3]. */
function takesBack(
  world: World,
  after: World,
  { then, option }: Starting,
  plan: Plan,
  wish: Wish,
  ahead: readonly Plan[],
): boolean {
  const planned = wishOf(world, plan);
  const cover = coverFor(then, planned.account, amountOf(then, planned, option));
  if (cover !== noAccount && !isInside(world, wish.account, cover)) return true;
  if (!takesOwn(world, plan, cover, wish, world.now)) return false;
  return worldsAt(world, after, plan.at, ahead, plan).some((each) => hasRoom(each, planned, option));
}

/** The instants at which a job planned behind these plans may find something free. */
function momentsOf(world: World, earlier: readonly Plan[]): Instant[] {
  const ends = world.holdings.map(({ endsAt }) => endsAt ?? Number.POSITIVE_INFINITY);
  const over = earlier.map((plan) => plan.at + runsMs(wishOf(world, plan)));
  return [...ends, ...over].filter((at) => Number.isFinite(at) && at > world.now).sort((a, b) => a - b);
}

/** Whether a job could start at an instant behind some plans without delaying any of them. */
function fitsAt(world: World, wish: Wish, at: Instant, earlier: readonly Plan[]): boolean {
  const [then] = worldsAt(world, world, at, earlier);
  if (then === undefined || startable(then, wish) === undefined) return false;
  return earlier.every((plan) => {
    if (plan.at <= at || plan.at >= at + runsMs(wish)) return true;
    const [later] = worldsAt(world, world, plan.at, earlier, plan);
    const beside = later && withStarted(later, wish, at);
    return beside !== undefined && startable(beside, wishOf(world, plan)) !== undefined;
  });
}

/** The start of a plan: the world at that instant, and the alternative. */
interface Starting {
  readonly then: World;
  readonly option: Option;
}

/** Whether a planned job can start at its time in the future of `from`, with the other plans on any seats. */
function startsAt(world: World, from: World, plan: Plan, plans: readonly Plan[]): Starting | undefined {
  const planned = wishOf(world, plan);
  for (const then of worldsAt(world, from, plan.at, plans, plan)) {
    const option = optionsOf(then, planned).find(
      (each) => mayStart(then, planned, each) && hasRoom(then, planned, each),
    );
    if (option !== undefined) return { then, option };
  }
  return undefined;
}

/** The possible futures of `from` at an instant, without one plan: ended work is gone, and planned jobs run. */
function worldsAt(world: World, from: World, at: Instant, plans: readonly Plan[], but?: Plan): World[] {
  const holdings = from.holdings.filter(({ endsAt }) => (endsAt ?? Number.POSITIVE_INFINITY) > at);
  let worlds: World[] = [{ ...from, now: at, holdings, planned: [] }];
  for (const plan of plans) {
    const planned = wishOf(world, plan);
    // Of plans with the same start, the one planned first is served first.
    const isLater = plan.at > at || (plan.at === at && but !== undefined && plans.indexOf(plan) > plans.indexOf(but));
    if (plan === but || isLater || plan.at + runsMs(planned) <= at) continue;
    worlds = worlds.flatMap((each) =>
      seatingsFor(each, planned).map((seats) => withStarted(each, planned, plan.at, seats)!),
    );
  }
  return worlds;
}

/** All ways to seat a job that differ in the number of members per node. */
function seatingsFor(world: World, wish: Wish): Seat[][] {
  const gpus = wish.asks[0]!.gpus;
  const rooms = freeRoom(world).filter(
    ({ node }) =>
      takes(world, wish, node) && optionsOf(world, wish).some(({ model }) => model === world.nodes[node]!.model),
  );
  const found: Seat[][] = [];
  const seat = (from: number, left: number, seats: readonly Seat[]): void => {
    if (left === 0) found.push([...seats]);
    const room = rooms[from];
    if (left === 0 || room === undefined) return;
    const most = Math.min(left, wish.apart ? 1 : left, Math.floor(room.gpus.length / gpus));
    for (let here = most; here >= 0; here--) {
      const taken = Array.from({ length: here }, (_, i) => ({
        node: room.node,
        gpus: room.gpus.slice(i * gpus, (i + 1) * gpus),
      }));
      seat(from + 1, left - here, [...seats, ...taken]);
    }
  };
  seat(0, wish.members, []);
  return found;
}

/** The world with a job on these seats, else on the first free ones; undefined if there are too few. */
function withStarted(world: World, wish: Wish, since: Instant, on?: readonly Seat[]): World | undefined {
  const seats = on ?? seatingsFor(world, wish)[0];
  if (seats === undefined) return undefined;
  const { job, account, no, priority, preemptible, evictedAt, cpusMilli, memoryMiB } = wish;
  const { compute, memory } = wish.asks[0]!;
  const holding: Holding = {
    ...{ job, account, no, priority, preemptible, evictedAt, cpusMilli, memoryMiB, since, startedAt: since, seats },
    ...{ compute, memory, cover: noAccount, extra: false, leaving: false },
    ...(wish.runsMs !== undefined && { endsAt: since + wish.runsMs }),
  };
  return { ...world, holdings: [...world.holdings, holding], wishes: world.wishes.filter((each) => each !== wish) };
}
