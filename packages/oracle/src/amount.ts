import type { GpuAmounts } from "@tessera/core/model";
import { unitsPerGpu } from "@tessera/core/model";
import { chargedWith } from "./whole-node.ts";
import { covers, type Option, pathOf, root, type Seat, type Take, type Wish, type World } from "./world.ts";

/** GPU compute by model, then GPU memory by model, then cores, then memory. */
export type Amount = number[];

export function nothing(world: World): Amount {
  return new Array<number>(world.models.length * 2 + 2).fill(0);
}

function put(world: World, into: Amount, model: number, gpus: number, members: number, take: Take): void {
  const { length } = world.models;
  if (gpus > 0) {
    into[model]! += gpus * take.compute;
    into[length + model]! += gpus * take.memory;
  }
  into[length * 2]! += members * take.cpusMilli;
  into[length * 2 + 1]! += members * take.memoryMiB;
}

function putSeats(world: World, into: Amount, what: Take & { readonly seats: readonly Seat[] }): void {
  for (const seat of what.seats) put(world, into, world.nodes[seat.node]!.model, seat.gpus.length, 1, what);
}

/** What a waiting job would hold once it runs. */
export function amountOf(world: World, wish: Wish, option: Option): Amount {
  const amount = nothing(world);
  put(world, amount, option.model, option.gpus * wish.members, wish.members, option);
  return amount;
}

export function plus(a: Amount, b: Amount): Amount {
  return a.map((each, i) => each + b[i]!);
}

/** Saves adding up the world for each question. */
interface AmountCache {
  /** By account: everything held in its subtree. */
  readonly usage: Amount[];
  /** The part of it that has not been asked to stop. */
  readonly staying: Amount[];
  /** The part that the guarantees in the subtree cover. */
  readonly covered: Amount[];
}

const caches = new WeakMap<World, AmountCache>();

function cacheOf(world: World): AmountCache {
  const known = caches.get(world);
  if (known !== undefined) return known;
  const empty = () => world.accounts.map(() => nothing(world));
  const made = { usage: empty(), staying: empty(), covered: empty() };
  for (const holding of world.holdings) {
    for (const at of [...pathOf(world, holding.account), root]) {
      putSeats(world, made.usage[at]!, holding);
      if (!holding.leaving) putSeats(world, made.staying[at]!, holding);
    }
    for (const at of pathOf(world, holding.cover)) putSeats(world, made.covered[at]!, holding);
  }
  for (const hold of world.holds) {
    for (const at of [...pathOf(world, hold.account), root]) {
      if (!hold.moving) putSeats(world, made.usage[at]!, hold);
      putSeats(world, made.staying[at]!, hold);
    }
  }
  for (const node of world.nodes.keys()) {
    const charged = chargedWith(world, node);
    if (charged === undefined) continue;
    for (const at of [...pathOf(world, charged), root]) {
      putRemainder(world, made.usage[at]!, node);
      putRemainder(world, made.staying[at]!, node);
    }
  }
  for (const { account, node, gpus } of world.remainderBeingLeft ?? []) {
    const whole = { compute: unitsPerGpu, memory: unitsPerGpu, cpusMilli: 0, memoryMiB: 0 };
    for (const at of [...pathOf(world, account), root]) {
      putSeats(world, made.usage[at]!, { ...whole, seats: [{ node, gpus }] });
      putSeats(world, made.staying[at]!, { ...whole, seats: [{ node, gpus }] });
    }
  }
  caches.set(world, made);
  return made;
}

/** Adds the remainder of a node: the units of its GPUs that are neither held by a job nor held for one [U3]. */
function putRemainder(world: World, into: Amount, node: number): void {
  const { model, gpus } = world.nodes[node]!;
  for (const gpu of gpus) {
    const has = ({ seats }: { readonly seats: readonly Seat[] }) => seats.some((seat) => seat.gpus.includes(gpu));
    if (world.holds.some(has)) continue;
    const held = world.holdings.filter(has);
    into[model]! += unitsPerGpu - held.reduce((all, { compute }) => all + compute, 0);
    into[world.models.length + model]! += unitsPerGpu - held.reduce((all, { memory }) => all + memory, 0);
  }
}

export function usageOf(world: World, account: number): Amount {
  return cacheOf(world).usage[account]!;
}

export function stayingOf(world: World, account: number): Amount {
  return cacheOf(world).staying[account]!;
}

export function coveredBelow(world: World, account: number): Amount {
  return cacheOf(world).covered[account]!;
}

/** The totals of the fleet, whatever the modes of its nodes: GPU compute, GPU memory, cores, memory. */
export function fleetTotals(world: World): [number, number, number, number] {
  let [units, cpus, memory] = [0, 0, 0];
  for (const node of world.nodes) {
    units += node.gpus.length * unitsPerGpu;
    cpus += node.cpusMilli;
    memory += node.memoryMiB;
  }
  return [units, units, cpus, memory];
}

export function sum(amounts: GpuAmounts): number {
  return Object.values(amounts).reduce((total, units) => total + units, 0);
}

/** What an account that held `held` would borrow, in each dimension [U1, U2]. */
export function beyondGuarantee(world: World, account: number, held: Amount): [number, number, number, number] {
  const { guarantee, guaranteeCpusMilli, guaranteeMemoryMiB } = world.accounts[account]!.quota;
  const { length } = world.models;
  const gpus = (first: number) => beyondEntries(world, guarantee, held.slice(first, first + length));
  const [units, , cpus, memory] = fleetTotals(world);
  // Cores and memory without a guarantee of their own are guaranteed in proportion to the GPUs, by the fleet's ratio.
  const part = (total: number) => (units === 0 ? 0 : Math.floor((total * sum(guarantee)) / units));
  return [
    gpus(0),
    gpus(length),
    Math.max(0, held[length * 2]! - (guaranteeCpusMilli ?? part(cpus))),
    Math.max(0, held[length * 2 + 1]! - (guaranteeMemoryMiB ?? part(memory))),
  ];
}

/** The longest name in a quota that covers a model; undefined = only `*` does. */
export function entryFor(amounts: GpuAmounts, model: string): string | undefined {
  return Object.keys(amounts)
    .filter((name) => name !== "*" && covers(name, model))
    .sort((a, b) => b.length - a.length)[0];
}

function beyondEntries(world: World, guarantee: GpuAmounts, byModel: readonly number[]): number {
  const used = new Map<string | undefined, number>();
  for (const [model, units] of byModel.entries()) {
    const entry = entryFor(guarantee, world.models[model]!);
    used.set(entry, (used.get(entry) ?? 0) + units);
  }
  let overflow = 0;
  for (const [entry, units] of used) overflow += Math.max(0, units - (entry === undefined ? 0 : guarantee[entry]!));
  return Math.max(0, overflow - (guarantee["*"] ?? 0));
}

export function isWithin(world: World, account: number, held: Amount): boolean {
  return beyondGuarantee(world, account, held).every((beyond) => beyond === 0);
}
