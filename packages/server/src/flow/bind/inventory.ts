import { isDeepStrictEqual } from "node:util";
import type { NodeFacts, ReadonlyState } from "@tessera/core";
import { Slices } from "../slices.ts";

/**
 * Whether an inventory says nothing new. Engines are asked every minute and seldom have news; to spell tens of thousands
 * of GPUs for the writer takes long.
 */
export async function isKnownFleet({ fleet }: ReadonlyState, nodes: readonly NodeFacts[]): Promise<boolean> {
  const slices = new Slices();
  for (const facts of nodes) {
    if (slices.isOver) await slices.next();
    const node = fleet.nodeByName.get(facts.name);
    if (node === undefined || node.mode === "down" || !isDeepStrictEqual(node.facts, facts)) return false;
  }
  const engines = new Set(nodes.map(({ engine }) => engine));
  const there = fleet.nodes.filter((node) => node !== undefined && engines.has(node.facts.engine));
  return there.length === nodes.length;
}
