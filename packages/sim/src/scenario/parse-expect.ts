import { type JobClass, reasonKinds } from "@tessera/core";
import { BadField, type FieldPath, Fields, hintFor, knownName, listOf, mapOf, type Read } from "./fields.ts";
import { type Expect, placeLevels } from "./scenario.ts";
import { name, units, whole } from "./values.ts";

const keys = ["running", "waiting", "never", "evicted", "evicted_of", "running_of", "usage", "class", "on"];
const classes: readonly JobClass[] = ["guaranteed", "burst"];

/** What may be spoken of at a step: jobs submitted so far, and accounts. */
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
  };
}

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
