import type { JobSpec } from "../model/job.ts";
import type { FleetNode } from "../model/node.ts";
import type { Instant } from "../model/units.ts";
import type { ReadonlyFleet } from "./readonly-fleet.ts";

/** The fields of a job that decide how long it needs a node. */
type Lasting = Pick<JobSpec, "maxTimeMs" | "preemptible">;

/**
 * Whether a node with maintenance windows can take a job from an instant on [B5]. A job with a limit must end before the
 * next window. A job without one may start and is drained when the window begins, unless it is not preemptible.
 */
export function outlasts(node: FleetNode, { maxTimeMs, preemptible }: Lasting, from: Instant): boolean {
  for (const window of node.maintenance ?? []) {
    if (window.to <= from) continue;
    if (window.from <= from) return false;
    if (maxTimeMs === undefined ? !preemptible : from + maxTimeMs > window.from) return false;
  }
  return true;
}

/** The nodes that can take a job which starts now [B5]; undefined if no node has a maintenance window. */
export function nodesThatLast(
  { fleet, clock }: { readonly fleet: ReadonlyFleet; readonly clock: Instant },
  spec: Lasting,
): ((node: FleetNode) => boolean) | undefined {
  return fleet.maintained.size === 0 ? undefined : thatOutlast(spec, clock);
}

function thatOutlast(spec: Lasting, now: Instant): (node: FleetNode) => boolean {
  return (node) => outlasts(node, spec, now);
}

/** Whether a node takes work at a later instant: it is up, or its maintenance ends by then. */
export function opensBy({ mode, maintenance = [] }: FleetNode, at: Instant): boolean {
  if (mode === "up") return true;
  const active = maintenance.find((window) => window.active);
  return active !== undefined && (mode === "draining" || mode === "maintenance") && active.to <= at;
}

/** The instants at which a node becomes able or unable to take a job of this length, earliest first. */
export function turningPoints(
  fleet: ReadonlyFleet,
  { maxTimeMs }: Lasting,
  after: Instant,
): { at: Instant; node: number }[] {
  const points: { at: Instant; node: number }[] = [];
  for (const no of fleet.maintained) {
    for (const { from, to } of fleet.nodes[no]?.maintenance ?? []) {
      for (const at of [from - (maxTimeMs ?? 0) + 1, to]) if (at > after) points.push({ at, node: no });
    }
  }
  return points.sort((a, b) => a.at - b.at || a.node - b.node);
}
