import type { NodeHealth, Repair } from "../../model/health.ts";
import type { State } from "../state.ts";

export interface HealthImage {
  readonly nodes: readonly (readonly [string, NodeHealth])[];
  readonly repairs: readonly Repair[];
  readonly nextRepair: number;
}

/** Undefined where nothing was ever found. */
export function healthImage({ health, repairs, nextRepair }: State): HealthImage | undefined {
  if (health.size === 0 && nextRepair === 1) return undefined;
  return { nodes: [...health].sort(([a], [b]) => (a < b ? -1 : 1)), repairs: [...repairs.values()], nextRepair };
}

export function readHealth(state: State, image: HealthImage): void {
  for (const [node, known] of image.nodes) state.health.set(node, known);
  for (const repair of image.repairs) state.repairs.set(repair.no, repair);
  state.nextRepair = image.nextRepair;
}
