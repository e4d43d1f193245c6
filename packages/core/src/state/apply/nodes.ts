import type { Event, NodeChanged } from "../../journal/event.ts";
import type { FleetNode, MaintenanceWindow } from "../../model/node.ts";
import type { Instant } from "../../model/units.ts";
import type { State } from "../state.ts";
import { afterOffers, beforeSeats, forgetNode } from "./dedicated.ts";
import { forgetHealth } from "./health.ts";
import { clearMarks } from "./marks.ts";

type NodeEvent = Extract<Event, { kind: `node-${string}` | "maintenance-planned" }>;

/** The part of `apply` that keeps the fleet. */
export function applyToNodes(state: State, event: NodeEvent): void {
  const { fleet, waiting } = state;
  switch (event.kind) {
    case "node-added":
      fleet.addNode(event.node, event.firstGpu, event.facts, event.at);
      state.burst.forget();
      break;
    case "node-changed":
      clearMarks(state, fleet.node(event.node), event.facts);
      changeNode(state, event);
      if (event.facts !== undefined) state.burst.forget();
      if (event.drainUntil > 0) state.timers.add({ at: event.drainUntil, kind: "drain", subject: event.node });
      break;
    case "maintenance-planned":
      planWindows(state, fleet.node(event.node), event.windows);
      break;
    case "node-removed":
      removed(state, event.node, event.at);
      waiting.listener.standingsChanged();
      return; // a node that leaves gives no waiting job a chance to start
  }
  if (event.kind !== "maintenance-planned") noteNode(state, fleet.node(event.node));
  waiting.listener.standingsChanged();
  waiting.roomChanged();
}

function changeNode(state: State, { node: no, at, mode, reason, drainUntil, facts }: NodeChanged): void {
  const { fleet } = state;
  const isOfferChanged = facts !== undefined && (facts.withheld ?? fleet.node(no).facts.withheld) !== undefined;
  if (isOfferChanged) beforeSeats(state, no);
  fleet.changeNode(no, at, mode, reason, drainUntil, facts);
  if (isOfferChanged) afterOffers(state, no);
}

/** Counts what a node is and offers; also how a snapshot is read back. */
export function noteNode(state: State, node: FleetNode): void {
  if (state.nodePools.note(node)) state.fleet.share(node.no, state.nodePools.of(node.no)?.terms);
  state.offerKinds.note(node);
}

function removed(state: State, no: FleetNode["no"], at: Instant): void {
  const { leases, facts } = state.fleet.node(no);
  if (leases > 0) throw new Error(`node ${no} is removed while ${leases} leases hold seats on it`);
  forgetNode(state, no);
  forgetHealth(state, facts, at);
  state.offerKinds.forget(no);
  state.fleet.removeNode(no);
  state.burst.forget();
}

/** Sets the maintenance windows of a node; also how a snapshot is read back. */
export function planWindows(state: State, node: FleetNode, windows: readonly MaintenanceWindow[]): void {
  node.maintenance = windows.length === 0 ? undefined : windows;
  node.revision++;
  if (windows.length === 0) state.fleet.maintained.delete(node.no);
  else state.fleet.maintained.add(node.no);
  for (const { from, to, active } of windows) {
    if (!active) state.timers.add({ at: from, kind: "maintenance", subject: node.no });
    state.timers.add({ at: to, kind: "maintenance", subject: node.no });
  }
}
