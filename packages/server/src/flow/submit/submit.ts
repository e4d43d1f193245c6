import { type Account, canonicalJson, isRefusal, type JobId, type Refusal, type User } from "@tessera/core";
import type { JobCreated, JobSpecBody, Job as WireJob } from "@tessera/wire";
import { jobCreated, jobCreatedFromDoc } from "../../render/job.ts";
import type { Asker } from "../control.ts";
import type { Finder } from "../find/find-job.ts";
import { newId } from "../ids.ts";
import { gather } from "./gather.ts";

/** How often the world may move between looking and deciding before the caller is told to come again. */
const looksMax = 5;

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
): Promise<JobCreated | Refusal> {
  const gathered = await gather(finder, user, account, body);
  if (isRefusal(gathered)) return gathered;
  const wanted = canonicalJson(gathered.spec);
  for (const job of finder.liveNames.named(gathered.spec.name)) {
    if (job.account !== account.no) continue;
    if (canonicalJson(job.spec) === wanted) return jobCreated(finder.control.state, job);
    break; // only the newest of the name counts: an older one was replaced by it
  }
  return submitJob(finder, by, user, account, body);
}

/** The answer to the create that made this job, also when the job has ended in the meantime. */
export async function createdJob({ control }: Finder, id: string): Promise<JobCreated> {
  const { state, reader } = control;
  const live = state.jobById.get(id as JobId) ?? state.arrayById.get(id as JobId);
  if (live !== undefined) return jobCreated(state, live);
  const row = await reader.job(id);
  if (row === undefined) throw new Error(`job ${id} was created and is nowhere to be found`);
  return jobCreatedFromDoc(JSON.parse(row.doc) as WireJob);
}
