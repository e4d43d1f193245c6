import { BadField, type FieldPath, Fields, knownName, listOf, type Read } from "./fields.ts";
import type { PoolMode, ScenarioNode } from "./scenario.ts";
import { cpus, labels, name, nodeGpus, size, whole } from "./values.ts";

const keys = [
  "nodes",
  "named",
  "gpus",
  "rack",
  "block",
  "zone",
  "cpus",
  "memory",
  "mode",
  "engine",
  "region",
  "labels",
];
const modes: readonly PoolMode[] = ["whole", "mig", "mps", "timeslice"];

/** More than any job asks for, and small enough that sums over a fleet stay exact. */
const plentyCpusMilli = 1_000_000_000;
const plentyMemoryMiB = 1_000_000_000;
const gpuMemoryMiB = 81_920;

/** Groups of equal nodes → every node. */
export const readFleet: Read<ScenarioNode[]> = (value, at) => {
  const taken = new Set<string>();
  const nodes = listOf("node groups", (each, where) => readGroup(each, where, taken))(value, at).flat();
  if (nodes.length > 0) return nodes;
  throw new BadField(at, value, "holds no node", "add a group such as {nodes: 2, named: n, gpus: H100:8}");
};

function readGroup(value: unknown, at: FieldPath, taken: Set<string>): ScenarioNode[] {
  const group = new Fields(value, at, "a node group", keys);
  const count = group.need("nodes", whole("a number of nodes", 1, 100_000), "say how many nodes the group has");
  const prefix = group.need("named", name, "give the names of the nodes a beginning, such as named: n");
  const { model, count: gpus } = group.need("gpus", nodeGpus, "say what each node has, such as H100:8");
  const common = {
    ...group.take("engine", (each, where) => ({ engine: name(each, where) })),
    ...group.take("region", (each, where) => ({ region: name(each, where) })),
    ...group.take("labels", (each, where) => ({ labels: labels(each, where) })),
    model,
    gpus,
    gpuMemoryMiB: memoryInName(model) ?? gpuMemoryMiB,
    zone: group.take("zone", name) ?? "zone",
    block: group.take("block", name) ?? "block",
    rack: group.take("rack", name) ?? "rack",
    cpusMilli: group.take("cpus", cpus) ?? plentyCpusMilli,
    memoryMiB: group.take("memory", size) ?? plentyMemoryMiB,
    mode: group.take("mode", knownName("a mode of a pool", modes)) ?? "any",
  };
  return Array.from({ length: count }, (_, i) => {
    const named = `${prefix}${i}`;
    if (taken.has(named)) {
      throw new BadField([...at, "named"], prefix, `makes a second node ${named}`, "begin the names differently");
    }
    taken.add(named);
    return { name: named, ...common };
  });
}

/** `H100-80GB` says how much memory it has. */
function memoryInName(model: string): number | undefined {
  const match = /-(\d{1,4})GB$/i.exec(model);
  return match === null ? undefined : Number(match[1]) * 1024;
}
