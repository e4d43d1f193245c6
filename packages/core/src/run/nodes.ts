import type { Event, NodeChanged } from "../journal/event.ts";
import type { JobNo, NodeNo } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import type { FleetNode, NodeFacts, OwnMode } from "../model/node.ts";
import type { Instant } from "../model/units.ts";
import { jobOf } from "../state/live-jobs.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";

export function nodeChanged(
  node: FleetNode,
  mode: OwnMode,
  reason: string,
  now: Instant,
  drainUntil = 0,
  facts?: NodeFacts,
): NodeChanged {
  return { kind: "node-changed", v: 1, at: now, node: node.no, mode, reason, drainUntil, facts };
}

/** A draining node that loses its last lease is in maintenance from then on. */
export function afterSeatsFreed(state: ReadonlyState, nodes: readonly NodeNo[], now: Instant): Event[] {
  const events: Event[] = [];
  for (const no of new Set(nodes)) {
    const node = state.fleet.node(no);
    const leaving = nodes.filter((each) => each === no).length;
    if (node.own.mode === "draining" && node.leases === leaving)
      events.push(nodeChanged(node, "maintenance", node.own.reason, now));
  }
  return events;
}

/** Jobs that hold leases on a node, by number. */
export function jobsOn(state: ReadonlyState, node: NodeNo): Job[] {
  const jobs = new Set<JobNo>();
  for (const lease of state.leases.values()) if (lease.node === node) jobs.add(lease.job);
  return [...jobs].sort((a, b) => a - b).map((no) => jobOf(state, no));
}
