import type { NodeFacts } from "@tessera/core";
import { declareNodes } from "@tessera/engine-simulated";

/** Equal nodes `n0`, `n1` … in one place, with more cores and memory than any job requests. */
export function alikeNodes(count: number, gpusEach: number): NodeFacts[] {
  const nodes = declareNodes({ count, gpusEach, model: "gpu", nodesPerRack: count, prefix: "n" });
  return nodes.map((facts, i) => ({ ...facts, name: `n${i}`, place: { ...facts.place, nvlink: `n${i}` } }));
}
