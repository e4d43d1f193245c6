import type { FindingNoted, HealthEvent, RepairNoted, RepairOpened } from "../../journal/health-event.ts";
import type { NodeHealth, Repair } from "../../model/health.ts";
import type { NodeNo } from "../../model/ids.ts";
import { must } from "../../model/must.ts";
import type { NodeFacts } from "../../model/node.ts";
import { nodeKey } from "../../model/node-key.ts";
import { day, type Instant } from "../../model/units.ts";
import { openRepair } from "../repairs.ts";
import type { State } from "../state.ts";

/** Within this time so many faults of a node make it one that flaps [H6]. */
export const flapWindowMs = 7 * day;

/** A GPU that fails writes thousands of lines: the first say what there is to know. */
const findingsKept = 32;
const blamesKept = 64;
const faultsKept = 16;
const evidenceKept = 20;
const closedKept = 200;

const unknown: NodeHealth = { findings: [], blames: [], faultsAt: [] };

/** The part of `apply` that keeps what is known of the health of nodes, and their repairs. */
export function applyToHealth(state: State, event: HealthEvent): void {
  switch (event.kind) {
    case "finding-noted":
      noteFinding(state, event);
      return;
    case "checks-noted":
      change(state, event.node, () => ({ checkedAt: event.at, checks: event.results }));
      return;
    case "repair-opened":
      newRepair(state, event);
      return;
    case "repair-noted":
      noteRepair(state, event);
      return;
    case "repair-closed": {
      const repair = repairOf(state, event.repair);
      state.repairs.set(repair.no, { ...repair, closedAt: event.at, closedWhy: event.why });
      forgetClosed(state);
      return;
    }
  }
}

function change(state: State, no: NodeNo, to: (known: NodeHealth) => Partial<NodeHealth>): void {
  const key = nodeKey(state.fleet.node(no).facts);
  const known = state.health.get(key) ?? unknown;
  state.health.set(key, { ...known, ...to(known) });
}

function noteFinding(state: State, event: FindingNoted): void {
  const { node, source, code, gpuUuid, action, text, seenAt, count = 1, blamed } = event;
  change(state, node, ({ findings, blames }) => {
    const isSame = (each: (typeof findings)[number]): boolean =>
      each.source === source && each.code === code && each.gpuUuid === gpuUuid;
    const before = findings.find(isSame);
    const record = {
      ...{ source, code, action, text, lastAt: seenAt },
      ...(gpuUuid !== undefined && { gpuUuid }),
      firstAt: before?.firstAt ?? seenAt,
      count: (before?.count ?? 0) + count,
    };
    const blame = blamed && gpuUuid !== undefined ? [{ gpuUuid, tenant: blamed.tenant, code, at: seenAt }] : [];
    return {
      findings: [...findings.filter((each) => !isSame(each)), record].slice(-findingsKept),
      blames: [...blames, ...blame].slice(-blamesKept),
    };
  });
  const job = blamed && state.jobs.get(blamed.job);
  if (job !== undefined) job.fault ??= blamed?.fault;
}

function newRepair(state: State, event: RepairOpened): void {
  const { repair: no, node, at, gpuUuid, action, cause, why, step, flapping } = event;
  state.repairs.set(no, {
    ...{ no, node: nodeKey(state.fleet.node(node).facts), openedAt: at, action, cause, why, step },
    ...(gpuUuid !== undefined && { gpuUuid }),
    ...(flapping && { flapping }),
    evidence: [],
    noted: 0,
  });
  state.nextRepair = no + 1;
  change(state, node, ({ faultsAt }) => ({ faultsAt: [...faultsAt, at].slice(-faultsKept) }));
}

function noteRepair(state: State, { repair: no, seenAt, text, action, step }: RepairNoted): void {
  const repair = repairOf(state, no);
  state.repairs.set(no, {
    ...repair,
    ...(action !== undefined && { action }),
    ...(step !== undefined && { step }),
    evidence: repair.noted < evidenceKept ? [...repair.evidence, { at: seenAt, text }] : repair.evidence,
    noted: repair.noted + 1,
  });
}

/** A node that leaves may come back, also with other GPUs: only what would still count is kept. */
export function forgetHealth(state: State, facts: NodeFacts, at: Instant): void {
  const key = nodeKey(facts);
  const lastFaultAt = state.health.get(key)?.faultsAt.at(-1) ?? 0;
  if (openRepair(state, facts) === undefined && lastFaultAt <= at - flapWindowMs) state.health.delete(key);
}

/** Those that are open stay, however many there are. */
function forgetClosed({ repairs }: State): void {
  const closed = [...repairs.values()].filter(({ closedAt }) => closedAt !== undefined);
  for (const { no } of closed.slice(0, Math.max(0, closed.length - closedKept))) repairs.delete(no);
}

function repairOf({ repairs }: State, no: number): Repair {
  return must(repairs.get(no), `repair ${no}`);
}
