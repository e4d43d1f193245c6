import type { Instant, Quota, Trust } from "@tessera/core/model";

/**
 * A fleet and its accounts at one instant, as plain values: the input of the oracle. Everything is looked up by scanning;
 * nothing is indexed, so that nothing can be out of date.
 */
export interface World {
  readonly now: Instant;
  /** The root first; parents come before their children. */
  readonly accounts: readonly Account[];
  readonly models: readonly string[];
  readonly nodes: readonly Node[];
  /** The remainders of nodes whose jobs are all stopping, by the account charged until they have stopped [U3]. */
  readonly remainderBeingLeft?: readonly {
    readonly account: number;
    readonly node: number;
    readonly gpus: readonly number[];
  }[];
  /** What placed jobs hold. */
  readonly holdings: readonly Holding[];
  /** Seats held for claimants whose victims have not all stopped [T7]. */
  readonly holds: readonly HeldSeats[];
  /** Waiting jobs that may start by themselves: not held, not before their time, dependencies ended. */
  readonly wishes: readonly Wish[];
  readonly rebalance: "on" | "checkpointed" | "off";
  readonly minRuntimeMs: number;
  /** Planned starts, in the order of planning; the job of each is among the wishes [B1]. */
  readonly planned: readonly Plan[];
}

export interface Plan {
  /** The number of its job. */
  readonly no: number;
  readonly at: Instant;
}

export interface Account {
  readonly path: string;
  /** The index of its parent in `accounts`; -1 above the root. */
  readonly above: number;
  readonly quota: Quota;
  readonly trust: Trust;
  /** Tenants of one group may share by MPS and time slices; "" = none. */
  readonly trustGroup: string;
  /** Paths of tenants with which it shares a MIG GPU if they list it too. */
  readonly migWith?: readonly string[];
}

export const root = 0;
/** No account: the cover of burst work. */
export const noAccount = -1;

export interface Node {
  readonly name: string;
  readonly engine: string;
  /** It takes new work. */
  readonly up: boolean;
  readonly model: number;
  /** Its GPUs, numbered over the whole fleet. */
  readonly gpus: readonly number[];
  /** The mode of its GPUs. */
  readonly mode: "whole" | PartMode;
  readonly cpusMilli: number;
  readonly memoryMiB: number;
  readonly region: string;
  readonly zone: string;
  readonly block: string;
  readonly rack: string;
  readonly nvlink: string;
  /** Its labels, with `engine` and `region` among them. */
  readonly labels?: Labels;
  /** The accounts at and below which jobs may use it, by its pool; absent = all [P11]. */
  readonly tenants?: readonly number[];
  /** The least trust of a tenant whose parts come here; absent = every tenant [P11]. */
  readonly trust?: Trust;
  /** The lowest account that contains every job of a confidential tenant that came since the node was empty [U3]. */
  readonly charged?: number;
}

export interface Labels {
  readonly [key: string]: string;
}

export type PartMode = "mig" | "mps" | "timeslice";

export interface Seat {
  readonly node: number;
  readonly gpus: readonly number[];
  /** The start of its part of the one GPU, by MIG. */
  readonly slot?: number;
}

/** What each of a job's equal members takes. */
export interface Take {
  /** Of each GPU. */
  readonly compute: number;
  readonly memory: number;
  /** Of its node. */
  readonly cpusMilli: number;
  readonly memoryMiB: number;
  /** How its one GPU is shared; absent = it has whole ones. */
  readonly part?: PartMode;
  /** The MIG profile of that part. */
  readonly profile?: string;
  readonly load?: Load;
}

/** The load of a job on a shared GPU [P5]. */
export interface Load {
  /** It answers requests; otherwise it computes all the time. */
  readonly serves: boolean;
  /** The promised latency as a multiple of that without neighbours; absent = it promises none. */
  readonly times?: number;
}

/** What can be evicted as one: the minimum of a job's members together, or one extra member. */
export interface Holding extends Take {
  readonly job: string;
  readonly account: number;
  /** The number of the submission; a larger one is younger. */
  readonly no: number;
  readonly seats: readonly Seat[];
  /** The account whose guarantee covers it; `noAccount` = burst. */
  readonly cover: number;
  /** A member beyond the minimum of its job. */
  readonly extra: boolean;
  /** It has been asked to stop. */
  readonly leaving: boolean;
  readonly priority: number;
  readonly preemptible: boolean;
  /** When it was placed. */
  readonly since: Instant;
  /** When it began to run; 0 = not yet. */
  readonly startedAt: Instant;
  readonly checkpointMs?: number;
  readonly evictedAt: readonly Instant[];
  /** Its latest end; absent = unknown. */
  readonly endsAt?: Instant;
}

/** Seats held for a claimant [T7]. */
export interface HeldSeats extends Take {
  readonly job: string;
  readonly account: number;
  readonly seats: readonly Seat[];
  /** The job still has its old seat, and only that counts as its usage [T9]. */
  readonly moving?: boolean;
}

export const levels = ["region", "zone", "block", "rack", "nvlink", "node"] as const;
export type Level = (typeof levels)[number];

/** A waiting job. */
export interface Wish {
  readonly job: string;
  readonly account: number;
  readonly no: number;
  /** Alternatives in order of preference. */
  readonly asks: readonly Ask[];
  readonly members: number;
  /** It grows beyond these members when there is room. */
  readonly elastic: boolean;
  /** Members on different nodes. */
  readonly apart: boolean;
  /** Only on nodes with all of these labels [P10]. */
  readonly where?: Labels;
  /** All members in one domain of this level. */
  readonly within?: Level;
  readonly cpusMilli: number;
  readonly memoryMiB: number;
  readonly load?: Load;
  readonly priority: number;
  readonly preemptible: boolean;
  readonly checkpointMs?: number;
  readonly evictedAt: readonly Instant[];
  /** Its longest run time; absent = unknown. */
  readonly runsMs?: number;
}

export interface Ask {
  /** A model or a prefix of one; `*` = any. */
  readonly model: string;
  readonly gpus: number;
  readonly compute: number;
  readonly memory: number;
  readonly part?: PartMode;
  readonly profile?: string;
  /** The job requests a fraction that amounts to this profile: another request than the profile itself [O3]. */
  readonly isFraction?: boolean;
}

/** One way to start a waiting job: an alternative on one model. */
export interface Option extends Omit<Ask, "model">, Take {
  readonly choice: number;
  readonly model: number;
  readonly gpus: number;
}

/** Whether a name in a request or a quota covers a model: the same model, or a variant of it [U2]. */
export function covers(name: string, model: string): boolean {
  return name === "*" || name === model || model.startsWith(`${name}-`);
}

export function optionsOf(world: World, wish: Wish): Option[] {
  const { cpusMilli, memoryMiB } = wish;
  return wish.asks.flatMap((ask, choice) =>
    world.models
      .map((name, model) => ({ name, model }))
      .filter(({ name }) => covers(ask.model, name))
      .map(({ model }) => ({ ...ask, choice, model, cpusMilli, memoryMiB })),
  );
}

/** Whether a node is one of those that a job asks for, and its pool is open to the job's account [P10, P11]. */
export function takes(world: World, { account, where = {} }: Wish, node: number): boolean {
  const { labels = {}, tenants } = world.nodes[node]!;
  if (Object.keys(where).some((key) => labels[key] !== where[key])) return false;
  return tenants === undefined || tenants.some((tenant) => isInside(world, account, tenant));
}

/** The account and all accounts above it, lowest first, without the root. */
export function pathOf(world: World, account: number): number[] {
  const path: number[] = [];
  for (let at = account; at !== root && at !== noAccount; at = world.accounts[at]!.above) path.push(at);
  return path;
}

/** Whether `account` is `above` itself or lies below it. */
export function isInside(world: World, account: number, above: number): boolean {
  for (let at = account; at !== noAccount; at = world.accounts[at]!.above) if (at === above) return true;
  return false;
}

/** The lowest account that contains both. */
export function lowestCommon(world: World, a: number, b: number): number {
  let at = a;
  while (!isInside(world, b, at)) at = world.accounts[at]!.above;
  return at;
}

/** The world without some holdings. */
export function without(world: World, gone: readonly Holding[]): World {
  if (gone.length === 0) return world;
  const after = { ...world, holdings: world.holdings.filter((each) => !gone.includes(each)) };
  if (!world.nodes.some(({ charged }) => charged !== undefined)) return after;
  // An empty node forgets the account that was charged.
  const isUsed = (node: number) =>
    [...after.holdings, ...after.holds].some(({ seats }) => seats.some((seat) => seat.node === node));
  const nodes = world.nodes.map((node, no) => (isUsed(no) ? node : { ...node, charged: undefined }));
  return { ...after, nodes };
}

/** The remainders of confidential nodes whose jobs are all stopping. */
function remainderBeingLeft(world: World): World["remainderBeingLeft"] {
  const on = (node: number) => world.holdings.filter(({ seats }) => seats.some((seat) => seat.node === node));
  const isKept = (node: number) => world.holds.some(({ seats }) => seats.some((seat) => seat.node === node));
  return world.nodes.flatMap(({ charged, gpus }, node) => {
    if (charged === undefined || isKept(node) || on(node).some(({ leaving }) => !leaving)) return [];
    const held = new Set(on(node).flatMap(({ seats }) => seats.flatMap((seat) => seat.gpus)));
    return [{ account: charged, node, gpus: gpus.filter((gpu) => !held.has(gpu)) }];
  });
}

/** The world once all stopping jobs have stopped; a claim is judged on it. */
export function onceLeft(world: World): World {
  const left = without(
    world,
    world.holdings.filter((each) => each.leaving),
  );
  const isWhole = world.nodes.some(({ charged }) => charged !== undefined);
  const staying = isWhole && left !== world ? { ...left, remainderBeingLeft: remainderBeingLeft(world) } : left;
  if (!world.holds.some((hold) => hold.moving)) return staying;
  return { ...staying, holds: world.holds.map((hold) => ({ ...hold, moving: false })) };
}
