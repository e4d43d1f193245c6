import type { KubeObject } from "./types.ts";

/** Without what takes room and says nothing to us. */
export function withoutNoise<Item extends KubeObject>(item: Item): Item {
  const { managedFields: _, ...metadata } = item.metadata as Item["metadata"] & { readonly managedFields?: unknown };
  return { ...item, metadata };
}
