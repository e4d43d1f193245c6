import type { AnswerOf, Job } from "@tessera/wire";
import { AmbiguousName } from "../failure.ts";
import type { Api, Ask } from "../http.ts";

type JobRoute = "getJob" | "cancelJob" | "holdJob" | "releaseJob" | "explainJob" | "suspendJob" | "requeueJob";

/** Calls a route on a job by name or id; of several live jobs of that name the user is asked which. */
export async function callOnJob<Id extends JobRoute>(api: Api, route: Id, name: string): Promise<AnswerOf<Id>> {
  const body = route === "getJob" || route === "explainJob" ? undefined : {};
  const askFor = (job: string) => ({ at: { job }, body }) as Ask<Id>;
  try {
    return await api.call(route, askFor(name));
  } catch (error) {
    if (!(error instanceof AmbiguousName)) throw error;
    return api.call(route, askFor(await api.choose(error)));
  }
}

export function findJob(api: Api, name: string): Promise<Job> {
  return callOnJob(api, "getJob", name);
}
