import type { ReadonlyFleet } from "../fleet/readonly-fleet.ts";
import type { JobSpec } from "../model/job.ts";
import { mostOf } from "../model/numbers.ts";
import type { Policy } from "../model/policy.ts";

/** So many members without GPUs must fit on the largest node, however small it is. */
const fitAtLeast = 8;

/**
 * A job without GPUs that names no cores or no memory asks for the owner's usual ones [C6]. Otherwise nothing would bound
 * how many of its members share a node, and nothing would be charged for them.
 */
export function withUsualShare(spec: JobSpec, policy: Policy, fleet: ReadonlyFleet): JobSpec {
  if (spec.gpus.some((ask) => ask.count > 0) || (spec.cpusMilli > 0 && spec.memoryMiB > 0)) return spec;
  let [cpusMilli, memoryMiB] = [0, 0];
  for (const node of fleet.nodes) {
    cpusMilli = Math.max(cpusMilli, node?.facts.cpusMilli ?? 0);
    memoryMiB = Math.max(memoryMiB, node?.facts.memoryMiB ?? 0);
  }
  const usual = (asked: number, most: number, largest: number) => {
    if (asked > 0) return asked;
    return largest === 0 ? 0 : Math.max(1, Math.min(most, Math.floor(largest / fitAtLeast)));
  };
  return {
    ...spec,
    cpusMilli: usual(spec.cpusMilli, mostOf(policy, "cpuMemberCpusMilli"), cpusMilli),
    memoryMiB: usual(spec.memoryMiB, mostOf(policy, "cpuMemberMemoryMiB"), memoryMiB),
    usual: { ...(spec.cpusMilli === 0 && { cpus: true }), ...(spec.memoryMiB === 0 && { memory: true }) },
  };
}
