import type { PoolMode } from "@tessera/core";
import { type Clock, systemClock } from "@tessera/engine";
import { SimulatedEngine } from "./engine.ts";
import { SimulatedFleet } from "./fleet.ts";
import { keepRunning, takeKept } from "./kept.ts";
import { declareNodes, simulatedName } from "./nodes.ts";

/** Alike nodes of a fleet that is only simulated. */
export interface SimulatedGroup {
  readonly nodes: number;
  readonly gpus: number;
  readonly model: string;
  /** How their GPUs may be shared; absent = whole GPUs only, if their pool says no other. */
  readonly mode?: PoolMode;
}

export interface SimulatedOptions {
  readonly clock?: Clock;
  readonly engine?: string;
  /** Where what runs is kept while no process simulates it; absent = it is gone with the process. */
  readonly keptIn?: string;
}

/**
 * A fleet that exists in this process alone, on the time of the wall: for demonstrations and measurements at a size
 * that no machine here has. An orderly end keeps what runs; after a crash it is gone, as if every node had been
 * switched off.
 */
export function openSimulated(groups: readonly SimulatedGroup[], options: SimulatedOptions = {}): SimulatedEngine {
  const { clock = systemClock, engine = simulatedName, keptIn } = options;
  const prefixes = new Set<string>();
  const nodes = groups.flatMap(({ nodes: count, gpus, model, mode }, i) => {
    const plain = mode === undefined ? model.toLowerCase() : `${model.toLowerCase()}-${mode}`;
    const prefix = prefixes.has(plain) ? `${plain}-${i + 1}` : plain;
    prefixes.add(prefix);
    const pool = mode === undefined ? {} : { pool: mode };
    return declareNodes({ engine, count, gpusEach: gpus, model, prefix, zone: `zone-${i + 1}`, ...pool });
  });
  const fleet = new SimulatedFleet({ clock, nodes });
  if (keptIn === undefined) return new SimulatedEngine(fleet, engine);
  takeKept(fleet, keptIn);
  return new SimulatedEngine(fleet, engine, () => keepRunning(fleet, keptIn));
}
