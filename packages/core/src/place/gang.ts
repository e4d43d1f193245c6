import type { TopologyAsk } from "../model/job.ts";
import type { FleetNode } from "../model/node.ts";
import type { Fleet } from "../state/fleet.ts";
import { type Domain, levels } from "../state/topology.ts";

/** How many members of a gang each node can take; what the search for places works on. */
export type Fits = (node: FleetNode) => number;

/**
 * How many members each node takes, all of them or undefined [P1, P2]. At each level from the top: one place if one
 * holds the gang, the one that needs the fewest places below, then the tightest, then the first by name; else the
 * largest ones whole and the tightest for the rest.
 */
export function spreadGang(
  fleet: Fleet,
  members: number,
  fits: Fits,
  topology: TopologyAsk | undefined,
): Map<FleetNode, number> | undefined {
  const room = new Float64Array(fleet.topology.count);
  for (const root of fleet.topology.roots) count(fleet, root, fits, room);
  if (topology !== undefined) {
    const inside = fewestBelow(
      placesAt(fleet.topology.roots, levels.indexOf(topology.level), members, room),
      members,
      room,
    );
    if (inside !== undefined) return assign(fleet, [inside], members, room);
    if (topology.required) return undefined;
  }
  return assign(fleet, fleet.topology.roots, members, room);
}

function count(fleet: Fleet, domain: Domain, fits: Fits, room: Float64Array): number {
  let total = 0;
  for (const child of domain.children) total += count(fleet, child, fits, room);
  for (const no of domain.nodes) total += fits(fleet.nodes[no]!);
  room[domain.no] = total;
  return total;
}

/** The places of a level that hold the whole gang: the tightest at each level from the top. */
function placesAt(domains: readonly Domain[], level: number, members: number, room: Float64Array): Domain[] {
  return byTightness(domains, members, room).flatMap((domain) =>
    domain.level === level ? [domain] : placesAt(domain.children, level, members, room),
  );
}

/** Those that hold all members, tightest first. Sorting is stable, so equals stay in the order of their names. */
function byTightness(domains: readonly Domain[], members: number, room: Float64Array): Domain[] {
  return domains.filter((domain) => room[domain.no]! >= members).sort((a, b) => room[a.no]! - room[b.no]!);
}

function assign(
  fleet: Fleet,
  domains: readonly Domain[],
  members: number,
  room: Float64Array,
): Map<FleetNode, number> | undefined {
  const placed = new Map<FleetNode, number>();
  return put(fleet, domains, members, room, placed) ? placed : undefined;
}

function put(
  fleet: Fleet,
  domains: readonly Domain[],
  members: number,
  room: Float64Array,
  placed: Map<FleetNode, number>,
): boolean {
  let left = members;
  const open = new Set(domains);
  while (left > 0) {
    const domain = bestFor([...open], left, room) ?? largest(open, room);
    if (domain === undefined) return false;
    open.delete(domain);
    const here = Math.min(left, room[domain.no]!);
    if (here === 0) return false;
    left -= here;
    if (domain.nodes.length > 0) placed.set(fleet.nodes[domain.nodes[0]!]!, here);
    else if (!put(fleet, domain.children, here, room, placed)) return false;
  }
  return true;
}

/** Of the places that hold all: fewest places at each level below, then tightest. */
function bestFor(domains: readonly Domain[], members: number, room: Float64Array): Domain | undefined {
  return fewestBelow(byTightness(domains, members, room), members, room);
}

/** The first of those that need the fewest places at each level below. */
function fewestBelow(holding: readonly Domain[], members: number, room: Float64Array): Domain | undefined {
  if (holding.length < 2) return holding[0];
  let best: Domain | undefined;
  let bestBelow: number[] = [];
  for (const domain of holding) {
    const below = placesNeeded(domain, members, room);
    if (best === undefined || compareLists(below, bestBelow) < 0) {
      best = domain;
      bestBelow = below;
    }
  }
  return best;
}

/** How many places of each level below it takes to hold the members. */
function placesNeeded(domain: Domain, members: number, room: Float64Array): number[] {
  const needed: number[] = [];
  let left = members;
  const open = new Set(domain.children);
  while (left > 0) {
    const child = bestFor([...open], left, room) ?? largest(open, room);
    if (child === undefined) break;
    open.delete(child);
    const here = Math.min(left, room[child.no]!);
    left -= here;
    needed[0] = (needed[0] ?? 0) + 1;
    for (const [level, count] of placesNeeded(child, here, room).entries())
      needed[level + 1] = (needed[level + 1] ?? 0) + count;
  }
  return needed;
}

function compareLists(a: readonly number[], b: readonly number[]): number {
  for (const [i, each] of a.entries()) if (each !== b[i]) return each - b[i]!;
  return 0;
}

/** The one with most room; of equals the one that is full with the fewest places. */
function largest(domains: Iterable<Domain>, room: Float64Array): Domain | undefined {
  let best: Domain | undefined;
  for (const domain of domains) {
    const here = room[domain.no]!;
    if (here === 0 || (best !== undefined && here < room[best.no]!)) continue;
    const fewer = best === undefined || here > room[best.no]! || isFuller(domain, best, here, room);
    if (fewer) best = domain;
  }
  return best;
}

function isFuller(a: Domain, b: Domain, members: number, room: Float64Array): boolean {
  return compareLists(placesNeeded(a, members, room), placesNeeded(b, members, room)) < 0;
}
