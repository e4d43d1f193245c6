import { unitsPerGpu } from "@tessera/core/model";
import { tenantOf } from "./whole-node.ts";
import type { HeldSeats, Holding, Load, Option, PartMode, Wish, World } from "./world.ts";

/** The MIG profiles of a GPU of 80 GB: legal starts in eighths of its memory, and eighths taken. */
const profiles: Readonly<Record<string, { readonly starts: readonly number[]; readonly eighths: number }>> = {
  "1g.10gb": { starts: [0, 1, 2, 3, 4, 5, 6], eighths: 1 },
  "1g.10gb+me": { starts: [0, 1, 2, 3, 4, 5, 6], eighths: 1 },
  "1g.20gb": { starts: [0, 2, 4, 6], eighths: 2 },
  "2g.20gb": { starts: [0, 2, 4], eighths: 2 },
  "3g.40gb": { starts: [0, 4], eighths: 4 },
  "4g.40gb": { starts: [0], eighths: 4 },
  "7g.80gb": { starts: [0], eighths: 8 },
};

/** The eighths of a GPU that an instance takes; undefined for an illegal start. */
function eighthsOf(profile: string, slot: number): number[] | undefined {
  const known = profiles[profile];
  if (known === undefined || !known.starts.includes(slot)) return undefined;
  return Array.from({ length: known.eighths }, (_, i) => slot + i);
}

/** A job that holds a part of a GPU, or has one held for it. */
interface Occupant {
  readonly job: string;
  readonly account: number;
  readonly mode: PartMode;
  readonly compute: number;
  readonly memory: number;
  readonly profile: string;
  readonly slot: number;
  readonly load: Load | undefined;
}

/** The jobs that hold a GPU or have it held for them: in parts, or whole. */
function occupantsOf(world: World, gpu: number): { readonly parts: Occupant[]; readonly whole: string[] } {
  const parts: Occupant[] = [];
  const whole: string[] = [];
  for (const each of [...world.holdings, ...world.holds] as (Holding | HeldSeats)[]) {
    for (const seat of each.seats) {
      if (!seat.gpus.includes(gpu)) continue;
      const { job, account, part: mode, compute, memory, profile = "", load } = each;
      if (mode === undefined) whole.push(job);
      else parts.push({ job, account, mode, compute, memory, profile, slot: seat.slot ?? -1, load });
    }
  }
  return { parts, whole };
}

/** Whether two accounts may share one GPU [P3]. */
function mayShare(world: World, mode: PartMode, a: number, b: number): boolean {
  const [one, two] = [tenantOf(world, a), tenantOf(world, b)];
  if (one === two) return true;
  const [first, second] = [world.accounts[one]!, world.accounts[two]!];
  if (first.trust === "confidential" || second.trust === "confidential") return false;
  if (first.trust !== "trusted" || second.trust !== "trusted")
    return mode === "mig" && allows(first, second) && allows(second, first);
  return mode === "mig" || (first.trustGroup !== "" && first.trustGroup === second.trustGroup);
}

/** Whether parts of an account's tenant may come to a node, by its pool [P11]. */
function isTrusted(world: World, node: number, account: number): boolean {
  const { trust: least } = world.nodes[node]!;
  const { trust } = world.accounts[tenantOf(world, account)]!;
  if (least === undefined || least === "confidential") return true;
  return least === "untrusted" ? trust !== "confidential" : trust === "trusted";
}

function allows({ migWith = [] }: World["accounts"][number], { path }: World["accounts"][number]): boolean {
  return migWith.includes(path);
}

/** What each neighbour adds to the latency, serving and computing, in tenths of that without neighbours [P5]. */
const longer = { mig: [0, 0], mps: [4, 36], timeslice: [5, 20] } as const;

/** A job whose latency promise is broken by its neighbours. */
function unkept(parts: readonly Occupant[]): Occupant | undefined {
  return parts.find((one) => {
    const others = parts.filter((each) => each !== one);
    const tenths = others.reduce((sum, { mode, load }) => sum + longer[mode][load?.serves ? 0 : 1], 10);
    return one.load?.times !== undefined && tenths > one.load.times * 10;
  });
}

/** How many members a node has free parts for, at most `most`. */
export function partsOn(world: World, node: number, wish: Wish, option: Option, most: number): number {
  let count = 0;
  for (const gpu of world.nodes[node]!.gpus) count += partsOf(world, node, gpu, wish, option, most - count);
  return count;
}

function partsOf(world: World, node: number, gpu: number, wish: Wish, option: Option, most: number): number {
  const { mode } = world.nodes[node]!;
  const { parts, whole } = occupantsOf(world, gpu);
  const kept = world.holds.some((hold) => hold.seats.some((seat) => seat.gpus.includes(gpu)));
  if (option.part !== mode || whole.length > 0 || kept || !isTrusted(world, node, wish.account)) return 0;
  if (!parts.every((other) => mayShare(world, mode, wish.account, other.account))) return 0;
  const { compute, memory, profile = "" } = option;
  const room = (beside: readonly Occupant[]): number => {
    if (beside.length >= parts.length + most) return most;
    const used = (what: "compute" | "memory") => beside.reduce((total, each) => total + each[what], 0);
    if (used("compute") + compute > unitsPerGpu || used("memory") + memory > unitsPerGpu)
      return beside.length - parts.length;
    const slots = mode === "mig" ? freeStarts(beside, profile) : [-1];
    // The start of the first instance can exclude the second, so every start is tried.
    const next = (slot: number) => {
      const one = { job: "", account: wish.account, mode, compute, memory, profile, slot, load: wish.load };
      return unkept([...beside, one]) === undefined ? room([...beside, one]) : beside.length - parts.length;
    };
    return Math.max(beside.length - parts.length, ...slots.map(next));
  };
  return most <= 0 ? 0 : room(parts);
}

function freeStarts(beside: readonly Occupant[], profile: string): number[] {
  const taken = new Set(beside.flatMap((each) => eighthsOf(each.profile, each.slot) ?? []));
  const starts = profiles[profile]?.starts ?? [];
  return starts.filter((slot) => eighthsOf(profile, slot)!.every((eighth) => !taken.has(eighth)));
}

/** The fault of how a GPU is shared; undefined = none. */
export function faultOfGpu(
  world: World,
  node: number,
  gpu: number,
): { readonly kind: "capacity" | "trust"; readonly what: string } | undefined {
  const { parts, whole } = occupantsOf({ ...world, holds: [] }, gpu);
  const here = `GPU ${gpu}`;
  const capacity = (what: string) => ({ kind: "capacity", what }) as const;
  if (whole.length + Math.min(1, parts.length) > 1) {
    return capacity(`${here} is held by ${[...whole, ...parts.map(({ job }) => job)].join(" and ")}`);
  }
  const { mode } = world.nodes[node]!;
  const total = (what: "compute" | "memory") => parts.reduce((units, each) => units + each[what], 0);
  if (total("compute") > unitsPerGpu || total("memory") > unitsPerGpu)
    return capacity(`${here} holds more than it has`);
  const taken = new Set<number>();
  for (const { job, account, mode: own, profile, slot } of parts) {
    if (!isTrusted(world, node, account))
      return { kind: "trust", what: `[P11] ${here}: the pool takes no parts of the tenant of ${job}` };
    if (own !== mode) return capacity(`${here}: ${job} has a part by ${own} in a pool of ${mode}`);
    if (own !== "mig") continue;
    const eighths = eighthsOf(profile, slot);
    if (eighths === undefined) return capacity(`${here}: ${job} has a ${profile} that begins at ${slot}`);
    for (const eighth of eighths) {
      if (taken.has(eighth)) return capacity(`${here}: ${job} overlaps another instance`);
      taken.add(eighth);
    }
  }
  const broken = unkept(parts);
  if (broken !== undefined) return { kind: "trust", what: `[P5] ${here}: others break the promise of ${broken.job}` };
  for (const [i, one] of parts.entries()) {
    const other = parts.slice(i + 1).find((each) => !mayShare(world, one.mode, one.account, each.account));
    if (other !== undefined)
      return { kind: "trust", what: `${here} is shared by ${one.job} and ${other.job} by ${one.mode}` };
  }
  return undefined;
}

/** A job beside a confidential tenant on its node [U3]; seats may be held where jobs of others are stopping. */
export function faultOfNode(world: World, node: number): { readonly kind: "trust"; readonly what: string } | undefined {
  const isHere = ({ seats }: Holding | HeldSeats) => seats.some((seat) => seat.node === node);
  const held = world.holdings.filter(isHere);
  const staying = [...held.filter((each) => !each.leaving), ...world.holds.filter(isHere)];
  for (const here of [held, staying]) {
    const secret = here.find(({ account }) => world.accounts[tenantOf(world, account)]!.trust === "confidential");
    if (secret === undefined) continue;
    const other = here.find(({ account }) => tenantOf(world, account) !== tenantOf(world, secret.account));
    if (other === undefined) continue;
    return { kind: "trust", what: `[U3] ${other.job} is on a node with ${secret.job}, whose tenant shares none` };
  }
  return undefined;
}
