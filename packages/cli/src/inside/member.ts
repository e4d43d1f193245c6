import type { Job } from "@tessera/wire";
import { exit } from "../exit.ts";
import { Failure } from "../failure.ts";
import type { Api } from "../http.ts";
import { findJob } from "../job/find.ts";

/** One member of a job. */
export interface JobMember {
  readonly job: Job;
  readonly rank: number;
}

/** `JOB` or `JOB.RANK`; of an array `NAME.INDEX` is the element and `NAME.INDEX.RANK` its member. */
export async function findMember(api: Api, name: string): Promise<JobMember> {
  try {
    return { job: await findJob(api, name), rank: 0 };
  } catch (error) {
    const [, base, rank] = /^(.+)\.(\d{1,7})$/.exec(name) ?? [];
    if (base === undefined || !(error instanceof Failure) || error.exitCode !== exit.notFound) throw error;
    const job = await findJob(api, base).catch(() => undefined);
    if (job === undefined || job.elements !== undefined) throw error;
    return { job, rank: Number(rank) };
  }
}
