import { admitChange } from "../admit/job.ts";
import { canonicalJson } from "../journal/canonical.ts";
import type { Command } from "../journal/command.ts";
import type { Decision } from "../journal/outcome.ts";
import { type Refusal, refuse } from "../journal/refusal.ts";
import type { JobNo } from "../model/ids.ts";
import { instantText } from "../model/instant.ts";
import type { JobSpec } from "../model/job.ts";
import { type Instant, unitsPerGpu } from "../model/units.ts";
import type { State } from "../state/state.ts";
import { unmadeById } from "../state/unmade.ts";
import { liveJobs, withElement } from "./jobs.ts";

/** A waiting job asks for something else from now on. It keeps its place unless it becomes larger [O3]. */
export function editJob(
  state: State,
  { job: id, spec }: Extract<Command, { kind: "job.edit" }>,
  now: Instant,
): Decision {
  const unmade = unmadeById(state, id);
  const jobs = unmade === undefined ? liveJobs(state, id) : [unmade];
  const first = jobs.find((job) => job.state === "waiting") ?? jobs[0];
  if (first === undefined)
    return refuse("conflict", "job", id, "has ended", `submit it again with changes: tess rerun ${id} --set KEY=VALUE`);
  if (first.state !== "waiting")
    return refuse(
      "conflict",
      "job",
      id,
      `is ${first.state}: only a waiting job can be edited`,
      `send it back to the queue first: tess requeue ${id}`,
    );
  const array = state.arrayById.get(id);
  const before = (array ?? first).spec;
  const refusal =
    fixedField(before, spec) ??
    passed(spec, now) ??
    admitChange(state, first.account, first.user, array === undefined ? spec : { ...spec, array: undefined });
  if (refusal !== undefined) return refusal;
  if (canonicalJson(before) === canonicalJson(spec)) return { events: [] };
  const grown = largerIn(before, spec);
  const { no } = array ?? first;
  if (grown === undefined) {
    const edited: Decision = { events: [{ kind: "job-edited", v: 1, at: now, job: no, spec }] };
    return unmade === undefined ? edited : withElement(unmade, edited, now);
  }
  if (array !== undefined || first.array !== undefined) return notLarger(id, grown);
  return { events: [{ kind: "job-edited", v: 1, at: now, job: no, spec, as: state.nextJob as JobNo }] };
}

/** The elements of an array are numbered together, so none of them can give up its place alone. */
function notLarger(id: string, grown: string): Refusal {
  const detail = `asks for more ${grown}, and elements of an array can only be made smaller: they keep their place`;
  return refuse("conflict", "job", id, detail, `cancel it and submit it again: tess rerun ${id} --set KEY=VALUE`);
}

/** What may change while a job waits: what it asks for, and when and how it may run. All else is part of its record. */
const changeable: ReadonlySet<string> = new Set<keyof JobSpec>([
  "usual", // follows from what the job names; one from before it was kept gets it with its first edit
  "type",
  "gpus",
  "needs",
  "model",
  "members",
  "topology",
  "spread",
  "engine",
  "region",
  "where",
  "apartFrom",
  "cpusMilli",
  "memoryMiB",
  "usual", // follows from whether the two above are named
  "gpuMemoryMiB",
  "isolation",
  "slo",
  "strict",
  "maxTimeMs",
  "expectedMs",
  "maxPriceMicros",
  "budgetMicros",
  "deadlineAt",
  "notBeforeAt",
  "zone",
  "priority",
  "preemptible",
  "retry",
  "checkpoint",
  "labels",
]);

/** Why a field stays as it is; the others say what the job runs. */
const reasons: { readonly [field: string]: string } = {
  name: "other jobs and past run times refer to it",
  array: "its elements have been made",
  after: "the jobs that it waits for have been looked up",
};

function fixedField(before: JobSpec, after: JobSpec): Refusal | undefined {
  for (const field of Object.keys({ ...before, ...after }) as (keyof JobSpec)[]) {
    if (changeable.has(field) || canonicalJson(before[field] ?? null) === canonicalJson(after[field] ?? null)) continue;
    const value = typeof after[field] === "string" ? after[field] : null;
    const why = reasons[field] ?? "what a job runs is part of its record";
    const hint = "submit it again with the change: tess rerun JOB --set KEY=VALUE";
    return refuse("conflict", field, value, `cannot be changed: ${why}`, hint);
  }
  return undefined;
}

function passed({ deadlineAt }: JobSpec, now: Instant): Refusal | undefined {
  if (deadlineAt === undefined || deadlineAt > now) return undefined;
  return refuse("invalid", "deadline", instantText(deadlineAt), "has passed", "give a time in the future");
}

/** The first amount of which the job asks for more than before; undefined = of none. */
export function largerIn(before: JobSpec, after: JobSpec): string | undefined {
  return amounts.find(([, of]) => of(after) > of(before))?.[0];
}

const amounts: readonly (readonly [string, (spec: JobSpec) => number])[] = [
  ["members", ({ members }) => members.min],
  ["members", ({ members }) => members.max],
  [
    "GPUs",
    ({ gpus }) =>
      Math.max(...gpus.map(({ count, unitsEach, part }) => count * (part?.compute ?? (unitsEach || unitsPerGpu)))),
  ],
  ["GPU memory", ({ gpus, gpuMemoryMiB }) => Math.max(gpuMemoryMiB, ...gpus.map(({ part }) => part?.memoryMiB ?? 0))],
  ["cores", ({ cpusMilli }) => cpusMilli],
  ["memory", ({ memoryMiB }) => memoryMiB],
  ["time", ({ maxTimeMs = Number.POSITIVE_INFINITY }) => maxTimeMs],
];
