import type { Command } from "@tessera/core";
import type { Policy, Scenario } from "./scenario.ts";

/** A scenario's policy as the core takes it. */
export function policyCommand({ graceMs, minRuntimeMs, rebalance, backfill }: Policy): Command {
  return { kind: "policy.set", policy: { graceMs, minRuntimeMs, rebalance: rebalance ? "on" : "off", backfill } };
}

/** What a scenario sets and the core of today cannot do. */
export function notHonoured({ nodes }: Scenario): string[] {
  const shared = nodes.filter((node) => node.mode !== "whole").map((node) => node.name);
  return shared.length === 0 ? [] : [`fleet.mode: GPUs are given whole yet, also on ${shared.join(", ")}`];
}
