import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { migModelOf } from "@tessera/core";
import type { Capabilities } from "@tessera/engine";
import type { Machine } from "../limit/machine.ts";
import { controlProgram } from "../part/mps/control.ts";
import { isApart } from "../part/mps/place.ts";
import type { FoundGpu } from "./nvidia.ts";

/**
 * How these GPUs can be shared. Instances are made by root alone; MPS needs its daemon, and where there are several users,
 * namespaces that show each job its own server only. Taking turns needs nothing.
 */
export function isolationOf(
  found: readonly Pick<FoundGpu, "model" | "memoryMiB">[],
  machine: Pick<Machine, "isRoot" | "means">,
  hasMps = isThere(controlProgram()),
): Capabilities["isolation"] {
  if (found.length === 0) return ["whole"];
  const hasMig = found.some(({ model, memoryMiB }) => migModelOf(model, memoryMiB) !== undefined);
  const mps = hasMps && (isApart(machine) || !machine.isRoot);
  return [
    "whole",
    ...(hasMig && machine.isRoot ? (["mig"] as const) : []),
    ...(mps ? (["mps"] as const) : []),
    "timeslice",
  ];
}

function isThere(program: string): boolean {
  const folders = program.includes("/") ? [""] : (process.env.PATH ?? "").split(":");
  return folders.some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
