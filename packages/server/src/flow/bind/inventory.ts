import { isDeepStrictEqual } from "node:util";
import { type NodeFacts, nodeKey, type ReadonlyState } from "@tessera/core";
import { Slices } from "../slices.ts";

/**
 * Whether the inventory of an engine says nothing new. Engines are asked every minute and seldom have news; to spell tens of thousands
 * of GPUs for the writer takes long.
 */
export async function isKnownFleet(
  { fleet }: ReadonlyState,
  engine: string,
  nodes: readonly NodeFacts[],
): Promise<boolean> {
  const slices = new Slices();
  for (const facts of nodes) {
    if (slices.isOver) await slices.next();
    const node = fleet.nodeByName.get(nodeKey(facts));
    if (node === undefined || node.mode === "down" || !isDeepStrictEqual(node.facts, facts)) return false;
  }
  const there = fleet.nodes.filter((node) => node?.facts.engine === engine);
  return there.length === nodes.length;
}
