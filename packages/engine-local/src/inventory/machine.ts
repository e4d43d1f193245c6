import { readFileSync } from "node:fs";
import { availableParallelism, hostname, totalmem, uptime } from "node:os";
import type { NodeFacts } from "@tessera/core";
import type { FoundGpu } from "./nvidia.ts";
import { parseVirtual, type VirtualGroup, virtualMemoryMiB } from "./virtual.ts";

export const engineName = "local";
const defaultVirtual: VirtualGroup = { nodes: 1, gpus: 4, model: "virtual" };

/**
 * Changes when the machine restarts. Where the kernel gives no such id, the minute of the last start stands in; it
 * can differ by one after the clock was set, and then members are held for lost rather than run twice.
 */
export function readBootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return `booted-${Math.round((Date.now() / 1000 - uptime()) / 60)}`;
  }
}

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
    memoryMiB: virtualMemoryMiB(group.model),
  }));
  return nodeOf(name, group.rack ?? "local", gpus, nodes, true);
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
    bootId: readBootId(),
    address: "127.0.0.1",
  };
}

function nodeNameOf(host: string): string {
  return host.toLowerCase().replace(/[^a-z0-9.-]/g, "-") || "localhost";
}
