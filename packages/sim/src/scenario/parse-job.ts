import type { Isolation, JobType } from "@tessera/core";
import { BadField, type FieldPath, Fields, knownName, listOf, type Read } from "./fields.ts";
import { readIdle } from "./idle.ts";
import { type ScenarioJob, topologyLevels } from "./scenario.ts";
import {
  array,
  askedGpus,
  cpus,
  duration,
  flag,
  labels,
  lastingDuration,
  memberRange,
  name,
  percent,
  priority,
  size,
  whole,
} from "./values.ts";

const keys = [
  "job",
  "account",
  "count",
  "each_more",
  "gpus",
  "nodes",
  "members",
  "topology",
  "spread",
  "engine",
  "region",
  "where",
  "apart_from",
  "priority",
  "runs",
  "max_time",
  "expected_time",
  "preemptible",
  "checkpoint",
  "leaves_after",
  "retry",
  "cpus",
  "memory",
  "gpu_memory",
  "gpu_compute",
  "isolation",
  "type",
  "slo",
  "idle",
  "array",
];
const isolations: readonly Isolation[] = ["whole", "mig", "mps", "timeslice", "any"];
const types: readonly JobType[] = ["train", "service", "notebook", "batch"];
const levels = topologyLevels.flatMap((level) => [level, `${level}?`] as const);

/** Amounts of which each job of a `count` can ask for more than the job before it. */
const growing = { cpus, memory: size, max_time: lastingDuration };

/** One entry of `submit` → its jobs: one, or as many as `count` says. */
export function readJobs(value: unknown, at: FieldPath, account: Read<string>): ScenarioJob[] {
  const fields = new Fields(value, at, "a job", keys);
  const group = fields.need("job", name, "give the job a name");
  const count = fields.take("count", whole("a number of jobs", 1, 100_000));
  const elements = fields.take("array", array);
  if (count !== undefined && elements !== undefined)
    throw new BadField([...at, "array"], elements.text, "cannot stand beside count", "use one of the two");
  const more = fields.take("each_more", (each, where) => readMore(each, where, count)) ?? {};
  const job: ScenarioJob = {
    name: group,
    group,
    account: fields.need("account", account, "say which account it belongs to"),
    gpus: fields.take("gpus", askedGpus) ?? [0],
    members: readMembers(fields, at),
    cpusMilli: fields.take("cpus", cpus) ?? 0,
    memoryMiB: fields.take("memory", size) ?? 0,
    gpuMemoryMiB: fields.take("gpu_memory", size) ?? 0,
    isolation: fields.take("isolation", knownName("an isolation", isolations)) ?? "any",
    type: fields.take("type", knownName("a kind of job", types)),
    slo: fields.take("slo", readSlo),
    idle: fields.take("idle", readIdle),
    priority: fields.take("priority", priority) ?? 0,
    preemptible: fields.take("preemptible", flag) ?? true,
    topology: fields.take("topology", readTopology),
    spread: fields.take("spread", readTopology),
    engine: fields.take("engine", name),
    region: fields.take("region", name),
    where: fields.take("where", labels),
    apartFrom: fields.take("apart_from", names),
    gpuComputePercent: fields.take("gpu_compute", percent),
    ...fields.take("runs", (each, where) => readRuns(each, where, elements)),
    maxTimeMs: fields.take("max_time", lastingDuration),
    expectedMs: fields.take("expected_time", lastingDuration),
    checkpointMs: fields.take("checkpoint", lastingDuration),
    leaveMs: fields.take("leaves_after", duration),
    retry: fields.take("retry", knownName("a retry rule", ["never"] as const)),
    array: elements,
  };
  if (count === undefined) return [job];
  return Array.from({ length: count }, (_, i) => ({ ...job, ...grown(job, more, i), name: `${group}.${i + 1}` }));
}

type More = { readonly [Amount in keyof typeof growing]?: number };

function readMore(value: unknown, at: FieldPath, count: number | undefined): More {
  if (count === undefined) throw new BadField(at, value, "stands without count", "add count, or leave it out");
  const fields = new Fields(value, at, "an amount that grows", Object.keys(growing));
  return {
    cpus: fields.take("cpus", growing.cpus),
    memory: fields.take("memory", growing.memory),
    max_time: fields.take("max_time", growing.max_time),
  };
}

function grown(job: ScenarioJob, more: More, times: number): Partial<ScenarioJob> {
  return {
    cpusMilli: job.cpusMilli + (more.cpus ?? 0) * times,
    memoryMiB: job.memoryMiB + (more.memory ?? 0) * times,
    ...(more.max_time !== undefined && { maxTimeMs: (job.maxTimeMs ?? more.max_time) + more.max_time * times }),
  };
}

/** The names of an entry's jobs, one for each job of `count` and each element of an array. */
export function namesOf(job: ScenarioJob): string[] {
  return job.array === undefined ? [job.name] : job.array.indexes.map((index) => `${job.name}.${index}`);
}

/** One time, or a list with a time for each element of an array. */
function readRuns(
  value: unknown,
  at: FieldPath,
  elements: ScenarioJob["array"],
): Pick<ScenarioJob, "runsMs" | "runsEachMs"> {
  if (!Array.isArray(value)) return { runsMs: duration(value, at) };
  const times = listOf("times", duration)(value, at);
  if (times.length === elements?.indexes.length) return { runsEachMs: times };
  const hint = elements === undefined ? "write one time" : `write ${elements.indexes.length} times, or one for all`;
  throw new BadField(at, value, "does not have one time for each element of an array", hint);
}

function readMembers(fields: Fields, at: FieldPath): ScenarioJob["members"] {
  const nodes = fields.take("nodes", memberRange);
  const members = fields.take("members", memberRange);
  if (nodes === undefined) return { min: 1, max: 1, ...members, apart: false };
  if (members === undefined) return { ...nodes, apart: true };
  const hint = "use nodes for members on different nodes, members where they may share one";
  throw new BadField([...at, "members"], rangeText(members), "cannot stand beside nodes", hint);
}

/** `4`, or `4..8`. */
export function rangeText({ min, max }: { readonly min: number; readonly max: number }): string {
  return min === max ? String(min) : `${min}..${max}`;
}

/** One name, or a list of them. */
const names: Read<readonly string[]> = (value, at) =>
  Array.isArray(value) ? value.map((each, i) => name(each, [...at, i])) : [name(value, at)];

const readSlo: Read<ScenarioJob["slo"]> = (value, at) => {
  const fields = new Fields(value, at, "a latency promise", ["p99", "alone"]);
  const p99Ms = fields.need("p99", lastingDuration, "say in what time 99 of 100 requests are answered");
  const aloneMs = fields.take("alone", lastingDuration);
  if (aloneMs === undefined || aloneMs <= p99Ms) return { p99Ms, aloneMs };
  throw new BadField([...at, "alone"], aloneMs, "is longer than p99", "give at most as long as p99");
};

const readTopology: Read<ScenarioJob["topology"]> = (value, at) => {
  const chosen = knownName("a level of the fleet", levels)(value, at);
  const level = topologyLevels.find((each) => chosen.startsWith(each))!;
  return { level, required: chosen === level };
};
