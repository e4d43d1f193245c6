import type { Job } from "@tessera/wire";
import { shortDuration } from "@tessera/wire/duration";
import type { Command } from "commander";
import { exit } from "../../exit.ts";
import { Failure } from "../../failure.ts";
import { examples } from "../../help.ts";
import { findJob } from "../../job/find.ts";
import { askYesNo, canAsk } from "../../prompt.ts";
import type { Session } from "../../session.ts";
import { printable } from "../../terminal.ts";
import { eachOf } from "../../verbs/each.ts";
import { showJobs } from "./cancel.ts";

export function define(command: Command, session: Session): void {
  command
    .description(
      "Tells running jobs to leave, with their grace to save, and holds them: their GPUs are free until tess resume.\n" +
        "A job without a checkpoint begins again from the start, so you are asked first; -y skips that. A waiting job is held.",
    )
    .argument("<job...>", "names or ids");
  examples(command, ["tess suspend llama-ft", "tess resume llama-ft"]);
  command.action((names: string[]) => leave(session, names, "suspendJob", "suspended"));
}

/** Suspends or requeues each job named, once it is clear that nobody loses work unawares. */
export async function leave(
  session: Session,
  names: readonly string[],
  route: "suspendJob" | "requeueJob",
  done: string,
): Promise<void> {
  const api = await session.api();
  const jobs: Job[] = [];
  for (const name of names) jobs.push(await findJob(api, name));
  await warnOfLoss(session, jobs, route === "suspendJob" ? "Suspend" : "Requeue");
  const act = ({ id }: Job) => api.call(route, { at: { job: id }, body: {} });
  await eachOf(session, jobs, act, (changed) => showJobs(session, changed, done));
}

/** What a job without a checkpoint has done so far is done again. That must not come as a surprise. */
async function warnOfLoss(session: Session, jobs: readonly Job[], verb: string): Promise<void> {
  const now = session.now();
  const losing = jobs.filter(({ state, spec, startedAt, elements }) => {
    const runs = elements === undefined ? state === "running" && startedAt !== undefined : elements.active > 0;
    return runs && spec.checkpoint === undefined;
  });
  if (losing.length === 0 || session.options.yes === true) return;
  const lost = losing.map(({ name, startedAt }) => {
    const ran = startedAt === undefined ? "" : ` (${shortDuration(now - Date.parse(startedAt))} of work)`;
    return `${printable(name)}${ran}`;
  });
  const message = `no checkpoint is declared for ${lost.join(", ")}: what is not saved is lost`;
  if (canAsk(session)) {
    if (await askYesNo(session, `${message[0]!.toUpperCase()}${message.slice(1)}. ${verb}?`)) return;
    throw new Failure(exit.interrupted, { code: "declined", message: "nothing was changed" });
  }
  throw new Failure(exit.usage, {
    code: "unsaved",
    message,
    hint: "add -y to go on, or declare a checkpoint in the job file",
  });
}
