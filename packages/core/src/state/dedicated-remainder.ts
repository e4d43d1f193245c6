import { unitsOf } from "../quota/held.ts";
import { restOf } from "./apply/dedicated.ts";
import type { State } from "./state.ts";
/** GPU units of the models of a name that are free and that confidential tenants keep from others. */
export function dedicatedRest(state: State, name: string): number {
  let units = 0;
  for (const node of state.dedicated.keys())
    if (state.fleet.nodes[node]?.mode === "up") units += unitsOf(state, restOf(state, node), name);
  return units;
}
