import type { Repair } from "../model/health.ts";
import type { FleetNode, NodeFacts } from "../model/node.ts";
import { nodeKey } from "../model/node-key.ts";
import type { ReadonlyState } from "./readonly-state.ts";

/** The beginning of the reason of a node that is out of use until it has been found well. */
const outOfUse = "quarantine: ";

/** The repair for which a node is out of use; undefined where there is none. */
export function openRepair({ repairs }: ReadonlyState, facts: Pick<NodeFacts, "engine" | "name">): Repair | undefined {
  if (repairs.size === 0) return undefined;
  const key = nodeKey(facts);
  for (const repair of repairs.values()) if (repair.node === key && repair.closedAt === undefined) return repair;
  return undefined;
}

export function quarantineReason(why: string): string {
  return `${outOfUse}${why}`;
}

export const notAccepted = quarantineReason("it has not passed its checks yet");

/** Whether it was taken out of use by what was found, and not by its owner. */
export function isQuarantined({ own }: Pick<FleetNode, "own">): boolean {
  return own.mode !== "up" && own.reason.startsWith(outOfUse);
}
