import {
  type Account,
  type AccountNo,
  accountOf,
  pathUp,
  type ReadonlyState,
  rootAccount,
  unheldAs,
  unitsPerGpu,
} from "@tessera/core";
import type { GangLevel } from "@tessera/wire";
import type { Slices } from "../slices.ts";
import { divisorKey, type LineName, type Sink } from "./lines.ts";
import { waitingByReason } from "./waiting.ts";

interface Standing {
  readonly name: LineName;
  readonly account: string;
  readonly key: string;
  readonly value: number;
}

/** Gauges at one instant, in GPUs, read from the state: nothing incremental can drift. */
export async function sampleGauges(state: ReadonlyState, now: number, slices: Slices): Promise<Standing[]> {
  const found: Standing[] = [];
  const sink: Sink = { add: (name, account, key, value) => found.push({ name, account, key, value }) };
  for (const sample of [sampleFleet, sampleHeld, sampleQuota]) {
    sample(state, sink);
    await slices.next();
  }
  for (const { account, reason, gpus } of await waitingByReason(state, now, slices))
    forEachAbove(state, account, (id) => sink.add("waiting", id, reason, gpus));
  sink.add("samples", "", "", 1);
  return found;
}

/** Calls back for the account and all above it, the root too. */
export function forEachAbove(state: ReadonlyState, account: AccountNo, tell: (id: string) => void): void {
  for (const { id, no } of pathUp(state, account)) if (no !== rootAccount) tell(id);
  tell(accountOf(state, rootAccount).id);
}

interface ModelRoom {
  capacity: number;
  idle: number;
  reserved: number;
  down: number;
  /** Whole free GPUs, and those of them on nodes that hold something too. */
  free: number;
  scattered: number;
  /** Whole free GPUs by place, of each level. */
  readonly places: Record<GangLevel, Map<string, number>>;
}

const levels = ["node", "rack", "block", "fleet"] as const satisfies readonly GangLevel[];

/** Capacity by use. Idle, reserved, down and held add up to it. */
function sampleFleet(state: ReadonlyState, sink: Sink): void {
  const { fleet } = state;
  const { id: root } = accountOf(state, rootAccount);
  const models = new Map<string, ModelRoom>();
  for (const node of fleet.nodes) {
    if (node === undefined) continue;
    const { firstGpu, facts } = node;
    // A node may have several models; mostly it has one.
    const whole = new Map<string, { free: number; all: number }>();
    for (let gpu = firstGpu as number; gpu < firstGpu + facts.gpus.length; gpu++) {
      const model = fleet.models[fleet.gpuModel[gpu]!]!;
      const room = roomOf(models, model);
      const here = whole.get(model) ?? { free: 0, all: 0 };
      whole.set(model, here);
      here.all++;
      const units = fleet.gpuFree[gpu]!;
      const as = unheldAs(fleet, node, gpu);
      room.capacity += fleet.gpuCapacity[gpu]!;
      room[as] += units;
      if (as === "idle" && units === unitsPerGpu) here.free++;
    }
    for (const [model, { free, all }] of whole) if (free > 0) countFree(roomOf(models, model), node, free, all);
  }
  const largest = { node: 0, rack: 0, block: 0, fleet: 0 };
  for (const [model, room] of models) {
    sink.add("capacity", root, model, room.capacity / unitsPerGpu);
    sink.add("idle", root, model, room.idle / unitsPerGpu);
    sink.add("reserved", root, model, room.reserved / unitsPerGpu);
    sink.add("down", root, model, room.down / unitsPerGpu);
    for (const level of levels) {
      const most = mostOf(room.places[level].values());
      largest[level] = Math.max(largest[level], most);
      sink.add(`largest.${level}`, root, model, most);
    }
    // Divided when read, so that minutes and models are weighted by their free GPUs.
    sink.add("fragmentation", root, model, 100 * room.scattered);
    sink.add("fragmentation", root, divisorKey(model), room.free);
  }
  for (const level of levels) sink.add("largest.level", root, level, largest[level]);
}

function roomOf(models: Map<string, ModelRoom>, model: string): ModelRoom {
  const known = models.get(model);
  if (known !== undefined) return known;
  const places = { node: new Map(), rack: new Map(), block: new Map(), fleet: new Map() };
  const room = { capacity: 0, idle: 0, reserved: 0, down: 0, free: 0, scattered: 0, places };
  models.set(model, room);
  return room;
}

type Node = NonNullable<ReadonlyState["fleet"]["nodes"][number]>;

/** A gang never spans engines, so places of two engines are two. */
function countFree(room: ModelRoom, { facts }: Node, free: number, all: number): void {
  room.free += free;
  if (free < all) room.scattered += free;
  const { engine, name, place } = facts;
  const names = { node: name, rack: place.rack, block: place.block, fleet: "" };
  for (const level of levels) {
    const at = `${engine}/${names[level] ?? ""}`;
    room.places[level].set(at, (room.places[level].get(at) ?? 0) + free);
  }
}

/** What leases hold, by class and by model. */
function sampleHeld(state: ReadonlyState, sink: Sink): void {
  const { fleet } = state;
  const held = new Map<
    string,
    { account: AccountNo; key: string; name: "allocated" | "allocated.model"; units: number }
  >();
  const put = (account: AccountNo, name: "allocated" | "allocated.model", key: string, units: number) => {
    const at = `${account} ${name} ${key}`;
    const known = held.get(at);
    if (known === undefined) held.set(at, { account, name, key, units });
    else known.units += units;
  };
  for (const job of state.jobs.values()) {
    for (const { gpus, unitsEach, extra } of job.leases) {
      const units = gpus.length * unitsEach;
      if (units === 0) continue;
      put(job.account, "allocated", extra ? "burst" : job.class, units);
      put(job.account, "allocated.model", fleet.models[fleet.gpuModel[gpus[0]!]!]!, units);
    }
  }
  for (const { account, name, key, units } of held.values())
    forEachAbove(state, account, (id) => sink.add(name, id, key, units / unitsPerGpu));
}

/** Guarantees and ceilings by model; and how much of idle guarantees others hold. */
function sampleQuota(state: ReadonlyState, sink: Sink): void {
  let beyond = 0;
  const promised = new Map<string, number>();
  for (const account of state.accounts) {
    if (account === undefined || account.no === rootAccount) continue;
    const { guarantee, max } = account.terms.quota;
    for (const [model, units] of Object.entries(guarantee)) {
      if (units === 0) continue;
      sink.add("guarantee", account.id, model, units / unitsPerGpu);
      if (account.parent === rootAccount) promised.set(model, (promised.get(model) ?? 0) + units);
    }
    // Limits do not add up: `*` is that of all models together, and a model that is not named has no other.
    for (const [model, units] of Object.entries(max ?? {})) {
      sink.add("max", account.id, model, units / unitsPerGpu);
      sink.add("max", account.id, divisorKey(model), 1);
    }
    if (account.parent === rootAccount) beyond += Math.max(0, -idleOf(state, account));
  }
  const root = accountOf(state, rootAccount);
  for (const [model, units] of promised) sink.add("guarantee", root.id, model, units / unitsPerGpu);
  const idle = idleBelow(state, root);
  // What no account is promised goes first to accounts that hold more than their guarantee.
  const free = Math.max(0, state.fleet.totals.gpuUnits - sumOf(promised.values()));
  sampleLent(state, sink, root, Math.min(idle, Math.max(0, beyond - free)), idle);
}

/**
 * Shares the lent GPUs of an account out to those below, by their idle guarantees. What is not promised to one below
 * stays with the account itself, so siblings together never lend more than the account above.
 */
function sampleLent(state: ReadonlyState, sink: Sink, account: Account, lent: number, idle: number): void {
  if (lent === 0) return;
  sink.add("lent", account.id, "", lent / unitsPerGpu);
  const whole = Math.max(idle, idleBelow(state, account));
  for (const no of account.children) {
    const below = accountOf(state, no);
    const own = Math.max(0, idleOf(state, below));
    if (own > 0) sampleLent(state, sink, below, lent * (own / whole), own);
  }
}

/** The unused guarantee of an account and all below it; negative if it holds more. */
function idleOf(state: ReadonlyState, { no, terms }: Account): number {
  return sumOf(Object.values(terms.quota.guarantee)) - state.usage[no]!.units;
}

function idleBelow(state: ReadonlyState, { children }: Account): number {
  return children.reduce((sum, no) => sum + Math.max(0, idleOf(state, accountOf(state, no))), 0);
}

function sumOf(amounts: Iterable<number>): number {
  let sum = 0;
  for (const units of amounts) sum += units;
  return sum;
}

function mostOf(amounts: Iterable<number>): number {
  let most = 0;
  for (const amount of amounts) most = Math.max(most, amount);
  return most;
}
