import { BadInput } from "../command/command.ts";
import { readTable } from "../trace/csv.ts";
import { type SpotNode, spotColumns, spotNodesOf } from "../trace/spot.ts";

/** Nodes in the columns of one file, sorted by name. */
export interface NodeList {
  readonly names: readonly string[];
  readonly cpuMilli: readonly number[];
  readonly memoryMiB: readonly number[];
  readonly gpus: readonly number[];
  readonly model: readonly string[];
}

/** One row of the task file. */
export interface Task {
  readonly name: string;
  readonly memoryMiB: number;
  /** Which of the task kinds it is. */
  readonly kind: number;
}

/** Tasks that differ in name and memory alone are of one kind: no score tells them apart. */
export interface TaskKind {
  readonly cpuMilli: number;
  readonly gpus: number;
  /** Thousandths of each of its GPUs. */
  readonly milli: number;
  /** As the file writes it. */
  readonly spec: string;
  /** Empty: any. */
  readonly models: readonly string[];
}

export interface TaskList {
  readonly tasks: readonly Task[];
  readonly kinds: readonly TaskKind[];
}

export const wholeGpu = 1000;

/**
 * Reads a node list with the columns sn, cpu_milli, memory_mib, gpu and model, or an inventory without memory, where
 * there is then plenty of it.
 */
export function readNodes(path: string): NodeList {
  const table = readTable(path);
  if (table.has(...spotColumns)) return inventoryOf(spotNodesOf(table));
  const names = table.texts("sn");
  const models = table.texts("model");
  const [cpu, memory, gpus] = [table.wholes("cpu_milli"), table.wholes("memory_mib"), table.wholes("gpu")];
  if (names.length === 0) throw new BadInput(`${path}: has no nodes; give a node list`);
  const order = sortedByName(names);
  const pick = <Value>(values: readonly Value[]) => order.map((at) => values[at]!);
  return { names: pick(names), cpuMilli: pick(cpu), memoryMiB: pick(memory), gpus: pick(gpus), model: pick(models) };
}

function inventoryOf(nodes: readonly SpotNode[]): NodeList {
  const sorted = sortedByName(nodes.map(({ name }) => name)).map((at) => nodes[at]!);
  return {
    names: sorted.map(({ name }) => name),
    cpuMilli: sorted.map(({ cpus }) => cpus * 1_000),
    memoryMiB: sorted.map(() => Number.POSITIVE_INFINITY),
    gpus: sorted.map(({ gpus }) => gpus),
    model: sorted.map(({ model }) => model),
  };
}

/** Reads a task list with the columns name, cpu_milli, memory_mib, num_gpu, gpu_milli and, if it has one, gpu_spec. */
export function readTasks(path: string): TaskList {
  const table = readTable(path);
  const names = table.texts("name");
  const specs = table.texts("gpu_spec", "");
  const [cpu, memory, gpus, milli] = ["cpu_milli", "memory_mib", "num_gpu", "gpu_milli"].map((name) =>
    table.wholes(name),
  );
  if (names.length === 0) throw new BadInput(`${path}: has no tasks; give a task list`);
  const kinds: TaskKind[] = [];
  const kindByText = new Map<string, number>();
  const tasks = sortedByName(names).map((at): Task => {
    const count = gpus![at]!;
    const each = count === 0 ? 0 : count > 1 ? wholeGpu : milli![at]!;
    if (each > wholeGpu) throw table.bad("gpu_milli", at, `write at most ${wholeGpu}`);
    const text = `${cpu![at]}/${count}/${each}/${specs[at]}`;
    let kind = kindByText.get(text);
    if (kind === undefined) {
      kind = kinds.length;
      kindByText.set(text, kind);
      const spec = specs[at]!;
      const models = spec.split("|").filter((model) => model !== "");
      kinds.push({ cpuMilli: cpu![at]!, gpus: count, milli: each, spec, models });
    }
    return { name: names[at]!, memoryMiB: memory![at]!, kind };
  });
  return { tasks, kinds };
}

function sortedByName(names: readonly string[]): number[] {
  return names.map((_, at) => at).sort((a, b) => (names[a]! < names[b]! ? -1 : names[a]! > names[b]! ? 1 : a - b));
}
