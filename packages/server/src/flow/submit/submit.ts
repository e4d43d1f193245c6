import {
  type Account,
  canonicalJson,
  isRefusal,
  type JobId,
  type JobSpec,
  type Refusal,
  type User,
} from "@tessera/core";
import type { JobApplied, JobCreated, JobSpecBody, Job as WireJob } from "@tessera/wire";
import { jobCreated, jobCreatedFromDoc } from "../../render/job.ts";
import type { Asker } from "../control.ts";
import { type Finder, liveById } from "../find/find-job.ts";
import { newId } from "../ids.ts";
import { editJob } from "./edit.ts";
import { gather } from "./gather.ts";

/** How often the world may move between looking and deciding before the caller is told to come again. */
const looksMax = 5;
/** How many other jobs of the same name the answer to apply names. */
const besideMax = 20;

/** Submit: gather what the request leans on, ask the core, answer what the create fixed. */
export async function submitJob(
  finder: Finder,
  by: Asker,
  user: User,
  account: Account,
  body: JobSpecBody,
): Promise<JobCreated | Refusal> {
  const { control } = finder;
  const id = newId("job_") as JobId;
  for (let look = 1; ; look++) {
    const gathering = gather(finder, user, account, body);
    const gathered = gathering instanceof Promise ? await gathering : gathering;
    if (isRefusal(gathered)) return gathered;
    const { spec, endedBefore } = gathered;
    const command = { account: account.path, endedBefore, id, kind: "job.submit", spec, user: user.id } as const;
    const done = await control.ask(command, by);
    if (!isRefusal(done)) return createdJob(finder, done.result!);
    if (done.refused !== "look-again" || look === looksMax) return done;
  }
}

/** Submits unless a live job of this project and name is already what is asked for. */
export async function applyJob(
  finder: Finder,
  by: Asker,
  user: User,
  account: Account,
  body: JobSpecBody,
): Promise<JobApplied | Refusal> {
  const gathered = await gather(finder, user, account, body);
  if (isRefusal(gathered)) return gathered;
  const [newest, ...older] = [...finder.liveNames.named(gathered.spec.name)].filter(
    (job) => job.account === account.no,
  );
  // Only the newest of the name counts: an older one was replaced by it.
  if (newest !== undefined && sameText(newest.spec) === sameText(gathered.spec)) {
    const { labels = {} } = gathered.spec;
    // Labels that were given to the live job by hand stay.
    const same = Object.entries(labels).every(([key, value]) => newest.spec.labels?.[key] === value);
    // Submitting into an account does not give a hold on the jobs of its other users.
    if (same || newest.user !== user.id) return { ...jobCreated(finder.control.state, newest), applied: "unchanged" };
    const relabelled = await editJob(finder, by, user, newest, { labels });
    if (isRefusal(relabelled)) return relabelled;
    return { ...jobCreated(finder.control.state, newest), applied: "labelled" };
  }
  const created = await submitJob(finder, by, user, account, body);
  if (isRefusal(created) || newest === undefined)
    return isRefusal(created) ? created : { ...created, applied: "created" };
  const beside = [newest, ...older].slice(0, besideMax).map(({ id }) => id);
  return { ...created, applied: "changed", beside };
}

/** A spec as text; the same files are the same job, whatever its labels, or the commit or folder they were sent from. */
function sameText({ labels: _, ...spec }: JobSpec): string {
  const { code } = spec;
  return canonicalJson(code !== undefined && "tree" in code ? { ...spec, code: { tree: code.tree } } : spec);
}

/** The answer to the create that made this job, also when the job has ended in the meantime. */
export async function createdJob({ control }: Finder, id: string): Promise<JobCreated> {
  const { state, reader } = control;
  const live = liveById(state, id as JobId);
  if (live !== undefined) return jobCreated(state, live);
  const row = await reader.job(id);
  if (row === undefined) throw new Error(`job ${id} was created and is nowhere to be found`);
  return jobCreatedFromDoc(JSON.parse(row.doc) as WireJob);
}
