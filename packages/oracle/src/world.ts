import type { Instant, Quota, Trust } from "@tessera/core/model";

/**
 * A fleet and its accounts at one instant, as plain values, for the slow model of SPEC.md that the scheduler is compared
 * with. Everything is looked up by scanning; nothing is kept up to date.
 */
export interface World {
  readonly now: Instant;
  /** The root first; those above come before those below. */
  readonly accounts: readonly Account[];
  readonly models: readonly string[];
  readonly nodes: readonly Node[];
  /** The rest of nodes that are being left, by whom it is charged to until they are: it counts like the others' [U3]. */
  readonly restBeingLeft?: readonly {
    readonly account: number;
    readonly node: number;
    readonly gpus: readonly number[];
  }[];
  /** What is held by jobs that were placed. */
  readonly holdings: readonly Holding[];
  /** Room that is kept for jobs whose victims have not all left (T7). */
  readonly holds: readonly Hold[];
  /** Jobs that wait and could start as far as they themselves are concerned. */
  readonly wishes: readonly Wish[];
  readonly rebalance: "on" | "checkpointed" | "off";
  readonly minRuntimeMs: number;
  /** Planned starts, in the order in which they were planned; the job of each is among the wishes [B1]. */
  readonly planned: readonly Plan[];
}

export interface Plan {
  /** The number of its job. */
  readonly no: number;
  readonly at: Instant;
}

export interface Account {
  readonly path: string;
  /** Its place in `accounts`; -1 above the root. */
  readonly above: number;
  readonly quota: Quota;
  readonly trust: Trust;
  /** Tenants of one group may share by MPS and time slices; "" = none. */
  readonly trustGroup: string;
  /** Paths of tenants with whom it shares a GPU cut by MIG if they say the same. */
  readonly migWith?: readonly string[];
}

export const root = 0;
/** The cover of burst work. */
export const nobody = -1;

export interface Node {
  readonly name: string;
  /** It takes new work. */
  readonly up: boolean;
  readonly model: number;
  /** Its devices, by numbers that no other node has. */
  readonly gpus: readonly number[];
  /** How its devices are shared. */
  readonly mode: "whole" | PartMode;
  readonly cpusMilli: number;
  readonly memoryMiB: number;
  readonly zone: string;
  readonly block: string;
  readonly rack: string;
  readonly nvlink: string;
  /** The lowest account of a confidential tenant that holds everyone of it who came since the node was empty [U3]. */
  readonly charged?: number;
}

export type PartMode = "mig" | "mps" | "timeslice";

export interface Seat {
  readonly node: number;
  readonly gpus: readonly number[];
  /** Where its part of the one GPU begins, if that was cut by MIG. */
  readonly slot?: number;
}

/** What each of some equal members takes. */
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

/** How one works beside others on a GPU [P5]. */
export interface Load {
  /** It answers requests; else it computes all the time. */
  readonly serves: boolean;
  /** How many times as long as alone an answer may take; absent = nobody is promised anything. */
  readonly times?: number;
}

/** One thing that can be taken back as a whole: the least members of a job together, or one member beyond them. */
export interface Holding extends Take {
  readonly job: string;
  readonly account: number;
  /** Counts submissions; a larger one is younger. */
  readonly no: number;
  readonly seats: readonly Seat[];
  /** The account whose guarantee covers it; `nobody` = burst. */
  readonly cover: number;
  /** A member beyond the least that its job needs. */
  readonly extra: boolean;
  /** It has been told to stop. */
  readonly leaving: boolean;
  readonly priority: number;
  readonly preemptible: boolean;
  /** When it was placed. */
  readonly since: Instant;
  /** When it began to run; 0 = not yet. */
  readonly startedAt: Instant;
  readonly checkpointMs?: number;
  readonly evictedAt: readonly Instant[];
  /** When it is over at the latest; absent = nobody can tell. */
  readonly endsAt?: Instant;
}

export interface Hold extends Take {
  readonly job: string;
  readonly account: number;
  readonly seats: readonly Seat[];
  /** The job still has its old seat and is used for that only [T9]. */
  readonly moving?: boolean;
}

export const levels = ["zone", "block", "rack", "nvlink", "node"] as const;
export type Level = (typeof levels)[number];

export interface Wish {
  readonly job: string;
  readonly account: number;
  readonly no: number;
  /** Alternatives in order of preference. */
  readonly asks: readonly Ask[];
  readonly members: number;
  /** It takes more members than those when they are to be had. */
  readonly elastic: boolean;
  /** On different nodes. */
  readonly apart: boolean;
  /** All in one place of this level. */
  readonly within?: Level;
  readonly cpusMilli: number;
  readonly memoryMiB: number;
  readonly load?: Load;
  readonly priority: number;
  readonly preemptible: boolean;
  readonly checkpointMs?: number;
  readonly evictedAt: readonly Instant[];
  /** How long it runs at most; absent = nobody can tell. */
  readonly runsMs?: number;
}

export interface Ask {
  /** A model or the beginning of one; `*` = any. */
  readonly model: string;
  readonly gpus: number;
  readonly compute: number;
  readonly memory: number;
  readonly part?: PartMode;
  readonly profile?: string;
  /** A fraction that comes to that profile was asked for: another wish than the profile, with a turn of its own [O3]. */
  readonly isFraction?: boolean;
}

/** One way in which a wish can be met: an alternative on one model. */
export interface Option extends Omit<Ask, "model">, Take {
  readonly choice: number;
  readonly model: number;
  readonly gpus: number;
}

/** Whether a name in a wish or a quota stands for a model: the same, or a variant of it [U2]. */
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

/** The account and those above it, lowest first, without the root. */
export function pathOf(world: World, account: number): number[] {
  const path: number[] = [];
  for (let at = account; at !== root && at !== nobody; at = world.accounts[at]!.above) path.push(at);
  return path;
}

/** Whether `account` is `above` or lies below it. */
export function isInside(world: World, account: number, above: number): boolean {
  for (let at = account; at !== nobody; at = world.accounts[at]!.above) if (at === above) return true;
  return false;
}

/** The lowest account above both, or at them. */
export function lowestCommon(world: World, a: number, b: number): number {
  let at = a;
  while (!isInside(world, b, at)) at = world.accounts[at]!.above;
  return at;
}

/** The world as it would be without some holdings. */
export function without(world: World, gone: readonly Holding[]): World {
  if (gone.length === 0) return world;
  const after = { ...world, holdings: world.holdings.filter((each) => !gone.includes(each)) };
  if (!world.nodes.some(({ charged }) => charged !== undefined)) return after;
  // A node that is empty in between knows nothing of who was there.
  const isUsed = (node: number) =>
    [...after.holdings, ...after.holds].some(({ seats }) => seats.some((seat) => seat.node === node));
  const nodes = world.nodes.map((node, no) => (isUsed(no) ? node : { ...node, charged: undefined }));
  return { ...after, nodes };
}

/** What nobody holds of nodes of which everyone who is there leaves. */
function restBeingLeft(world: World): World["restBeingLeft"] {
  const on = (node: number) => world.holdings.filter(({ seats }) => seats.some((seat) => seat.node === node));
  const isKept = (node: number) => world.holds.some(({ seats }) => seats.some((seat) => seat.node === node));
  return world.nodes.flatMap(({ charged, gpus }, node) => {
    if (charged === undefined || isKept(node) || on(node).some(({ leaving }) => !leaving)) return [];
    const held = new Set(on(node).flatMap(({ seats }) => seats.flatMap((seat) => seat.gpus)));
    return [{ account: charged, node, gpus: gpus.filter((gpu) => !held.has(gpu)) }];
  });
}

/** The world as it will be when everyone who was told to stop has gone; what a claim is judged on. */
export function onceLeft(world: World): World {
  const left = without(
    world,
    world.holdings.filter((each) => each.leaving),
  );
  const isWhole = world.nodes.some(({ charged }) => charged !== undefined);
  const staying = isWhole && left !== world ? { ...left, restBeingLeft: restBeingLeft(world) } : left;
  if (!world.holds.some((hold) => hold.moving)) return staying;
  return { ...staying, holds: world.holds.map((hold) => ({ ...hold, moving: false })) };
}
