import { isRefusal, type JobSpec, parseJob, type RawJob, type Refusal, refuse } from "@tessera/core";
import type { Capabilities } from "@tessera/engine";
import { rangeText } from "./parse-job.ts";
import type { Policy, ScenarioJob } from "./scenario.ts";

/** The job as its user would have submitted it; an isolation that the engine does not offer is refused. */
export function specOf(job: ScenarioJob, policy: Policy, capabilities: Capabilities): JobSpec | Refusal {
  const spec = parseJob(rawOf(job, policy), { after: [] });
  if (isRefusal(spec)) return spec;
  const { isolation } = job;
  if (isolation === "any" || capabilities.isolation.includes(isolation)) return spec;
  const offered = capabilities.isolation.join(", ");
  return refuse("unsupported", "isolation", isolation, "is not offered by the engine", `offered: any, ${offered}`);
}

/** What its user would have written into the job file. */
export function rawOf(job: ScenarioJob, { graceMs }: Policy): RawJob {
  const { members, topology, spread, apartFrom, checkpointMs, maxTimeMs, expectedMs, gpuComputePercent, type, slo } =
    job;
  const { engine, region, where, idle } = job;
  const raw = {
    name: job.name,
    run: "simulated",
    gpus: job.gpus.length === 1 ? job.gpus[0]! : job.gpus,
    [members.apart ? "nodes" : "members"]: rangeText(members),
    cpus: job.cpusMilli / 1000,
    memory: job.memoryMiB,
    gpu_memory: job.gpuMemoryMiB,
    isolation: job.isolation,
    priority: job.priority,
    preemptible: job.preemptible,
    ...(gpuComputePercent !== undefined && { gpu_compute: `${gpuComputePercent}%` }),
    ...(topology !== undefined && { topology: `${topology.level}${topology.required ? "" : "?"}` }),
    ...(spread !== undefined && { spread: `${spread.level}${spread.required ? "" : "?"}` }),
    ...(engine !== undefined && { engine }),
    ...(region !== undefined && { region }),
    ...(where !== undefined && { where }),
    ...(apartFrom !== undefined && { apart_from: apartFrom }),
    ...(type !== undefined && { type }),
    ...(slo !== undefined && {
      slo: { p99: `${slo.p99Ms}ms`, ...(slo.aloneMs !== undefined && { alone: `${slo.aloneMs}ms` }) },
    }),
    ...(idle !== undefined && { idle: { for: `${idle.forMs}ms`, do: idle.do } }),
    ...(maxTimeMs !== undefined && { max_time: `${maxTimeMs}ms` }),
    ...(expectedMs !== undefined && { expected_time: `${expectedMs}ms` }),
    ...(checkpointMs !== undefined && { checkpoint: { every: `${checkpointMs}ms`, grace: `${graceMs}ms` } }),
    ...(job.retry === "never" && { retry: { max: 0, when: [] } }),
    ...(job.array !== undefined && { array: job.array.text }),
  };
  return raw;
}
