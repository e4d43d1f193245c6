import { type Amount, nothing, usageOf } from "./amount.ts";
import { coverFor, exceedsMax, isLent } from "./quota.ts";
import { freeRoom, membersOn } from "./room.ts";
import { chargedWith, tenantOf } from "./whole-node.ts";
import {
  type Holding,
  isInside,
  noAccount,
  type Option,
  optionsOf,
  pathOf,
  root,
  type Seat,
  type Wish,
  type World,
} from "./world.ts";

/** The effect of a confidential tenant's job on its quota, which depends on the nodes of its seats [U3]. */
export interface Whole {
  /** The lowest account that would hold more than its max. */
  readonly over: number | undefined;
  /** The account whose guarantee would cover it. */
  readonly cover: number;
  readonly isLent: boolean;
  /** Some account of the path exceeds its max, with the seats held for others. */
  readonly isStrained: boolean;
}

/** The quota of a confidential tenant's accounts with a job on these seats. */
export function wholeOn(world: World, wish: Wish, option: Option, seats: readonly Seat[]): Whole {
  const { job, account, no, priority, preemptible, evictedAt, cpusMilli, memoryMiB } = wish;
  const holding: Holding = {
    ...{ job, account, no, priority, preemptible, evictedAt, cpusMilli, memoryMiB, seats },
    ...{ compute: option.compute, memory: option.memory, cover: noAccount, extra: false, leaving: false },
    ...{ since: world.now, startedAt: world.now, ...(option.part && { part: option.part }) },
  };
  const after = { ...world, holdings: [...world.holdings, holding] };
  const added = (at: number): Amount =>
    usageOf(after, at).map((units, i) => Math.max(0, units - usageOf(world, at)[i]!));
  return {
    over: pathOf(world, account).find((at) => exceedsMax(after, at, usageOf(after, at), added(at))),
    cover: coverFor(after, account, nothing(after)),
    isLent: isLent(world, account, added(root)),
    isStrained: pathOf(world, account).some((at) => exceedsMax(after, at, usageOf(after, at), usageOf(after, at))),
  };
}

/**
 * Whether a job of a confidential tenant must be able to start: it has one member, and may start on every node that could
 * be chosen, of its tenant's nodes or else of the empty ones.
 */
export function startableWhole(world: World, wish: Wish): Option | undefined {
  if (wish.members > 1) return undefined;
  return optionsOf(world, wish).find((option) => {
    const nodes = nodesFor(world, wish, option);
    return nodes.length > 0 && nodes.every(({ seat }) => mayBe(wish, wholeOn(world, wish, option, [seat])));
  });
}

/** The nodes with room for one member; only the tenant's own nodes if any of them has room. */
export function nodesFor(world: World, wish: Wish, option: Option): { readonly node: number; readonly seat: Seat }[] {
  const rooms = freeRoom(world).filter((room) => membersOn(world, room, wish, option) > 0);
  const own = rooms.filter(({ node }) => {
    const charged = chargedWith(world, node);
    return charged !== undefined && isInside(world, charged, tenantOf(world, wish.account));
  });
  return (own.length > 0 ? own : rooms).map(({ node, gpus }) => ({
    node,
    seat: { node, gpus: gpus.slice(0, option.gpus) },
  }));
}

function mayBe(wish: Wish, { isStrained, cover, isLent }: Whole): boolean {
  return !isStrained && (cover !== noAccount || (wish.preemptible && isLent));
}
