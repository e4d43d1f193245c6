import type { NodeChanged } from "../journal/event.ts";
import type { FleetNode, NodeFacts } from "../model/node.ts";
import type { Instant } from "../model/units.ts";
import { nodeChanged } from "../run/nodes.ts";
import { openRepair, quarantineReason } from "../state/repairs.ts";
import type { State } from "../state/state.ts";

/** A node whose maintenance or absence is over takes work again, unless it waits for a repair [H6]. */
export function comesBack(state: State, node: FleetNode, now: Instant, facts?: NodeFacts): NodeChanged {
  const repair = openRepair(state, node.facts);
  if (repair === undefined) return nodeChanged(node, "up", "", now, 0, facts);
  const mode = node.leases === 0 ? "maintenance" : "draining";
  return nodeChanged(node, mode, quarantineReason(repair.why), now, 0, facts);
}
