import { findNode } from "../fleet/find-node.ts";
import type { Event } from "../journal/event.ts";
import type { HealthCommand } from "../journal/health-command.ts";
import type { Decision } from "../journal/outcome.ts";
import { isRefusal, refuse } from "../journal/refusal.ts";
import type { Repair } from "../model/health.ts";
import type { FleetNode } from "../model/node.ts";
import type { Instant } from "../model/units.ts";
import { nodeChanged } from "../run/nodes.ts";
import { isQuarantined, openRepair } from "../state/repairs.ts";
import type { State } from "../state/state.ts";
import { takeFinding } from "./take-finding.ts";

const reasonCharsMax = 500;

/** What was seen of nodes, what checks gave, and what owners say of repairs. */
export function changeHealth(state: State, command: HealthCommand, now: Instant): Decision {
  switch (command.kind) {
    case "node.finding": {
      const node = findNode(state.fleet, command.node);
      // An engine may still speak of a node that has left.
      if (isRefusal(node)) return { events: [] };
      return { events: takeFinding(state, node, command, command.count, now) };
    }
    case "node.checked": {
      const node = findNode(state.fleet, command.node);
      if (isRefusal(node)) return node;
      return { events: takeChecks(state, node, command, now) };
    }
    case "repair.close":
      return closeByOwner(state, command, now);
  }
}

type Checked = Extract<HealthCommand, { kind: "node.checked" }>;

/**
 * A check that failed is a finding. Where none failed and at least one passed, a node that waits for that takes work again
 * [H6]; a check that was skipped or ended says nothing.
 */
function takeChecks(state: State, node: FleetNode, { results, held }: Checked, now: Instant): Event[] {
  const noted: Event = { kind: "checks-noted", v: 1, at: now, node: node.no, results };
  if (held) return [noted];
  const [first, ...others] = results.filter(({ result }) => result === "failed");
  if (first !== undefined) {
    const text = [first, ...others].map((each) => `${each.name}: ${each.text}`).join("; ");
    const about = first.gpuUuid === undefined || others.length > 0 ? {} : { gpuUuid: first.gpuUuid };
    const finding = { node: node.facts.name, at: now, source: "check", code: first.name, text, ...about } as const;
    return [noted, ...takeFinding(state, node, finding, undefined, now)];
  }
  if (!results.some(({ result }) => result === "passed") || results.some(({ result }) => result === "ended"))
    return [noted];
  const passed = results.filter(({ result }) => result === "passed").map(({ name }) => name);
  const why = `passed ${[...new Set(passed)].join(", ")}`;
  const repair = openRepair(state, node.facts);
  if (repair === undefined) return [noted, ...upAgain(node, now)];
  if (repair.flapping)
    return [noted, { kind: "repair-noted", v: 1, at: now, repair: repair.no, seenAt: now, text: why }];
  return [noted, closed(repair, why, now), ...upAgain(node, now)];
}

function closeByOwner(state: State, command: Extract<HealthCommand, { kind: "repair.close" }>, now: Instant): Decision {
  const repair = state.repairs.get(command.repair);
  if (repair === undefined) return refuse("not-found", "repair", command.repair, "does not exist", "see: tess repairs");
  if (repair.closedAt !== undefined)
    return refuse("conflict", "repair", command.repair, "is closed already", "see: tess repairs");
  if (command.reason.length > reasonCharsMax)
    return refuse(
      "invalid",
      "reason",
      command.reason.length,
      `has more than ${reasonCharsMax} characters`,
      "shorten it",
    );
  const node = state.fleet.nodeByName.get(repair.node);
  return { events: [closed(repair, command.reason, now), ...(node === undefined ? [] : upAgain(node, now))] };
}

function closed({ no: repair }: Repair, why: string, now: Instant): Event {
  return { kind: "repair-closed", v: 1, at: now, repair, why };
}

/** A node that its owner took out of use for another reason stays so. */
function upAgain(node: FleetNode, now: Instant): Event[] {
  return isQuarantined(node) ? [nodeChanged(node, "up", "", now)] : [];
}
