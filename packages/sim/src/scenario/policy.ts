import type { Job } from "@tessera/core";
import type { Policy, Scenario } from "./scenario.ts";

/**
 * What becomes of a scenario's policy, in one place.
 *
 * `grace` is honoured: the core gets it as the grace of jobs that checkpoint, and the machines take it for every job
 * that is evicted, because the core has no grace of the whole fleet yet.
 *
 * `min_runtime`, `rebalance` and `backfill` are rules of taking back and of the timeline, and `mode` of a pool is one
 * of sharing a GPU. The core does none of these yet and has nothing that could take them; `notHonoured` says so for
 * each that a file sets. When the core takes a policy, `runScenario` hands it over where it registers the fleet.
 */
export function graceFor({ graceMs }: Policy, job: Job | undefined): number {
  return job?.stopCause === "preempt" || job?.stopCause === "drain" ? graceMs : 0;
}

/** What a scenario sets and the core of today cannot do. */
export function notHonoured({ policy, nodes }: Scenario): string[] {
  const notes: string[] = [];
  if (policy.minRuntimeMs > 0)
    notes.push("policy.min_runtime: nothing is taken back yet, so nothing needs its shelter");
  if (!policy.rebalance) notes.push("policy.rebalance: nothing is taken back yet, so false is all there is");
  if (!policy.backfill) notes.push("policy.backfill: there is no timeline yet; whatever fits is started");
  const shared = nodes.filter((node) => node.mode !== "whole").map((node) => node.name);
  if (shared.length > 0) notes.push(`fleet.mode: GPUs are given whole yet, also on ${shared.join(", ")}`);
  return notes;
}
