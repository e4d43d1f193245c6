import type { Command } from "@tessera/core";
import type { Policy } from "./scenario.ts";

/** A scenario's policy as the core takes it. */
export function policyCommand(
  { graceMs, minRuntimeMs, rebalance, backfill, scrubMs }: Policy,
  movesPerHourMax?: number,
): Extract<Command, { kind: "policy.set" }> {
  const policy = { graceMs, minRuntimeMs, rebalance: rebalance ? "on" : "off", backfill, movesPerHourMax } as const;
  return { kind: "policy.set", policy: { ...policy, ...(scrubMs !== undefined && { scrubMs }) } };
}
