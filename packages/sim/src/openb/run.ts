import { Dice } from "../prove/dice.ts";
import type { DecisionLog } from "../trace/decision-log.ts";
import { arrivalsOf, type Order, shuffle } from "./arrivals.ts";
import { allowedModels, Cluster } from "./cluster.ts";
import { Fragment, typicalOf } from "./fragment.ts";
import type { Policy, World } from "./policy.ts";
import { type NodeList, type TaskKind, type TaskList, wholeGpu } from "./read.ts";

export interface RunInput {
  readonly nodes: NodeList;
  readonly list: TaskList;
  readonly order: Order;
  readonly seed: number;
  readonly policy: (world: World) => Policy;
  readonly log?: DecisionLog;
}

export type TaskClass = "multi" | "one" | "share" | "cpu";

/** How things stand when demand worth a share of the capacity has arrived. All in percent. */
export interface Mark {
  readonly allocation: number;
  readonly fragment: number;
  readonly fragmentOfIdle: number;
  /** Of the tasks of each class that arrived so far, those that found no place. */
  readonly failed: Readonly<Record<TaskClass, number>>;
}

interface Sums {
  records: number;
  allocation: number;
  fragment: number;
  fragmentOfIdle: number;
  tried: Record<TaskClass, number>;
  failed: Record<TaskClass, number>;
}

/** One run: every task is tried once, placed or dropped. Answers the marks asked for, in percent of demand arrived. */
export function runOnce(input: RunInput, arrivedPercents: readonly number[]): Mark[] {
  const { list, order, log } = input;
  const world = worldOf(input);
  const { cluster, kinds, dice } = world;
  const arrivals = arrivalsOf(list, cluster.capacityMilli, order, dice);
  const chosen = input.policy(world);
  const measure = new Fragment(world, typicalOf(world));
  const fragmentOf = Float64Array.from({ length: cluster.nodes }, (_, node) => measure.of(node));
  let fragment = fragmentOf.reduce((sum, value) => sum + value, 0);
  const percents = new Map<number, Sums>();
  const tried = noTasks();
  const failed = noTasks();
  let arrived = 0;
  arrivals.forEach(({ kind, memoryMiB, drawn }, at) => {
    const asked = kinds[kind]!;
    const place = chosen.choose(kind, memoryMiB);
    const klass = classOf(asked);
    tried[klass]++;
    arrived += asked.gpus * asked.milli;
    if (place === undefined) {
      failed[klass]++;
      log?.write({ task: drawn, node: "", devices: [], milli: 0, start: at, end: at });
    } else {
      const { node, device } = place;
      const devices = cluster.take(node, asked, memoryMiB, device);
      chosen.placed?.(kind, node);
      fragment -= fragmentOf[node]!;
      fragmentOf[node] = measure.of(node);
      fragment += fragmentOf[node]!;
      const [name, end] = [cluster.names[node]!, arrivals.length];
      log?.write({ task: drawn, node: name, devices, milli: asked.milli, start: at, end });
    }
    const percent = Math.round((100 * arrived) / cluster.capacityMilli);
    record(sumsAt(percents, percent), cluster, fragment, tried, failed);
  });
  return arrivedPercents.map((percent) => markAt(percents, percent));
}

/** The fleet in an order drawn by the seed, and what a policy is told of the tasks. */
export function worldOf({ nodes, list, seed }: Pick<RunInput, "nodes" | "list" | "seed">): World {
  const dice = new Dice(seed);
  const nodeOrder = nodes.names.map((_, at) => at);
  shuffle(nodeOrder, dice);
  const cluster = new Cluster(nodes, nodeOrder);
  const { kinds } = list;
  const rows: number[] = kinds.map(() => 0);
  for (const { kind } of list.tasks) rows[kind]!++;
  return { cluster, kinds, allowed: allowedModels(kinds, cluster.modelNames), rows, dice };
}

export function noTasks(): Record<TaskClass, number> {
  return { multi: 0, one: 0, share: 0, cpu: 0 };
}

export function classOf({ gpus, milli }: TaskKind): TaskClass {
  if (gpus === 0) return "cpu";
  return gpus > 1 ? "multi" : milli < wholeGpu ? "share" : "one";
}

function sumsAt(percents: Map<number, Sums>, percent: number): Sums {
  let sums = percents.get(percent);
  if (sums === undefined) {
    sums = { records: 0, allocation: 0, fragment: 0, fragmentOfIdle: 0, tried: noTasks(), failed: noTasks() };
    percents.set(percent, sums);
  }
  return sums;
}

function record(sums: Sums, cluster: Cluster, fragment: number, tried: Sums["tried"], failed: Sums["failed"]): void {
  const { capacityMilli, allocatedMilli } = cluster;
  sums.records++;
  sums.allocation += (100 * allocatedMilli) / capacityMilli;
  sums.fragment += (100 * fragment) / capacityMilli;
  sums.fragmentOfIdle += allocatedMilli === capacityMilli ? 0 : (100 * fragment) / (capacityMilli - allocatedMilli);
  Object.assign(sums.tried, tried);
  Object.assign(sums.failed, failed);
}

/** The mean over the records of that percent; where there is none, of those within one point. */
function markAt(percents: ReadonlyMap<number, Sums>, percent: number): Mark {
  const exact = percents.get(percent);
  const near = exact ? [exact] : [percent - 1, percent + 1].flatMap((other) => percents.get(other) ?? []);
  const mean = (of: (sums: Sums) => number) =>
    near.reduce((sum, sums) => sum + of(sums), 0) / near.reduce((sum, { records }) => sum + records, 0);
  const last = near.at(-1);
  const share = (klass: TaskClass) =>
    last === undefined || last.tried[klass] === 0 ? 0 : (100 * last.failed[klass]) / last.tried[klass];
  return {
    allocation: mean(({ allocation }) => allocation),
    fragment: mean(({ fragment }) => fragment),
    fragmentOfIdle: mean(({ fragmentOfIdle }) => fragmentOfIdle),
    failed: { multi: share("multi"), one: share("one"), share: share("share"), cpu: share("cpu") },
  };
}
