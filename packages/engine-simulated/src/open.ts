import type { PoolMode } from "@tessera/core";
import { type Clock, systemClock } from "@tessera/engine";
import { SimulatedEngine } from "./engine.ts";
import { SimulatedFleet } from "./fleet.ts";
import { declareNodes, simulatedName } from "./nodes.ts";

/** Alike nodes of a fleet that is only simulated. */
export interface SimulatedGroup {
  readonly nodes: number;
  readonly gpus: number;
  readonly model: string;
  /** How their GPUs may be shared; absent = whole GPUs only, if their pool says no other. */
  readonly mode?: PoolMode;
}

/**
 * A fleet that exists in this process alone, on the time of the wall: for demonstrations and measurements at a size
 * that no machine here has. What runs on it is gone with the process, as if every node had been switched off.
 */
export function openSimulated(
  groups: readonly SimulatedGroup[],
  clock: Clock = systemClock,
  engine = simulatedName,
): SimulatedEngine {
  const prefixes = new Set<string>();
  const nodes = groups.flatMap(({ nodes: count, gpus, model, mode }, i) => {
    const plain = mode === undefined ? model.toLowerCase() : `${model.toLowerCase()}-${mode}`;
    const prefix = prefixes.has(plain) ? `${plain}-${i + 1}` : plain;
    prefixes.add(prefix);
    const pool = mode === undefined ? {} : { pool: mode };
    return declareNodes({ engine, count, gpusEach: gpus, model, prefix, zone: `zone-${i + 1}`, ...pool });
  });
  return new SimulatedEngine(new SimulatedFleet({ clock, nodes }), engine);
}
