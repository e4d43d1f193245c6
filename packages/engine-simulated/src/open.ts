import { type Clock, systemClock } from "@tessera/engine";
import { SimulatedEngine } from "./engine.ts";
import { SimulatedFleet } from "./fleet.ts";
import { declareNodes, simulatedName } from "./nodes.ts";

/** Alike nodes of a fleet that is only simulated. */
export interface SimulatedGroup {
  readonly nodes: number;
  readonly gpus: number;
  readonly model: string;
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
  const nodes = groups.flatMap(({ nodes: count, gpus, model }, i) =>
    declareNodes({ engine, count, gpusEach: gpus, model, prefix: model.toLowerCase(), zone: `zone-${i + 1}` }),
  );
  return new SimulatedEngine(new SimulatedFleet({ clock, nodes }), engine);
}
