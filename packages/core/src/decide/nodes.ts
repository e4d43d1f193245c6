import { findNode } from "../fleet/find-node.ts";
import { canonicalJson } from "../journal/canonical.ts";
import type { Command, RegisterNodes } from "../journal/command.ts";
import type { Event } from "../journal/event.ts";
import type { HealthCommand } from "../journal/health-command.ts";
import type { Decision } from "../journal/outcome.ts";
import { isRefusal, refuse } from "../journal/refusal.ts";
import type { GpuNo, NodeNo } from "../model/ids.ts";
import type { NodeFacts } from "../model/node.ts";
import { nodeKey } from "../model/node-key.ts";
import type { Instant } from "../model/units.ts";
import { jobsOn, nodeChanged } from "../run/nodes.ts";
import { stopJob } from "../run/stop.ts";
import { notAccepted, openRepair, quarantineReason } from "../state/repairs.ts";
import type { State } from "../state/state.ts";
import { comesBack } from "./comes-back.ts";
import { loseLeases } from "./lost.ts";
import { endWindowEarly, planMaintenance } from "./maintenance.ts";

type NodeCommand = Exclude<Extract<Command, { kind: `node.${string}` }>, HealthCommand>;

/** The reason of a node that its engine no longer reports; the node comes back when the engine reports it again. */
export const absent = "not reported by its engine";

export function changeNodes(state: State, command: NodeCommand, now: Instant): Decision {
  if (command.kind === "node.register") return { events: register(state, command, now) };
  const node = findNode(state.fleet, command.node);
  if (isRefusal(node)) return node;
  switch (command.kind) {
    case "node.cordon":
      if (node.own.mode === "down")
        return refuse("conflict", "node", command.node, "is down", "bring it up first: tess node up");
      return { events: [nodeChanged(node, "cordoned", command.reason, now)] };
    case "node.drain":
      if (node.own.mode === "down")
        return refuse("conflict", "node", command.node, "is down", "bring it up first: tess node up");
      if (node.leases === 0) return { events: [nodeChanged(node, "maintenance", command.reason, now)] };
      return { events: [nodeChanged(node, "draining", command.reason, now, command.until ?? 0)] };
    case "node.maintenance":
      return planMaintenance(state, node, command, now);
    case "node.up": {
      if (node.own.mode === "up") return { events: [] };
      const repair = openRepair(state, node.facts);
      if (repair !== undefined)
        return refuse(
          "conflict",
          "node",
          command.node,
          `is in quarantine: ${repair.why}`,
          `check it (tess node check ${command.node}), or say that it is well: tess repairs close ${repair.no}`,
        );
      return { events: [...endWindowEarly(node, now), nodeChanged(node, "up", "", now)] };
    }
    case "node.down":
      return {
        events: [
          nodeChanged(node, "down", command.reason, now),
          ...loseLeases(state, new Set([node.no]), "its node was declared down", now),
        ],
      };
  }
}

/** The drain has reached its end: jobs that still hold seats on the node must stop, whole gangs with them. */
export function drainCame(state: State, no: NodeNo, now: Instant): Event[] {
  const node = state.fleet.nodes[no];
  if (node === undefined || node.own.mode !== "draining" || node.drainUntil === 0 || node.drainUntil > now) return [];
  return jobsOn(state, no).flatMap((job) => stopJob(state, job, "drain", now));
}

/** Why a node that joins the fleet takes no work yet: what was found of it before, or the checks that it has to pass [H6]. */
function outOfUseFor(state: State, facts: NodeFacts): string | undefined {
  const repair = openRepair(state, facts);
  if (repair !== undefined) return quarantineReason(repair.why);
  return state.policy.acceptance && !facts.virtual ? notAccepted : undefined;
}

function register(state: State, { engine, nodes }: RegisterNodes, now: Instant): Event[] {
  // A late inventory of an engine that has left brings nothing back.
  if (engine !== undefined && state.engines.size > 0 && !state.engines.has(engine)) return [];
  const events: Event[] = [];
  const { fleet } = state;
  let nextNode = fleet.nodes.length;
  let nextGpu = fleet.gpus;
  const addNode = (facts: NodeFacts): void => {
    const node = nextNode as NodeNo;
    events.push({ kind: "node-added", v: 1, at: now, node, firstGpu: nextGpu as GpuNo, facts });
    const reason = outOfUseFor(state, facts);
    if (reason !== undefined)
      events.push({ kind: "node-changed", v: 1, at: now, node, mode: "maintenance", reason, drainUntil: 0 });
    nextNode++;
    nextGpu += facts.gpus.length;
  };
  for (const facts of nodes) {
    const node = fleet.nodeByName.get(nodeKey(facts));
    if (node === undefined) {
      addNode(facts);
    } else if (canonicalJson(node.facts.gpus) !== canonicalJson(facts.gpus)) {
      // GPUs keep their numbers for ever, so a node with other GPUs is another node; it joins once the old one is empty.
      if (node.leases > 0) {
        if (node.own.mode !== "down")
          events.push(nodeChanged(node, "down", "its GPUs changed; what runs there must end first", now));
      } else {
        events.push({ kind: "node-removed", v: 1, at: now, node: node.no });
        addNode(facts);
      }
    } else {
      const back = node.own.mode === "down" && node.own.reason === absent;
      const changed = canonicalJson(node.facts) !== canonicalJson(facts);
      if (back) events.push(comesBack(state, node, now, facts));
      else if (changed) events.push(nodeChanged(node, node.own.mode, node.own.reason, now, node.drainUntil, facts));
    }
  }
  // Inventories of journals from before an engine could have no nodes do not name their engine.
  const engines = new Set(engine === undefined ? nodes.map((facts) => facts.engine) : [engine]);
  const seen = new Set(nodes.map(nodeKey));
  for (const node of fleet.nodes) {
    if (node === undefined || !engines.has(node.facts.engine) || seen.has(nodeKey(node.facts))) continue;
    // A node missing from the list may still run: it gets no new work, and its leases stay until they are known to end.
    if (node.leases === 0) events.push({ kind: "node-removed", v: 1, at: now, node: node.no });
    else if (node.own.mode !== "down") events.push(nodeChanged(node, "down", absent, now));
  }
  return events;
}
