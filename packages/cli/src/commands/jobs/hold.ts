import type { Job } from "@tessera/wire";
import type { Command } from "commander";
import { examples } from "../../help.ts";
import { callOnJob } from "../../job/find.ts";
import type { Session } from "../../session.ts";
import { eachOf } from "../../verbs/each.ts";
import { showJobs } from "./cancel.ts";

export function define(command: Command, session: Session): void {
  command.description("Keeps waiting jobs from starting until they are released.").argument("<job...>", "names or ids");
  examples(command, ["tess hold llama-ft"]);
  command.action((names: string[]) => change(session, names, "holdJob", "held"));
}

/** Holds or releases each job named. */
export async function change(
  session: Session,
  names: readonly string[],
  route: "holdJob" | "releaseJob",
  done: string,
): Promise<void> {
  const api = await session.api();
  const act = (name: string): Promise<Job> => callOnJob(api, route, name);
  await eachOf(session, names, act, (jobs) => showJobs(session, jobs, done));
}
