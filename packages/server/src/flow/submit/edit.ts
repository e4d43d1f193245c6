import { isRefusal, type Job, type JobArray, type Labels, type Refusal, refuse, type User } from "@tessera/core";
import { type JobEdit, JobSpecBody, nearestName } from "@tessera/wire";
import { renderSpec } from "../../render/spec.ts";
import type { Asker } from "../control.ts";
import type { Finder } from "../find/find-job.ts";
import { gather } from "./gather.ts";

const fields = Object.keys(JobSpecBody.properties);

/** Reads the job as it was understood, with the change, as if it were submitted now; the core decides what may change. */
export async function editJob(
  finder: Finder,
  by: Asker,
  user: User,
  job: Job | JobArray,
  { set = {}, unset = [], labels = {} }: JobEdit,
): Promise<Refusal | undefined> {
  const { control } = finder;
  const account = control.state.accounts[job.account]!;
  if (set.project !== undefined && set.project !== account.path) {
    const hint = `cancel it and submit it there: tess rerun ${job.id} --set project=${set.project}`;
    return refuse(
      "conflict",
      "project",
      set.project,
      "cannot be changed: the account pays for what the job has used",
      hint,
    );
  }
  const body: Record<string, unknown> = { ...renderSpec(job.spec), ...set };
  // The number of members can be given in two ways; the new one replaces the other.
  if (set.nodes !== undefined) delete body.members;
  if (set.members !== undefined) delete body.nodes;
  delete body.project;
  for (const field of unset) {
    if (!fields.includes(field)) {
      const nearest = nearestName(field, fields);
      const hint = nearest === undefined ? "see: tess run --help" : `did you mean ${nearest}?`;
      return refuse("unknown-field", "unset", field, "is not a field of a job", hint);
    }
    delete body[field];
  }
  const change = labelChange(job.spec.labels, body.labels as Labels | undefined, labels);
  const { labels: _, ...others } = set;
  if (Object.keys(others).length === 0 && unset.every((field) => field === "labels")) {
    const done = await control.ask({ kind: "job.label", job: job.id, labels: change }, by);
    return isRefusal(done) ? done : undefined;
  }
  body.labels = labelsOf(job.spec.labels, change);
  const gathered = await gather(finder, user, account, body as JobSpecBody);
  if (isRefusal(gathered)) return gathered;
  const done = await control.ask({ kind: "job.edit", job: job.id, spec: gathered.spec }, by);
  return isRefusal(done) ? done : undefined;
}

type LabelChange = NonNullable<JobEdit["labels"]>;

/** What turns the labels of a job into the wanted ones, and then what else is to be set and dropped. */
function labelChange(before: Labels = {}, wanted: Labels = {}, more: LabelChange): LabelChange {
  const gone = Object.keys(before).filter((key) => !Object.hasOwn(wanted, key));
  const other = Object.entries(wanted).filter(([key, value]) => before[key] !== value);
  return Object.fromEntries<string | null>([
    ...gone.map((key) => [key, null] as const),
    ...other,
    ...Object.entries(more),
  ]);
}

function labelsOf(before: Labels = {}, change: LabelChange): Labels {
  const kept = Object.entries({ ...before, ...change }).filter(([, value]) => value !== null);
  return Object.fromEntries(kept) as Labels;
}
