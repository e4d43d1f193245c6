import type { JobSpec, TopologyAsk } from "../model/job.ts";
import type { FleetNode } from "../model/node.ts";
import type { DomainRoom } from "./domain-room.ts";
import type { ReadonlyFleet } from "./readonly-fleet.ts";
import { type Domain, levels } from "./topology.ts";

/**
 * How many members each node takes; undefined if not all of them fit [P1, P2]. At each level from the top: one domain if
 * one holds the gang, namely that which needs the fewest domains below, then the tightest, then the first by name; else
 * the largest domains in full and the tightest for the remaining members.
 */
export function spreadGang(
  fleet: ReadonlyFleet,
  members: number,
  rooms: DomainRoom,
  { topology, spread }: Pick<JobSpec, "topology" | "spread">,
): Map<FleetNode, number> | undefined {
  if (rooms.inAll < members) return undefined;
  if (spread !== undefined && members > 1) return spreadOut(fleet, members, rooms, spread, topology);
  if (topology !== undefined) {
    const inside = bestAt(fleet.topology.roots, levels.indexOf(topology.level), members, rooms);
    if (inside !== undefined) return assign(fleet, [inside], members, rooms);
    if (topology.required) return undefined;
  }
  return assign(fleet, fleet.topology.roots, members, rooms);
}

/** Whether `spreadGang` finds room for all members; cheaper, because it does not choose the nodes. */
export function holdsGang(
  fleet: ReadonlyFleet,
  members: number,
  rooms: DomainRoom,
  { topology, spread }: Pick<JobSpec, "topology" | "spread">,
): boolean {
  if (rooms.inAll < members) return false;
  if (spread !== undefined && members > 1) return spreadOut(fleet, members, rooms, spread, topology) !== undefined;
  if (!topology?.required) return true;
  return bestAt(fleet.topology.roots, levels.indexOf(topology.level), members, rooms) !== undefined;
}

/**
 * Members in different domains of a level: one in each if required, else as evenly as there is room [P7]. With a topology
 * all these domains are in one domain of its level, the first that has room.
 */
function spreadOut(
  fleet: ReadonlyFleet,
  members: number,
  rooms: DomainRoom,
  spread: TopologyAsk,
  topology: TopologyAsk | undefined,
): Map<FleetNode, number> | undefined {
  const { roots } = fleet.topology;
  const around = topology === undefined ? [] : domainsAt(roots, levels.indexOf(topology.level));
  for (const domain of around) {
    const placed = shareOut(fleet, domainsAt([domain], levels.indexOf(spread.level)), members, rooms, spread.required);
    if (placed !== undefined) return placed;
  }
  if (topology?.required) return undefined;
  return shareOut(fleet, domainsAt(roots, levels.indexOf(spread.level)), members, rooms, spread.required);
}

function domainsAt(domains: readonly Domain[], level: number): Domain[] {
  return domains.flatMap((domain) => (domain.level === level ? [domain] : domainsAt(domain.children, level)));
}

/** Gives each domain one more member per round, the tightest first, until all members are placed. */
function shareOut(
  fleet: ReadonlyFleet,
  domains: readonly Domain[],
  members: number,
  rooms: DomainRoom,
  once: boolean,
): Map<FleetNode, number> | undefined {
  const open = domains.filter((domain) => rooms.of(domain) > 0).sort((a, b) => rooms.of(a) - rooms.of(b));
  const counts = new Map<Domain, number>();
  let left = members;
  for (let round = 1; left > 0 && (round === 1 || !once); round++) {
    const before = left;
    for (const domain of open) {
      if (left === 0) break;
      if (rooms.of(domain) < round) continue;
      counts.set(domain, round);
      left--;
    }
    if (left === before) break;
  }
  if (left > 0) return undefined;
  const placed = new Map<FleetNode, number>();
  for (const [domain, count] of counts) if (!put(fleet, [domain], count, rooms, placed)) return undefined;
  return placed;
}

/** Of a level's domains that hold all members: fewest domains at each level below, then the tightest from the top. */
function bestAt(domains: readonly Domain[], level: number, members: number, rooms: DomainRoom): Domain | undefined {
  if (domains[0]?.level === level) return bestFor(domains, members, rooms);
  let best: Domain | undefined;
  for (const around of byTightness(domains, members, rooms)) {
    const inside = bestAt(around.children, level, members, rooms);
    if (inside === undefined) continue;
    if (best === undefined || compareBelow(inside, best, members, rooms) < 0) best = inside;
  }
  return best;
}

/** The domains that hold all members, tightest first. Sorting is stable, so equals stay in the order of their names. */
function byTightness(domains: readonly Domain[], members: number, rooms: DomainRoom): Domain[] {
  return domains.filter((domain) => rooms.of(domain) >= members).sort((a, b) => rooms.of(a) - rooms.of(b));
}

function assign(
  fleet: ReadonlyFleet,
  domains: readonly Domain[],
  members: number,
  rooms: DomainRoom,
): Map<FleetNode, number> | undefined {
  const placed = new Map<FleetNode, number>();
  return put(fleet, domains, members, rooms, placed) ? placed : undefined;
}

function put(
  fleet: ReadonlyFleet,
  domains: readonly Domain[],
  members: number,
  rooms: DomainRoom,
  placed: Map<FleetNode, number>,
): boolean {
  const holding = bestFor(domains, members, rooms);
  if (holding !== undefined) return putInto(fleet, holding, members, rooms, placed);
  let left = members;
  const open = [...domains];
  while (left > 0) {
    const domain = bestFor(open, left, rooms) ?? largest(open, rooms);
    if (domain === undefined) return false;
    open.splice(open.indexOf(domain), 1);
    const here = Math.min(left, rooms.of(domain));
    left -= here;
    if (here === 0 || !putInto(fleet, domain, here, rooms, placed)) return false;
  }
  return true;
}

function putInto(
  fleet: ReadonlyFleet,
  domain: Domain,
  members: number,
  rooms: DomainRoom,
  placed: Map<FleetNode, number>,
): boolean {
  if (domain.nodes.length === 0) return put(fleet, domain.children, members, rooms, placed);
  placed.set(fleet.nodes[domain.nodes[0]!]!, members);
  return true;
}

/** Of the domains that hold all members: fewest domains at each level below, then tightest, then first by name. */
function bestFor(domains: readonly Domain[], members: number, rooms: DomainRoom): Domain | undefined {
  let best: Domain | undefined;
  for (const domain of domains) {
    if (rooms.of(domain) < members) continue;
    if (best === undefined || isBetter(domain, best, members, rooms)) best = domain;
  }
  return best;
}

function isBetter(domain: Domain, best: Domain, members: number, rooms: DomainRoom): boolean {
  const order = compareBelow(domain, best, members, rooms);
  return order !== 0 ? order < 0 : rooms.of(domain) < rooms.of(best);
}

/** Negative if `a` needs fewer domains than `b` at the levels below for this many members. */
function compareBelow(a: Domain, b: Domain, members: number, rooms: DomainRoom): number {
  // With one domain below, the comparison is that of these two.
  if (a.children.length === 1 && b.children.length === 1)
    return compareBelow(a.children[0]!, b.children[0]!, members, rooms);
  return compareLists(domainsNeeded(a, members, rooms), domainsNeeded(b, members, rooms));
}

/** How many domains of each level below are needed to hold the members. */
function domainsNeeded(domain: Domain, members: number, rooms: DomainRoom): readonly number[] {
  const { children } = domain;
  if (children.length === 0) return nothingBelow;
  if (children.length === 1 && children[0]!.children.length === 0) return oneNode;
  // Nodes and the domains around a single node are many and cheap to compute, so caching them would cost more.
  if (children.length < 2) return findDomainsNeeded(domain, members, rooms);
  return rooms.needed(domain, members) ?? rooms.keep(domain, members, findDomainsNeeded(domain, members, rooms));
}

const nothingBelow: readonly number[] = [];
const oneNode: readonly number[] = [1];

function findDomainsNeeded(domain: Domain, members: number, rooms: DomainRoom): readonly number[] {
  const needed: number[] = [];
  let left = members;
  const open = [...domain.children];
  while (left > 0) {
    const child = bestFor(open, left, rooms) ?? largest(open, rooms);
    if (child === undefined) break;
    open.splice(open.indexOf(child), 1);
    const here = Math.min(left, rooms.of(child));
    left -= here;
    needed[0] = (needed[0] ?? 0) + 1;
    const below = domainsNeeded(child, here, rooms);
    for (let level = 0; level < below.length; level++) needed[level + 1] = (needed[level + 1] ?? 0) + below[level]!;
  }
  return needed;
}

function compareLists(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return 0;
}

/** The domain with most room; of equals the one that fills the fewest domains below. */
function largest(domains: readonly Domain[], rooms: DomainRoom): Domain | undefined {
  let best: Domain | undefined;
  for (const domain of domains) {
    const here = rooms.of(domain);
    if (here === 0 || (best !== undefined && here < rooms.of(best))) continue;
    if (best === undefined || here > rooms.of(best) || compareBelow(domain, best, here, rooms) < 0) best = domain;
  }
  return best;
}
