import type { NodeFacts } from "./node.ts";

/** Keys with the values that they have, or must have. */
export interface Labels {
  readonly [key: string]: string;
}

/** The value of a node's label; its engine and region count as labels. */
export function labelOf({ engine, place, labels }: NodeFacts, key: string): string | undefined {
  if (key === "engine") return engine;
  if (key === "region") return place.region;
  return labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
}

export function hasLabels(facts: NodeFacts, wanted: Labels): boolean {
  for (const key in wanted) if (labelOf(facts, key) !== wanted[key]) return false;
  return true;
}
