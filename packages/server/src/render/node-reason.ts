import type { FleetNode, ReadonlyState } from "@tessera/core";

/** Why a node takes no work. What stands in the way of an engine may tell of addresses: only who may change it reads that. */
export function nodeReason(
  { engines }: Pick<ReadonlyState, "engines">,
  { mode, reason, facts }: Pick<FleetNode, "mode" | "reason" | "facts">,
  mayChange: boolean,
): string {
  const away = mode === "unknown" && engines.get(facts.engine)?.away !== undefined;
  return away && !mayChange ? `engine ${facts.engine} is out of reach` : reason;
}
