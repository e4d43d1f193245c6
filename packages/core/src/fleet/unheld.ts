import type { FleetNode } from "../model/node.ts";
import type { GpuColumns } from "./gpu-columns.ts";

/** What becomes of units that no lease holds: any job may have them, a claim keeps them, or no job can have them now. */
export type Unheld = "idle" | "reserved" | "down";

/**
 * As what the units of a GPU count that no lease holds. All of them are of one kind, so that for each GPU what leases hold
 * and what is idle, reserved or down add up to its capacity.
 */
export function unheldAs(
  { gpuHeldFor, gpuWithheld }: Pick<GpuColumns, "gpuHeldFor" | "gpuWithheld">,
  { mode }: Pick<FleetNode, "mode">,
  gpu: number,
): Unheld {
  if (mode !== "up" || gpuWithheld[gpu] === 1) return "down";
  return gpuHeldFor[gpu]! > 0 ? "reserved" : "idle";
}
