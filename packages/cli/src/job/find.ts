import type { AnswerOf, Job } from "@tessera/wire";
import { exit } from "../exit.ts";
import { Failure } from "../failure.ts";
import type { Api, Ask } from "../http.ts";

type JobRoute = "getJob" | "cancelJob" | "holdJob" | "releaseJob" | "explainJob";

/** Calls a route on a job by name or id; `shot-12.7` is element 7 of the newest array of that name. */
export async function callOnJob<Id extends JobRoute>(api: Api, route: Id, name: string): Promise<AnswerOf<Id>> {
  const body = route === "getJob" || route === "explainJob" ? undefined : {};
  const askFor = (job: string) => ({ at: { job }, body }) as Ask<Id>;
  try {
    return await api.call(route, askFor(name));
  } catch (error) {
    const element =
      error instanceof Failure && error.exitCode === exit.notFound ? await elementNamed(api, name) : undefined;
    if (element === undefined) throw error;
    return api.call(route, askFor(element));
  }
}

export function findJob(api: Api, name: string): Promise<Job> {
  return callOnJob(api, "getJob", name);
}

async function elementNamed(api: Api, name: string): Promise<string | undefined> {
  const [, array, index] = /^(.+)\.(\d{1,7})$/.exec(name) ?? [];
  if (array === undefined || array.startsWith("job_")) return undefined;
  const found = await api.call("getJob", { at: { job: array } }).catch(() => undefined);
  return found?.elements === undefined ? undefined : `${found.id}.${index}`;
}
