import { DomainRoom } from "../fleet/domain-room.ts";
import { type BesidePlans, keyOf, type MayUse, type MemberNeed, membersThatFit, needOf } from "../fleet/fit.ts";
import { spreadGang } from "../fleet/gang.ts";
import type { ReadonlyFleet } from "../fleet/readonly-fleet.ts";
import type { NoSeat } from "../gpu/seat.ts";
import type { Seat } from "../journal/event.ts";
import type { FleetWorth } from "../learn/worth/fleet-worth.ts";
import type { Job, JobSpec } from "../model/job.ts";
import type { FleetNode } from "../model/node.ts";
import { needFor } from "../state/narrowing.ts";
import { newcomerOf } from "../state/neighbours.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import type { SeatSeeker } from "./apart.ts";
import { leastMissed } from "./best-node.ts";
import { isConfidential, keptApart, nodesFor, ownNodes } from "./dedicated.ts";
import { gpusForOne, gpusOn } from "./gpus-on.ts";
import { cleanFor } from "./handover.ts";
import { findParts } from "./parts.ts";

/** What limits a search for seats beside the job and the fleet. */
export interface SeatLimits {
  /** What planned starts leave of each node. */
  readonly plans?: BesidePlans | undefined;
  /** The only nodes to use. */
  readonly within?: ((node: FleetNode) => boolean) | undefined;
  /** The class that the job would have, so that it goes beside work of the same; undefined = it makes no difference. */
  readonly burst?: boolean | undefined;
  /** Whatever the nodes are: to explain what the job could have if it asked for less. */
  readonly anyNode?: true;
}

/** Free seats for all members of a job or none [P1], by one of its alternatives on one model. */
export function findSeats(
  state: ReadonlyState,
  job: SeatSeeker,
  choice: number,
  model: number,
  { plans, within, burst, anyNode }: SeatLimits = noLimits,
): Seat[] | NoSeat {
  const { spec } = job;
  const { fleet } = state;
  const anywhere = anyNode ? needOf(spec, choice, model, undefined, burst) : needFor(state, job, choice, model, burst);
  const apart = keptApart(state, job.account);
  const may = nodesFor(state, job);
  const mayUse = within === undefined ? may : both(within, may);
  const isClean = state.policy.scrubMs === undefined ? undefined : cleanFor(state, job.account);
  const need = mayUse === undefined && isClean === undefined ? anywhere : { ...anywhere, mayUse, isClean };
  const ask = spec.gpus[choice]!;
  if (ask.part !== undefined) {
    const who = newcomerOf(state, job);
    const seats = findParts(fleet, need, spec, ask, who, plans);
    if (typeof seats !== "string" || mayUse === apart) return seats;
    const lasting = findParts(fleet, { ...need, mayUse: apart }, spec, ask, who);
    return typeof lasting === "string" ? lasting : "reserved";
  }
  const seats = findOwn(state, job, need, plans) ?? findWhole(fleet, need, spec, plans, state.arrivals.worth);
  if (seats !== undefined) return seats;
  // The reason: search again without the limits that other jobs set, one after the other.
  if (mayUse !== apart && findWhole(fleet, { ...anywhere, mayUse: apart }, spec, plans) !== undefined)
    return "reserved";
  return apart !== undefined && findWhole(fleet, anywhere, spec, plans) !== undefined ? "isolation" : "no-room";
}

const noLimits: SeatLimits = {};

function both(within: (node: FleetNode) => boolean, may: MayUse | undefined): MayUse {
  return (node) => within(node) && may?.(node) !== false;
}

/** A seat on a node that the tenant has to itself already, the fullest first: it would pay for another node whole. */
function findOwn(
  state: ReadonlyState,
  { spec, account }: Pick<Job, "spec" | "account">,
  need: MemberNeed,
  plans: BesidePlans | undefined,
): Seat[] | undefined {
  if (spec.members.min > 1 || !isConfidential(state, account)) return undefined;
  const { fleet } = state;
  let best: FleetNode | undefined;
  for (const node of ownNodes(state, account)) {
    if (membersThatFit(fleet, node, need, "now", 1, plans) === 0) continue;
    const fuller = best === undefined ? -1 : fleet.nodeFreeGpus[node.no]! - fleet.nodeFreeGpus[best.no]!;
    if (fuller < 0 || (fuller === 0 && node.no < best!.no)) best = node;
  }
  return best === undefined ? undefined : [{ gpus: gpusForOne(fleet, best, need), node: best.no }];
}

function findWhole(
  fleet: ReadonlyFleet,
  need: MemberNeed,
  spec: Pick<JobSpec, "members" | "topology" | "spread">,
  plans: BesidePlans | undefined,
  worth?: FleetWorth,
): Seat[] | undefined {
  const { min: members, apart } = spec.members;
  if (members === 1) {
    const node = leastMissed(fleet, need, plans, worth);
    return node === undefined ? undefined : [{ gpus: gpusForOne(fleet, node, need), node: node.no }];
  }
  const most = apart ? 1 : members;
  const together = apart || spec.spread !== undefined ? undefined : onOneNode(fleet, need, members, plans, worth);
  if (together !== undefined) return together;
  if (lacksRoom(fleet, need, members, most, plans)) return undefined;
  const spread = spreadGang(fleet, members, domainRoomFor(fleet, need, most, plans), spec);
  if (spread === undefined) return undefined;
  const seats: Seat[] = [];
  for (const [node, count] of spread)
    for (const gpus of gpusOn(fleet, node, need, count)) seats.push({ gpus, node: node.no });
  return seats;
}

/**
 * Seats for a gang on a single node, the fewest domains at every level [P2]: of the nodes that hold it, the one whose
 * room is missed least [P4]. Undefined while the worth of room is unknown.
 */
function onOneNode(
  fleet: ReadonlyFleet,
  need: MemberNeed,
  members: number,
  plans: BesidePlans | undefined,
  worth: FleetWorth | undefined,
): Seat[] | undefined {
  const { model, gpus, cpusMilli, memoryMiB } = need;
  if (gpus === 0 || worth === undefined || model >= worth.models || gpus * members > fleet.freeMax(model))
    return undefined;
  const all = { ...need, gpus: gpus * members, cpusMilli: cpusMilli * members, memoryMiB: memoryMiB * members };
  const node = leastMissed(fleet, all, plans, worth);
  return node && gpusOn(fleet, node, need, members).map((each) => ({ node: node.no, gpus: each }));
}

/** How many members fit where; the fleet keeps it where it depends on the nodes alone. */
function domainRoomFor(
  fleet: ReadonlyFleet,
  need: MemberNeed,
  most: number,
  plans: BesidePlans | undefined,
): DomainRoom {
  const fits = (node: FleetNode) => membersThatFit(fleet, node, need, "now", most, plans);
  if (isLimited(need, plans)) return new DomainRoom(fleet, fits);
  return fleet.domainRoomFor(keyOf(need, most), fits);
}

/**
 * Whether a gang has too little room even without its limits. They only take room away, and the room without them is kept by
 * the fleet: with them, all nodes are counted for each search.
 */
function lacksRoom(
  fleet: ReadonlyFleet,
  need: MemberNeed,
  members: number,
  most: number,
  plans: BesidePlans | undefined,
): boolean {
  if (!isLimited(need, plans)) return false;
  return domainRoomFor(fleet, { ...need, mayUse: undefined }, most, undefined).inAll < members;
}

function isLimited({ mayUse }: MemberNeed, plans: BesidePlans | undefined): boolean {
  return plans !== undefined || mayUse !== undefined;
}
