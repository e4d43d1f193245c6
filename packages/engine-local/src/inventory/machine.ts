import { availableParallelism, hostname, totalmem } from "node:os";
import type { NodeFacts } from "@tessera/core";
import { bootId, usualMemoryMiB } from "@tessera/engine";
import type { FoundGpu } from "./nvidia.ts";
import { parseVirtual, type VirtualGroup } from "./virtual.ts";

export const engineName = "local";
const defaultVirtual: VirtualGroup = { nodes: 1, gpus: 4, model: "virtual" };

/** This machine as a fleet: its real GPUs as one node, or the virtual nodes that were asked for. */
export function describeFleet(
  found: readonly FoundGpu[],
  options: { readonly virtual?: string; readonly nodeName?: string },
): NodeFacts[] {
  const host = options.nodeName ?? nodeNameOf(hostname());
  if (options.virtual === undefined && found.length > 0) {
    const gpus = found.map(({ uuid, model, memoryMiB }) => ({ uuid, model, memoryMiB }));
    return [nodeOf(host, "local", gpus, 1, false)];
  }
  if (options.virtual === undefined) return [virtualNode(host, defaultVirtual, 1)];
  const groups = parseVirtual(options.virtual);
  const nodes = groups.flatMap((group) => Array.from({ length: group.nodes }, () => group));
  return nodes.map((group, index) => virtualNode(`${options.nodeName ?? "virtual"}-${index}`, group, nodes.length));
}

function virtualNode(name: string, group: VirtualGroup, nodes: number): NodeFacts {
  const gpus = Array.from({ length: group.gpus }, (_, index) => ({
    uuid: `GPU-virtual-${name}-${index}`,
    model: group.model,
    memoryMiB: usualMemoryMiB(group.model),
  }));
  const node = nodeOf(name, group.rack ?? "local", gpus, nodes, true);
  return group.mode === undefined ? node : { ...node, pool: group.mode };
}

function nodeOf(name: string, rack: string, gpus: NodeFacts["gpus"], share: number, virtual: boolean): NodeFacts {
  const constrained = process.constrainedMemory();
  const memoryBytes = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
  return {
    name,
    engine: engineName,
    place: { zone: "local", block: "local", rack, nvlink: name },
    gpus,
    cpusMilli: Math.floor((availableParallelism() * 1000) / share),
    memoryMiB: Math.floor(memoryBytes / (1 << 20) / share),
    virtual,
    bootId: bootId(),
    address: "127.0.0.1",
  };
}

function nodeNameOf(host: string): string {
  return host.toLowerCase().replace(/[^a-z0-9.-]/g, "-") || "localhost";
}
