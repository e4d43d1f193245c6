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

/** Labels with some set and some dropped, keys in the order in which the journal writes them; undefined without any. */
export function labelsWith(before: Labels = {}, set: Labels = {}, drop: readonly string[] = []): Labels | undefined {
  const pairs = Object.entries({ ...before, ...set }).filter(([key]) => !drop.includes(key));
  if (pairs.length === 0) return undefined;
  return Object.fromEntries(pairs.sort(([a], [b]) => (a < b ? -1 : 1)));
}
