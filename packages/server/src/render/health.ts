import {
  type FleetNode,
  findingName,
  meaningOf,
  nodeKey,
  nodeName,
  openRepair,
  type ReadonlyState,
  type Repair,
} from "@tessera/core";
import type { NodeHealthShape, RepairShape } from "@tessera/wire";
import { timestamp } from "./quantities.ts";

const weekMs = 7 * 24 * 3_600_000;

/** What is known of a node's health. Lines of logs name processes of tenants: they are shown only with the right to change nodes. */
export function renderHealth(
  state: ReadonlyState,
  node: FleetNode,
  { checking, evidence, now }: { readonly checking: boolean; readonly evidence: boolean; readonly now: number },
): NodeHealthShape {
  const known = state.health.get(nodeKey(node.facts));
  const repair = openRepair(state, node.facts);
  return {
    node: nodeName(state.fleet, node),
    mode: node.mode,
    reason: node.reason,
    checking,
    ...(known?.checkedAt !== undefined && { checked: timestamp(known.checkedAt) }),
    checks: (known?.checks ?? []).map(({ gpuUuid, ...each }) => ({
      ...each,
      ...(gpuUuid !== undefined && { gpu: gpuUuid }),
    })),
    findings: (known?.findings ?? []).toReversed().map((each) => ({
      ...{ source: each.source, code: each.code, name: findingName(each), means: meaningOf(each).means },
      ...{ action: each.action, count: each.count, first: timestamp(each.firstAt), last: timestamp(each.lastAt) },
      ...(each.gpuUuid !== undefined && { gpu: each.gpuUuid }),
      ...(evidence && { text: each.text }),
    })),
    faults: (known?.faultsAt ?? []).filter((at) => at > now - weekMs).length,
    ...(repair !== undefined && { repair: repair.no }),
  };
}

export function renderRepair(state: ReadonlyState, repair: Repair): RepairShape {
  const { no, node: key, gpuUuid, action, cause, why, step, flapping, openedAt, evidence, noted } = repair;
  const node = state.fleet.nodeByName.get(key);
  return {
    ...{ id: no, node: node === undefined ? key : nodeName(state.fleet, node), action, cause, why, step, noted },
    ...(gpuUuid !== undefined && { gpu: gpuUuid }),
    ...(flapping && { flapping }),
    opened: timestamp(openedAt),
    evidence: evidence.map(({ at, text }) => ({ at: timestamp(at), text })),
    ...(repair.closedAt !== undefined && { closed: timestamp(repair.closedAt) }),
    ...(repair.closedWhy !== undefined && { closedWhy: repair.closedWhy }),
  };
}
