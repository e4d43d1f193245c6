import type { NodeFacts } from "./node.ts";

/** The name of a node that is unique in the fleet. */
export function nodeKey({ engine, name }: Pick<NodeFacts, "engine" | "name">): string {
  return `${engine}/${name}`;
}
