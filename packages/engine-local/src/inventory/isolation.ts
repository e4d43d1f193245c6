import { migModelOf } from "@tessera/core";
import type { Capabilities } from "@tessera/engine";
import type { Machine } from "../limit/machine.ts";
import type { FoundGpu } from "./nvidia.ts";

/** How these GPUs can be shared. Instances are made by root alone. */
export function isolationOf(
  found: readonly FoundGpu[],
  { isRoot }: Pick<Machine, "isRoot">,
): Capabilities["isolation"] {
  const hasMig = found.some(({ model, memoryMiB }) => migModelOf(model, memoryMiB) !== undefined);
  return hasMig && isRoot ? ["whole", "mig"] : ["whole"];
}
