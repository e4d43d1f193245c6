import type { Dice } from "../prove/dice.ts";
import { Fragment, typicalOf } from "./fragment.ts";
import { classOf, type Mark, noTasks, type RunInput, type TaskClass, worldOf } from "./run.ts";

/** Mean stays before anything is measured, and in all. */
const staysBefore = 2;
const staysInAll = 5;
const chances = 1_000_000;

interface Held {
  readonly kind: number;
  readonly memoryMiB: number;
  readonly node: number;
  readonly devices: readonly number[];
}

/**
 * One run in which tasks also leave. They are drawn from the file by chance and stay for a time that is exponential and
 * such that, were none dropped, `loadPercent` of the GPUs would be asked for at once. Time is counted in arrivals.
 */
export function runWithDepartures(input: RunInput, loadPercent: number): Mark {
  const { list, log } = input;
  const world = worldOf(input);
  const { cluster, kinds, dice } = world;
  const policy = input.policy(world);
  const measure = new Fragment(world, typicalOf(world));
  const asked = list.tasks.reduce((sum, { kind }) => sum + kinds[kind]!.gpus * kinds[kind]!.milli, 0);
  const stay = ((loadPercent / 100) * cluster.capacityMilli * list.tasks.length) / Math.max(1, asked);
  const leaving = new Map<number, Held[]>();
  const [tried, failed] = [noTasks(), noTasks()];
  const times = new Map<string, number>();
  const sums = { records: 0, allocation: 0, fragment: 0, fragmentOfIdle: 0 };
  const fragmentOf = Float64Array.from({ length: cluster.nodes }, (_, node) => measure.of(node));
  let fragment = fragmentOf.reduce((sum, value) => sum + value, 0);
  const changed = (node: number) => {
    fragment -= fragmentOf[node]!;
    fragmentOf[node] = measure.of(node);
    fragment += fragmentOf[node]!;
  };
  for (let at = 0; at < staysInAll * stay; at++) {
    for (const { kind, memoryMiB, node, devices } of leaving.get(at) ?? []) {
      cluster.leave(node, kinds[kind]!, memoryMiB, devices);
      policy.left?.(kind, node);
      changed(node);
    }
    leaving.delete(at);
    const { name, kind, memoryMiB } = dice.pick(list.tasks);
    // Drawn for those that are dropped too, so that every policy sees the same tasks.
    const end = at + lengthOf(stay, dice);
    const count = (times.get(name) ?? 0) + 1;
    times.set(name, count);
    const drawn = count === 1 ? name : `${name}#${count}`;
    const place = policy.choose(kind, memoryMiB);
    const counted = at >= staysBefore * stay;
    const klass = classOf(kinds[kind]!);
    if (counted) tried[klass]++;
    if (place === undefined) {
      if (counted) failed[klass]++;
      log?.write({ task: drawn, node: "", devices: [], milli: 0, start: at, end: at });
    } else {
      const { node, device } = place;
      const devices = cluster.take(node, kinds[kind]!, memoryMiB, device);
      policy.placed?.(kind, node);
      changed(node);
      const others = leaving.get(end);
      if (others === undefined) leaving.set(end, [{ kind, memoryMiB, node, devices }]);
      else others.push({ kind, memoryMiB, node, devices });
      log?.write({ task: drawn, node: cluster.names[node]!, devices, milli: kinds[kind]!.milli, start: at, end });
    }
    if (!counted) continue;
    const { capacityMilli, allocatedMilli } = cluster;
    sums.records++;
    sums.allocation += (100 * allocatedMilli) / capacityMilli;
    sums.fragment += (100 * fragment) / capacityMilli;
    sums.fragmentOfIdle += allocatedMilli === capacityMilli ? 0 : (100 * fragment) / (capacityMilli - allocatedMilli);
  }
  const share = (klass: TaskClass) => (tried[klass] === 0 ? 0 : (100 * failed[klass]) / tried[klass]);
  return {
    allocation: sums.allocation / sums.records,
    fragment: sums.fragment / sums.records,
    fragmentOfIdle: sums.fragmentOfIdle / sums.records,
    failed: { multi: share("multi"), one: share("one"), share: share("share"), cpu: share("cpu") },
  };
}

/** At least one arrival long. */
function lengthOf(mean: number, dice: Dice): number {
  const chance = dice.whole(1, chances) / chances;
  return 1 + Math.floor(-Math.log(chance) * mean);
}
