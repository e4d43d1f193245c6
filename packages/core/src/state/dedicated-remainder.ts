import { unitsOf } from "../quota/held.ts";
import { remainderOf } from "./apply/dedicated.ts";
import type { ReadonlyState } from "./readonly-state.ts";

/** Free GPU units of the models of a name on nodes that confidential tenants have to themselves [U3]. */
export function dedicatedRemainder(state: ReadonlyState, name: string): number {
  let units = 0;
  for (const node of state.dedicated.keys())
    if (state.fleet.nodes[node]?.mode === "up") units += unitsOf(state, remainderOf(state, node), name);
  return units;
}
