import type { ReadonlyState } from "@tessera/core";
import type { Store } from "../../store/port.ts";
import { projections } from "./verify.ts";

/**
 * A store from before there were books knows nothing of what its journal metered: all projections are rebuilt, once and
 * in one transaction. Every GPU that ever joined is in the books, so looking for one model is enough.
 */
export async function fillBooks(store: Store, { fleet }: ReadonlyState): Promise<boolean> {
  const [model] = fleet.models;
  if (model === undefined || (await store.books({ kind: "capacity", key: model })).length > 0) return false;
  await store.replaceProjections(projections(store));
  return true;
}
