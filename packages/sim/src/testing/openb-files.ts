import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Dice } from "../prove/dice.ts";

const nodeShapes = [
  { gpus: 8, cpus: 96, memoryGiB: 384, model: "big", weight: 5 },
  { gpus: 2, cpus: 104, memoryGiB: 512, model: "small", weight: 3 },
  { gpus: 4, cpus: 32, memoryGiB: 128, model: "old", weight: 1 },
];

/** How many of a hundred tasks are of each kind. */
const taskShapes = [
  { gpus: 0, milli: [0], cpus: [4, 8, 16], weight: 12 },
  { gpus: 1, milli: [200, 330, 460, 500, 810], cpus: [2, 4, 8], weight: 38 },
  { gpus: 1, milli: [1000], cpus: [6, 8, 11], weight: 46 },
  { gpus: 2, milli: [1000], cpus: [16], weight: 2 },
  { gpus: 8, milli: [1000], cpus: [64, 88], weight: 2 },
];

/** Writes a node list and a task list with the columns of openb and a mix like a real fleet's; the same for a seed. */
export function writeOpenbFiles(
  folder: string,
  { nodes, tasks, seed }: { nodes: number; tasks: number; seed: number },
) {
  const dice = new Dice(seed);
  const nodeRows = Array.from({ length: nodes }, (_, at) => {
    const { gpus, cpus, memoryGiB, model } = weighted(nodeShapes, dice);
    return `node-${String(at).padStart(4, "0")},${cpus * 1000},${memoryGiB * 1024},${gpus},${model}`;
  });
  const taskRows = Array.from({ length: tasks }, (_, at) => {
    const { gpus, milli, cpus } = weighted(taskShapes, dice);
    const spec = gpus > 0 && dice.chance(5) ? "small|old" : "";
    const name = `task-${String(at).padStart(4, "0")}`;
    return `${name},${dice.pick(cpus) * 1000},${dice.whole(1, 32) * 1024},${gpus},${dice.pick(milli)},${gpus === 8 ? "" : spec}`;
  });
  const files = { nodes: join(folder, "nodes.csv"), tasks: join(folder, "tasks.csv") };
  writeFileSync(files.nodes, ["sn,cpu_milli,memory_mib,gpu,model", ...nodeRows, ""].join("\n"));
  writeFileSync(files.tasks, ["name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec", ...taskRows, ""].join("\n"));
  return files;
}

function weighted<Item extends { readonly weight: number }>(items: readonly Item[], dice: Dice): Item {
  let left = dice.whole(
    1,
    items.reduce((sum, { weight }) => sum + weight, 0),
  );
  for (const item of items) {
    left -= item.weight;
    if (left <= 0) return item;
  }
  throw new Error("no weights");
}
