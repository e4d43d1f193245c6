import type { NodeFacts } from "@tessera/core";
import { usualMemoryMiB } from "@tessera/engine";

/** The engine of simulated nodes that name no other. */
export const simulatedName = "simulated";

export interface NodesDeclared {
  readonly engine?: string;
  readonly count: number;
  readonly gpusEach: number;
  readonly model: string;
  readonly gpuMemoryMiB?: number;
  readonly cpusMilli?: number;
  readonly memoryMiB?: number;
  /** Node names begin with it; two declarations for one fleet need two. */
  readonly prefix?: string;
  readonly nodesPerRack?: number;
  readonly racksPerBlock?: number;
  readonly zone?: string;
  readonly pool?: NodeFacts["pool"];
}

/** Alike nodes, in racks and blocks, numbered so that their names sort in order. */
export function declareNodes(declared: NodesDeclared): NodeFacts[] {
  const { count, gpusEach, model, prefix = "sim", nodesPerRack = 4, racksPerBlock = 16, zone = "zone-1" } = declared;
  const { engine = simulatedName } = declared;
  // The devices of two engines have two names, also where their nodes have one.
  const device = engine === simulatedName ? "GPU" : `GPU-${engine}`;
  const digits = String(count).length;
  const nodes: NodeFacts[] = [];
  for (let index = 0; index < count; index++) {
    const name = `${prefix}-${String(index + 1).padStart(digits, "0")}`;
    const rack = Math.floor(index / nodesPerRack);
    nodes.push({
      name,
      engine,
      place: {
        zone,
        block: `${prefix}-block-${Math.floor(rack / racksPerBlock) + 1}`,
        rack: `${prefix}-rack-${rack + 1}`,
        nvlink: name,
      },
      gpus: Array.from({ length: gpusEach }, (_, gpu) => ({
        uuid: `${device}-${name}-${gpu}`,
        model,
        memoryMiB: declared.gpuMemoryMiB ?? usualMemoryMiB(model),
      })),
      cpusMilli: declared.cpusMilli ?? Math.max(1, gpusEach) * 16_000,
      memoryMiB: declared.memoryMiB ?? Math.max(1, gpusEach) * 131_072,
      ...(declared.pool !== undefined && { pool: declared.pool }),
      virtual: true,
      bootId: `${name}-boot-1`,
      address: "127.0.0.1",
    });
  }
  return nodes;
}
