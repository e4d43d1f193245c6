import type { Table } from "./csv.ts";

/** A node of an inventory that tells no memory. */
export interface SpotNode {
  readonly name: string;
  readonly model: string;
  readonly gpus: number;
  readonly cpus: number;
}

/** The columns of an inventory such as that of alibaba-spot-2026. */
export const spotColumns = ["gpu_model", "gpu_capacity_num", "cpu_num", "node_name"] as const;

/** The nodes of an inventory. */
export function spotNodesOf(table: Table): SpotNode[] {
  const [names, models] = [table.texts("node_name"), table.texts("gpu_model")];
  const [gpus, cpus] = [table.wholes("gpu_capacity_num"), table.numbers("cpu_num")];
  return names.map((name, row) => ({ name, model: models[row]!, gpus: gpus[row]!, cpus: cpus[row]! }));
}
