import type { Command } from "@tessera/core";
import type { Policy } from "./scenario.ts";

/** A scenario's policy as the core takes it. */
export function policyCommand({ graceMs, minRuntimeMs, rebalance, backfill }: Policy): Command {
  return { kind: "policy.set", policy: { graceMs, minRuntimeMs, rebalance: rebalance ? "on" : "off", backfill } };
}
