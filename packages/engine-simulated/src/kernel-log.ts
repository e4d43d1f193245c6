import type { HealthFinding, NodeFacts } from "@tessera/core";
import { parseXid } from "@tessera/engine";

/**
 * What a line of a kernel log says of a simulated fleet. Its GPUs have addresses in their order, so that a log that was
 * written elsewhere can be replayed: the first is 0000:00:00, the next 0000:01:00.
 */
export function findingIn(nodes: readonly NodeFacts[], line: string, at: number): HealthFinding | undefined {
  const xid = parseXid(line);
  if (xid === undefined) return undefined;
  const [domain = 0, bus = 0] = xid.pci.split(":").map((part) => Number.parseInt(part, 16));
  let left = domain * 256 + bus;
  for (const { name, gpus } of nodes) {
    const gpu = gpus[left];
    if (gpu !== undefined) return { node: name, gpuUuid: gpu.uuid, at, source: "xid", code: xid.code, text: xid.text };
    left -= gpus.length;
  }
  return undefined;
}

/** The same address for the GPU of this number. */
export function addressOf(number: number): string {
  const hex = (value: number, digits: number) => value.toString(16).padStart(digits, "0");
  return `${hex(number >> 8, 4)}:${hex(number & 0xff, 2)}:00`;
}
