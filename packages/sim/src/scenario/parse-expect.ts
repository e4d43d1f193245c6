import { type ChangedField, durationText, type JobClass, type JobOutcome, reasonKinds } from "@tessera/core";
import { BadField, type FieldPath, Fields, hintFor, knownName, listOf, mapOf, type Read } from "./fields.ts";
import { readJobs } from "./parse-job.ts";
import { type Expect, placeLevels, type Start } from "./scenario.ts";
import { duration, name, units, whole } from "./values.ts";

const keys = [
  "running",
  "waiting",
  "never",
  "ended",
  "evicted",
  "evicted_of",
  "running_of",
  "usage",
  "class",
  "on",
  "would",
  "ahead",
  "sooner",
  "eta",
  "likely",
];
const classes: readonly JobClass[] = ["guaranteed", "burst"];

/** All ways to end: one that is missing here does not compile. */
const outcomes = Object.keys({
  succeeded: 1,
  failed: 1,
  cancelled: 1,
  "timed-out": 1,
  "infra-failed": 1,
  preempted: 1,
  "dependency-failed": 1,
  "deadline-passed": 1,
  "over-budget": 1,
} satisfies Record<JobOutcome, 1>) as JobOutcome[];

/** All fields that the core may change: one that is missing here does not compile. */
const changedFields = Object.keys({
  max_price: 1,
  max_time: 1,
  not_before: 1,
  topology: 1,
  spread: 1,
  engine: 1,
  region: 1,
  where: 1,
  apart_from: 1,
  members: 1,
  isolation: 1,
  slo: 1,
  preemptible: 1,
  priority: 1,
  gpus: 1,
  nodes: 1,
  cpus: 1,
  memory: 1,
  gpu_memory: 1,
  "model.precision": 1,
} satisfies Record<ChangedField, 1>) as ChangedField[];

/** What an expectation may name: jobs submitted so far, and accounts. */
export interface Subjects {
  readonly jobs: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
  readonly account: Read<string>;
}

export function readExpect(value: unknown, at: FieldPath, subjects: Subjects): Expect {
  const fields = new Fields(value, at, "an expectation", keys);
  const job: Read<string> = (each, where) => submitted(each, where, "a job", subjects.jobs);
  const ofJob = <Value>(read: Read<Value>) =>
    mapOf("a mapping by job", (each, where, key) => ({ job: job(key, where), value: read(each, where) }));
  const ofGroup = mapOf("numbers by job", (each, where, key) => ({
    group: submitted(key, where, "a job or a counted group", subjects.groups),
    count: whole("a number of jobs", 0)(each, where),
  }));
  return {
    running: fields.take("running", listOf("jobs", job)),
    waiting: fields
      .take("waiting", ofJob(knownName("a reason to wait", reasonKinds)))
      ?.map(({ job, value }) => ({ job, kind: value })),
    never: fields.take("never", listOf("jobs", job)),
    ended: fields
      .take("ended", ofJob(knownName("a way to end", outcomes)))
      ?.map(({ job, value }) => ({ job, outcome: value })),
    evicted: fields.take("evicted", listOf("jobs", job)),
    evictedOf: fields.take("evicted_of", ofGroup),
    runningOf: fields.take("running_of", ofGroup),
    usage: fields.take(
      "usage",
      mapOf("GPUs by account", (each, where, key) => ({
        account: subjects.account(key, where),
        units: units(each, where),
      })),
    ),
    class: fields.take("class", ofJob(knownName("a class", classes)))?.map(({ job, value }) => ({ job, class: value })),
    on: fields.take("on", ofJob(readPlaces))?.flatMap(({ job, value }) => value.map((place) => ({ job, ...place }))),
    would: fields.take(
      "would",
      listOf("jobs", (each, where) => readWould(each, where, subjects.account, job)),
    ),
    ahead: fields
      .take("ahead", ofJob(readAhead))
      ?.flatMap(({ job, value }) => value.map((count) => ({ job, ...count }))),
    sooner: fields
      .take("sooner", ofJob(listOf("changes", readChange)))
      ?.map(({ job, value }) => ({ job, changes: value })),
    eta: fields.take("eta", ofJob(start))?.map(({ job, value }) => ({ job, starts: value })),
    likely: fields.take("likely", ofJob(readRange))?.map(({ job, value }) => ({ job, between: value })),
  };
}

/** `now`, `unknown`, or an instant of the scenario. */
const start: Read<Start> = (value, at) =>
  value === "now" || value === "unknown" ? value : durationText(duration(value, at));

/** A job as `submit` has it, with when it would start and which jobs would leave for it. */
function readWould(
  value: unknown,
  at: FieldPath,
  account: Read<string>,
  job: Read<string>,
): NonNullable<Expect["would"]>[number] {
  if (typeof value !== "object" || value === null) throw new BadField(at, value, "is not a job", "write {job: x, …}");
  const { starts, evicts, ...asked } = value as Record<string, unknown>;
  const [single, second] = readJobs(asked, at, account);
  if (single === undefined || second !== undefined || single.array !== undefined)
    throw new BadField(at, single?.group, "is more than one job", "leave out count and array");
  if (starts === undefined)
    throw new BadField([...at, "starts"], null, "is missing", "write now, unknown or a time such as 1h");
  return {
    job: single,
    starts: start(starts, [...at, "starts"]),
    ...(evicts !== undefined && { evicts: listOf("jobs", job)(evicts, [...at, "evicts"]) }),
  };
}

const readAhead: Read<Omit<NonNullable<Expect["ahead"]>[number], "job">[]> = (value, at) => {
  const fields = new Fields(value, at, "jobs ahead", ["own", "others"]);
  return (["own", "others"] as const).flatMap((of) => {
    const counts = fields.take(of, (each, where) => {
      const byClass = new Fields(each, where, "numbers of jobs by class", classes);
      return classes.map((as) => ({ of, class: as, count: byClass.take(as, whole("a number of jobs", 0)) ?? 0 }));
    });
    return counts ?? [];
  });
};

/** `{gpus: 6, starts: now}`: one field of the job file with its new value. */
const readChange: Read<NonNullable<Expect["sooner"]>[number]["changes"][number]> = (value, at) => {
  const entries = mapOf("a change", (each, where, key) => ({ key, each, where }))(value, at);
  const starts = entries.find(({ key }) => key === "starts");
  const [change, other] = entries.filter(({ key }) => key !== "starts");
  if (starts === undefined || change === undefined || other !== undefined)
    throw new BadField(at, value, "is not one changed field with its start", "write {gpus: 6, starts: now}");
  const field = knownName("a field that can be changed", changedFields)(change.key, change.where);
  return { field, value: String(change.each), starts: start(starts.each, starts.where) };
};

/** `[1h, 2h]`: half of the likely starts are before the first time, nine of ten before the second. */
const readRange: Read<readonly [Start, Start] | "unknown"> = (value, at) => {
  if (value === "unknown") return value;
  const [from, to, more] = listOf("two times", start)(value, at);
  if (from !== undefined && to !== undefined && more === undefined) return [from, to];
  throw new BadField(at, value, "is not two times", "write [1h, 2h], or unknown");
};

const readPlaces: Read<Omit<NonNullable<Expect["on"]>[number], "job">[]> = (value, at) => {
  const fields = new Fields(value, at, "a place", placeLevels);
  return placeLevels.flatMap((level) => {
    const are = fields.take(level, (each, where) =>
      Array.isArray(each) ? listOf("names", name)(each, where) : whole("a number or a list of names", 0)(each, where),
    );
    return are === undefined ? [] : [{ level, are }];
  });
};

function submitted(value: unknown, at: FieldPath, what: string, known: ReadonlySet<string>): string {
  if (typeof value === "string" && known.has(value)) return value;
  throw new BadField(at, value, `is not ${what} submitted so far`, hintFor(String(value), [...known]));
}
