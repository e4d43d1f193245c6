import type { Command } from "../journal/command.ts";
import type { Event } from "../journal/event.ts";
import type { Decision } from "../journal/outcome.ts";
import { refuse } from "../journal/refusal.ts";
import type { NodeNo } from "../model/ids.ts";
import { instantText } from "../model/instant.ts";
import type { FleetNode, MaintenanceWindow } from "../model/node.ts";
import type { Instant } from "../model/units.ts";
import { jobsOn, nodeChanged } from "../run/nodes.ts";
import { stopJob } from "../run/stop.ts";
import type { State } from "../state/state.ts";
import { comesBack } from "./comes-back.ts";

/** Each window costs a timer and a check; a hundred are enough for any plan. */
const windowsMax = 100;

type MaintenanceCommand = Extract<Command, { kind: "node.maintenance" }>;

/** Plans a time in which a node is out of use [B5]; null takes all windows back, and ends the one it is in. */
export function planMaintenance(state: State, node: FleetNode, { window }: MaintenanceCommand, now: Instant): Decision {
  const { maintenance = [] } = node;
  if (window === null) {
    if (maintenance.length === 0) return { events: [] };
    return { events: [planned(node, [], now), ...endOfWindow(state, node, maintenance, now)] };
  }
  const { from, to } = window;
  if (to <= from) return refuse("invalid", "to", instantText(to), "is not after from", "give a later end");
  if (to <= now) return refuse("invalid", "to", instantText(to), "has passed", "give an end in the future");
  if (maintenance.length >= windowsMax)
    return refuse(
      "conflict",
      "node",
      null,
      `has ${maintenance.length} windows planned already`,
      "take some back first",
    );
  if (maintenance.some((other) => other.from < to && from < other.to))
    return refuse(
      "conflict",
      "from",
      instantText(from),
      "overlaps with another window of this node",
      "take that back first",
    );
  const windows = [...maintenance, window].sort((a, b) => a.from - b.from);
  return { events: from > now ? [planned(node, windows, now)] : begin(state, node, windows, now) };
}

/**
 * A window begins or ends. The timer of a window that was taken back, or the first timer of one that has begun, does
 * nothing: after a restart neither is set.
 */
export function maintenanceCame(state: State, no: NodeNo, at: Instant, now: Instant): Event[] {
  const node = state.fleet.nodes[no];
  const windows = node?.maintenance;
  if (node === undefined || !windows?.some(({ from, to, active }) => (from === at && active !== true) || to === at))
    return [];
  const left = windows.filter(({ to }) => to > now);
  if (left.length < windows.length) return [planned(node, left, now), ...endOfWindow(state, node, windows, now)];
  const due = left.some(({ from, active }) => from <= now && active !== true);
  return due ? begin(state, node, left, now) : [];
}

/** Jobs on the node must stop. A node that its owner took out of use stays so until the owner brings it back. */
function begin(state: State, node: FleetNode, windows: readonly MaintenanceWindow[], now: Instant): Event[] {
  if (node.own.mode !== "up" && node.own.mode !== "cordoned")
    return [
      planned(
        node,
        windows.filter(({ from }) => from > now),
        now,
      ),
    ];
  const active = windows.map((window) => (window.from <= now ? { ...window, active: true as const } : window));
  const { reason } = active.find((window) => window.active)!;
  const mode = node.leases === 0 ? "maintenance" : "draining";
  const drainUntil = node.leases === 0 ? 0 : now;
  const stops = jobsOn(state, node.no).flatMap((job) => stopJob(state, job, "drain", now));
  return [planned(node, active, now), nodeChanged(node, mode, reason, now, drainUntil), ...stops];
}

function endOfWindow(state: State, node: FleetNode, windows: readonly MaintenanceWindow[], now: Instant): Event[] {
  const wasIn = windows.some(({ active }) => active);
  return wasIn && (node.own.mode === "draining" || node.own.mode === "maintenance")
    ? [comesBack(state, node, now)]
    : [];
}

/** The node comes back early: the window that it is in is over. */
export function endWindowEarly(node: FleetNode, now: Instant): Event[] {
  const { maintenance = [] } = node;
  return maintenance.some(({ active }) => active)
    ? [
        planned(
          node,
          maintenance.filter(({ active }) => !active),
          now,
        ),
      ]
    : [];
}

function planned(node: FleetNode, windows: readonly MaintenanceWindow[], now: Instant): Event {
  return { kind: "maintenance-planned", v: 1, at: now, node: node.no, windows };
}
