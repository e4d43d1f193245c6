import { Fragment, typicalOf } from "./fragment.ts";
import { ByScore, type Place, type Policy, type Scorer, type World } from "./policy.ts";
import { wholeGpu } from "./read.ts";

/** The largest node of the published runs, by which they scale. */
const cpuScale = 128_000;
const gpuScale = 8 * wholeGpu;

/** The policies of the publication, for comparison; formulas and rounding are theirs. */
export const published: Readonly<Record<string, (world: World) => Policy>> = {
  fgd: (world) => new ByScore(world, fragmentationGradient(world)),
  bestfit: (world) => new ByScore(world, bestFit(world)),
  dotprod: (world) => new ByScore(world, dotProduct(world)),
  packing: (world) => new ByScore(world, packing(world)),
  clustering: (world) => new ByScore(world, clustering(world)),
  random: anyNode,
};

function fragmentationGradient(world: World): Scorer {
  const { cluster, kinds } = world;
  const fragment = new Fragment(world, typicalOf(world));
  /** The best integer score over the devices a share could take, and the first device that reaches it. */
  const best = (kind: number, node: number): { score: number; device: number } => {
    const { cpuMilli, gpus, milli } = kinds[kind]!;
    const before = fragment.of(node);
    const scoreOn = (device: number) =>
      Math.trunc(100 / (1 + Math.exp(-(before - fragment.after(node, cpuMilli, gpus, milli, device)) / 1000)));
    if (gpus === 0 || milli === wholeGpu) return { score: scoreOn(-1), device: -1 };
    let found = { score: -1, device: -1 };
    const first = node * cluster.stride;
    for (let device = 0; device < cluster.gpus[node]!; device++) {
      if (cluster.free[first + device]! < milli) continue;
      const score = scoreOn(device);
      if (score > found.score) found = { score, device };
    }
    return found;
  };
  return { score: (kind, node) => best(kind, node).score, device: (kind, node) => best(kind, node).device };
}

/** Scorers that take the tightest device for a share. */
function onTightest({ cluster, kinds }: World, score: Scorer["score"]): Scorer {
  return { score, device: (kind, node) => cluster.tightest(node, kinds[kind]!.milli) };
}

function bestFit(world: World): Scorer {
  const { cluster, kinds } = world;
  return onTightest(world, (kind, node) => {
    const { cpuMilli, gpus, milli } = kinds[kind]!;
    const left =
      (0.5 * (cluster.cpuFree[node]! - cpuMilli)) / cpuScale + (0.5 * (cluster.idle[node]! - gpus * milli)) / gpuScale;
    return Math.trunc(100 * (1 - left));
  });
}

function dotProduct(world: World): Scorer {
  const { cluster, kinds } = world;
  return onTightest(world, (kind, node) => {
    const { cpuMilli, gpus, milli } = kinds[kind]!;
    const product =
      (cluster.cpuFree[node]! / cpuScale) * (cpuMilli / cpuScale) +
      (cluster.idle[node]! / gpuScale) * ((gpus * milli) / gpuScale);
    return Math.trunc(100 * (1 - product / 2));
  });
}

function packing(world: World): Scorer {
  const { cluster, kinds } = world;
  return onTightest(world, (kind, node) => {
    const { gpus, milli } = kinds[kind]!;
    const devices = cluster.gpus[node]!;
    if (gpus === 0) return 0;
    if (cluster.whole[node] === devices) return Math.max(33 - devices, devices);
    const first = node * cluster.stride;
    const taken = [...cluster.free.subarray(first, first + devices)]
      .sort((a, b) => a - b)
      .filter((free) => free >= milli)
      .slice(0, gpus);
    const opened = taken.filter((free) => free === wholeGpu).length;
    if (opened > 0) return Math.max(50 - opened, 33);
    const sum = taken.reduce((total, free) => total + Math.trunc(free / 10), 0);
    return Math.max(100 - Math.trunc(sum / 10), 50);
  });
}

function clustering(world: World): Scorer {
  const { cluster, kinds } = world;
  /** On each node how many tasks it hosts of each tag. */
  const hosted = Array.from({ length: cluster.nodes }, () => new Map<number, number>());
  const tagOf = (kind: number) => (kinds[kind]!.milli < wholeGpu ? 0 : kinds[kind]!.gpus);
  const scorer = onTightest(world, (kind, node) => {
    if (kinds[kind]!.gpus === 0) return 0;
    const base = Math.trunc((25 * (gpuScale - cluster.idle[node]!)) / gpuScale);
    const tags = hosted[node]!;
    if (tags.has(tagOf(kind))) return base + (tags.size === 1 ? 75 : 50);
    return tags.size === 0 ? base + 25 : base;
  });
  const count = (kind: number, node: number, change: 1 | -1) => {
    if (kinds[kind]!.gpus === 0) return;
    const tags = hosted[node]!;
    const left = (tags.get(tagOf(kind)) ?? 0) + change;
    if (left === 0) tags.delete(tagOf(kind));
    else tags.set(tagOf(kind), left);
  };
  return { ...scorer, placed: (kind, node) => count(kind, node, 1), left: (kind, node) => count(kind, node, -1) };
}

/** Any node that has room, any device of it that has enough. */
function anyNode({ cluster, kinds, allowed, dice }: World): Policy {
  return {
    choose(kind, memoryMiB): Place | undefined {
      const feasible: number[] = [];
      for (let node = 0; node < cluster.nodes; node++) {
        if (cluster.memoryFree[node]! >= memoryMiB && cluster.fits(node, kinds[kind]!, allowed[kind]!)) {
          feasible.push(node);
        }
      }
      if (feasible.length === 0) return undefined;
      const node = dice.pick(feasible);
      const { gpus, milli } = kinds[kind]!;
      if (gpus === 0 || milli === wholeGpu) return { node, device: -1 };
      const first = node * cluster.stride;
      const devices = [...cluster.free.subarray(first, first + cluster.gpus[node]!).keys()];
      return { node, device: dice.pick(devices.filter((device) => cluster.free[first + device]! >= milli)) };
    },
  };
}
