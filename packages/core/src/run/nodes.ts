import type { Event, NodeChanged } from "../journal/event.ts";
import type { NodeNo } from "../model/ids.ts";
import type { FleetNode, NodeFacts, NodeMode } from "../model/node.ts";
import type { Instant } from "../model/units.ts";
import type { State } from "../state/state.ts";

export function nodeChanged(
  node: FleetNode,
  mode: NodeMode,
  reason: string,
  now: Instant,
  drainUntil = 0,
  facts?: NodeFacts,
): NodeChanged {
  return { kind: "node-changed", v: 1, at: now, node: node.no, mode, reason, drainUntil, facts };
}

/** A draining node that gives up its last lease is empty, and in the owner's hands from then on. */
export function afterSeatsFreed(state: State, nodes: readonly NodeNo[], now: Instant): Event[] {
  const events: Event[] = [];
  for (const no of new Set(nodes)) {
    const node = state.fleet.node(no);
    const leaving = nodes.filter((each) => each === no).length;
    if (node.mode === "draining" && node.leases === leaving)
      events.push(nodeChanged(node, "maintenance", node.reason, now));
  }
  return events;
}
