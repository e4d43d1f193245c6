import type { NodeFacts } from "@tessera/core";
import { declareNodes } from "@tessera/engine-simulated";

/** Nodes `n0`, `n1` … of the protocols: alike, near each other, with more cores and memory than anybody asks for. */
export function alikeNodes(count: number, gpusEach: number): NodeFacts[] {
  const nodes = declareNodes({ count, gpusEach, model: "gpu", nodesPerRack: count, prefix: "n" });
  return nodes.map((facts, i) => ({ ...facts, name: `n${i}`, place: { ...facts.place, nvlink: `n${i}` } }));
}
