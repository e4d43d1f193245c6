import { type JobId, leaseIdOf, type NodeFacts } from "@tessera/core";
import type { LeaseOrder } from "@tessera/engine";
import { type Behaviour, type SimulatedClock, SimulatedFleet } from "@tessera/engine-simulated";
import type { ScenarioJob, ScenarioNode } from "./scenario.ts";

/** The nodes of a scenario as an engine declares them. */
export function factsOf(node: ScenarioNode): NodeFacts {
  const { name, engine = "simulated", region, zone, block, rack, model, gpuMemoryMiB: memoryMiB } = node;
  return {
    name,
    engine,
    place: { ...(region !== undefined && { region }), zone, block, rack, nvlink: name },
    ...(node.labels !== undefined && { labels: node.labels }),
    gpus: Array.from({ length: node.gpus }, (_, i) => ({ uuid: `GPU-${name}-${i}`, model, memoryMiB })),
    cpusMilli: node.cpusMilli,
    memoryMiB: node.memoryMiB,
    pool: node.mode,
    virtual: true,
    bootId: `${name}-boot-1`,
    address: "127.0.0.1",
  };
}

/** Machines on which every job takes the time that the scenario says, and starting takes none. */
export function openMachines(
  clock: SimulatedClock,
  nodes: readonly ScenarioNode[],
  jobOf: (id: JobId) => ScenarioJob,
): SimulatedFleet {
  const fleet: SimulatedFleet = new SimulatedFleet({
    clock,
    nodes: nodes.map(factsOf),
    prepareMs: 0,
    behaviour: (order): Behaviour => {
      const { runsMs = Number.POSITIVE_INFINITY, checkpointMs, leaveMs } = jobOf(order.job);
      const saved = checkpointMs === undefined ? 0 : savedMs(fleet, order, checkpointMs);
      const runMs = Math.max(0, runsMs - saved);
      return { startMs: 0, runMs, exitCode: 0, ignoresSignal: true, ...(leaveMs !== undefined && { leaveMs }) };
    },
  });
  return fleet;
}

/** Work that earlier attempts saved: each attempt continues from the last checkpoint of the one before. */
function savedMs(fleet: SimulatedFleet, order: LeaseOrder, checkpointMs: number): number {
  const earlier = new Set<string>();
  for (let attempt = 1; attempt < order.attempt; attempt++) earlier.add(leaseIdOf(order.job, attempt, 0));
  let saved = 0;
  for (const { lease, from, to } of fleet.ran) {
    if (earlier.has(lease) && to !== undefined) saved += Math.floor((to - from) / checkpointMs) * checkpointMs;
  }
  return saved;
}
