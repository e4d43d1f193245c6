import { unitsPerGpu } from "@tessera/core/model";
import { partsOn } from "./part.ts";
import { chargedWith, mayBeOn } from "./whole-node.ts";
import { type Level, levels, type Option, type Seat, takes, type Wish, type World } from "./world.ts";

/** The free room of a node that takes work. */
export interface FreeRoom {
  readonly node: number;
  /** Its GPUs that are wholly free and held for no job. */
  readonly gpus: readonly number[];
  readonly cpusMilli: number;
  readonly memoryMiB: number;
}

const rooms = new WeakMap<World, FreeRoom[]>();

/** The free room of every node that takes work. */
export function freeRoom(world: World): FreeRoom[] {
  const known = rooms.get(world);
  if (known !== undefined) return known;
  const taken = new Set<number>();
  const left = world.nodes.map(({ cpusMilli, memoryMiB }) => ({ cpusMilli, memoryMiB }));
  for (const each of [...world.holdings, ...world.holds]) {
    for (const seat of each.seats) {
      for (const gpu of seat.gpus) taken.add(gpu);
      left[seat.node]!.cpusMilli -= each.cpusMilli;
      left[seat.node]!.memoryMiB -= each.memoryMiB;
    }
  }
  const found: FreeRoom[] = [];
  for (const [node, { up, gpus }] of world.nodes.entries()) {
    if (up) found.push({ node, gpus: gpus.filter((gpu) => !taken.has(gpu)), ...left[node]! });
  }
  rooms.set(world, found);
  return found;
}

/** Free GPU compute on nodes that take work; a GPU with a part held for a job counts as taken. */
export function freeUnits(world: World, models: readonly number[]): number {
  const taken = new Map<number, number>();
  for (const { seats, compute } of world.holdings)
    for (const gpu of seats.flatMap((seat) => seat.gpus)) taken.set(gpu, (taken.get(gpu) ?? 0) + compute);
  for (const { seats } of world.holds)
    for (const gpu of seats.flatMap((seat) => seat.gpus)) taken.set(gpu, unitsPerGpu);
  let free = 0;
  for (const [node, { up, gpus, model }] of world.nodes.entries()) {
    // The remainder of a confidential tenant's node is not free.
    if (!up || !models.includes(model) || chargedWith(world, node) !== undefined) continue;
    for (const gpu of gpus) free += Math.max(0, unitsPerGpu - (taken.get(gpu) ?? 0));
  }
  return free;
}

/** How many members a node has room for. */
export function membersOn(world: World, room: FreeRoom, wish: Wish, option: Option): number {
  if (!mayBeOn(world, wish.account, room.node) || !takes(world, wish, room.node)) return 0;
  const most = wish.apart ? 1 : wish.members;
  const { gpus, cpusMilli, memoryMiB } = option;
  if (gpus > 0 && world.nodes[room.node]!.model !== option.model) return 0;
  const by = (free: number, each: number) => (each === 0 ? most : Math.floor(free / each));
  const seats = option.part === undefined ? by(room.gpus.length, gpus) : partsOn(world, room.node, wish, option, most);
  return Math.max(0, Math.min(most, seats, by(room.cpusMilli, cpusMilli), by(room.memoryMiB, memoryMiB)));
}

/** The domain of a node at a level, as a name that only nodes in the same domain share. */
export function domainOf(world: World, node: number, level: Level): string {
  const { engine, region, zone, block, rack, nvlink, name } = world.nodes[node]!;
  switch (level) {
    case "region":
      return region;
    case "zone":
      return `${region}/${zone}`;
    case "block":
      return `${region}/${zone}/${block}`;
    case "rack":
      return `${region}/${zone}/${block}/${rack}`;
    case "nvlink":
      return `${region}/${zone}/${block}/${rack}/${nvlink}`;
    case "node":
      return `${engine}/${name}`;
  }
}

/** Whether these nodes are of more than one engine [P9]. */
function spansEngines(world: World, nodes: Iterable<number>): boolean {
  return new Set([...nodes].map((node) => world.nodes[node]!.engine)).size > 1;
}

/** Whether there are free seats for all members in one engine, in one domain if that is required [P1, P2, P9]. */
export function hasRoom(world: World, wish: Wish, option: Option): boolean {
  const { within } = wish;
  const fit = new Map<string, number>();
  for (const room of freeRoom(world)) {
    const { engine } = world.nodes[room.node]!;
    const domain = within === undefined ? engine : `${engine}/${domainOf(world, room.node, within)}`;
    fit.set(domain, (fit.get(domain) ?? 0) + membersOn(world, room, wish, option));
  }
  return [...fit.values()].some((members) => members >= wish.members);
}

/** The fault of chosen seats; undefined = none. */
export function faultOfSeats(
  world: World,
  wish: Wish,
  option: Option,
  seats: readonly Seat[],
): { readonly kind: "gang" | "capacity" | "trust"; readonly what: string } | undefined {
  const gang = (what: string) => ({ kind: "gang", what }) as const;
  const capacity = (what: string) => ({ kind: "capacity", what }) as const;
  if (seats.length < wish.members) return gang(`[P1] has ${seats.length} of ${wish.members} members`);
  const nodes = new Set(seats.map((seat) => seat.node));
  if (wish.apart && nodes.size < seats.length) return gang("[P1] two members share a node");
  if (spansEngines(world, nodes)) return gang("[P9] is in several engines");
  const { within } = wish;
  if (within !== undefined && new Set([...nodes].map((node) => domainOf(world, node, within))).size > 1) {
    return gang(`[P2] is not in one ${within}`);
  }
  const given = new Set<number>();
  for (const seat of seats) {
    const room = freeRoom(world).find((each) => each.node === seat.node);
    if (room === undefined) return capacity(`node ${seat.node} takes no work`);
    if (!mayBeOn(world, wish.account, seat.node))
      return { kind: "trust", what: `[U3] node ${seat.node} is not shared between tenants` };
    if (!takes(world, wish, seat.node)) return capacity(`[P10] node ${seat.node} is not one that it may use`);
    if (seat.gpus.length !== option.gpus) return capacity(`a member has ${seat.gpus.length} of ${option.gpus} GPUs`);
    // Parts are judged by `faultOfGpu` once they are taken, together with their neighbours.
    for (const gpu of option.part === undefined ? seat.gpus : []) {
      if (!room.gpus.includes(gpu) || given.has(gpu)) return capacity(`GPU ${gpu} is not free on node ${seat.node}`);
      given.add(gpu);
    }
    const here = seats.filter((each) => each.node === seat.node).length;
    if (option.gpus > 0 && world.nodes[seat.node]!.model !== option.model) return capacity("the model is another");
    const lacks = (each: number, free: number) => each > 0 && here * each > free;
    if (lacks(option.cpusMilli, room.cpusMilli) || lacks(option.memoryMiB, room.memoryMiB)) {
      return capacity(`node ${seat.node} lacks cores or memory`);
    }
  }
  return undefined;
}

/** The number of regions, zones, blocks, racks, NVLink groups and nodes that contain these nodes. */
export function spreadOf(world: World, nodes: Iterable<number>): number[] {
  const all = [...nodes];
  return levels.map((level) => new Set(all.map((node) => domainOf(world, node, level))).size);
}

/** The least spread that free seats allow [P2]; tries every set of nodes. */
export function leastSpread(world: World, wish: Wish, option: Option): number[] | undefined {
  const usable = freeRoom(world)
    .map((room) => ({ node: room.node, fit: membersOn(world, room, wish, option) }))
    .filter(({ fit }) => fit > 0);
  let least: number[] | undefined;
  for (let set = 1; set < 2 ** usable.length; set++) {
    const chosen = usable.filter((_, i) => (set >> i) & 1);
    if (chosen.length > wish.members || chosen.reduce((all, { fit }) => all + fit, 0) < wish.members) continue;
    const nodes = chosen.map(({ node }) => node);
    if (spansEngines(world, nodes)) continue;
    if (wish.within !== undefined && new Set(nodes.map((node) => domainOf(world, node, wish.within!))).size > 1)
      continue;
    const spread = spreadOf(world, nodes);
    if (least === undefined || compareLists(spread, least) < 0) least = spread;
  }
  return least;
}

export function compareLists(a: readonly number[], b: readonly number[]): number {
  for (const [i, each] of a.entries()) if (each !== b[i]) return each - b[i]!;
  return 0;
}
