import type { Command } from "@tessera/core";
import type { Policy, ScenarioPool } from "./scenario.ts";

/** A scenario's policy as the core takes it. */
export function policyCommand(
  { graceMs, minRuntimeMs, rebalance, backfill, scrubMs, cpuMembers }: Policy,
  movesPerHourMax?: number,
): Extract<Command, { kind: "policy.set" }> {
  const policy = { graceMs, minRuntimeMs, rebalance: rebalance ? "on" : "off", backfill, movesPerHourMax } as const;
  const max = cpuMembers === undefined ? {} : { max: { cpuMembersPerTenant: cpuMembers } };
  return { kind: "policy.set", policy: { ...policy, ...(scrubMs !== undefined && { scrubMs }), ...max } };
}

/** A scenario's pool as the core takes it, at the plain price. */
export function poolCommand({ name, ...terms }: ScenarioPool): Extract<Command, { kind: "pool.create" }> {
  return { kind: "pool.create", name, terms: { perMille: 1000, ...terms } };
}
