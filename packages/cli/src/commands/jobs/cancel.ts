import type { Job } from "@tessera/wire";
import { type Command, Option } from "commander";
import { examples } from "../../help.ts";
import { type Selection, selectJobs } from "../../job/select.ts";
import { stateText } from "../../job/state.ts";
import { job as jobNoun } from "../../nouns/job.ts";
import { emitList, emitObject } from "../../output/emit.ts";
import { confirm } from "../../prompt.ts";
import type { Session } from "../../session.ts";
import { printable } from "../../terminal.ts";
import { eachOf } from "../../verbs/each.ts";

export function define(command: Command, session: Session): void {
  command
    .description(
      "Stops jobs for good. Asks for confirmation before it stops several; -y skips that.\n" +
        "A pattern such as 'exp-*' and --all mean your own live jobs; --user chooses those of somebody else.",
    )
    .argument("[job...]", "names, ids, or patterns in quotes");
  addSelection(command);
  command.option("--force", "kill at once, without grace; for administrators of the account");
  examples(command, ["tess cancel llama-ft", "tess cancel 'exp-*' --state waiting", "tess cancel --all -y"]);
  command.action((words: string[], flags: CancelFlags) => cancel(session, words, flags));
}

type CancelFlags = Selection & { readonly force?: true };

const liveStates = ["waiting", "starting", "running", "stopping"];

function addSelection(command: Command): void {
  command
    .option("--all", "all of your live jobs")
    .addOption(new Option("--state <state>", "with --all or a pattern: only jobs in this state").choices(liveStates))
    .option("--user <user>", "with --all or a pattern: jobs of this user instead of yours");
}

async function cancel(session: Session, words: readonly string[], flags: CancelFlags): Promise<void> {
  // Looked up first, so that what is asked about is what is cancelled.
  const jobs = await selectJobs(session, words, flags);
  const api = await session.api();
  const elements = jobs.reduce(
    (sum, { elements }) => sum + (elements === undefined ? 1 : elements.waiting + elements.active),
    0,
  );
  if (elements > 1) await confirm(session, `Cancel ${elements} jobs${atStake(jobs, session.now())}?`);
  const cancelOne = ({ id }: Job) =>
    api.call("cancelJob", { at: { job: id }, body: flags.force ? { force: true } : {} });
  await eachOf(session, jobs, cancelOne, (cancelled) => showJobs(session, cancelled, "cancel asked"));
}

function atStake(jobs: readonly Job[], now: number): string {
  const gpuMs = jobs.reduce((sum, { gpus, startedAt, state }) => {
    return startedAt === undefined || state === "ended" ? sum : sum + gpus * (now - Date.parse(startedAt));
  }, 0);
  return gpuMs === 0 ? "" : ` with ${(gpuMs / 3_600_000).toFixed(1)} GPU-hours of work`;
}

/** Says what became of jobs that were acted on. */
export async function showJobs(session: Session, jobs: readonly Job[], done: string): Promise<void> {
  const text = (job: Job) => `${session.paint("bold", printable(job.name))} ${job.id} ${done} (${stateText(job)})\n`;
  if (session.readable) for (const job of jobs) await session.print(text(job));
  else if (jobs.length === 1) await emitObject(session, jobs[0]!, jobs[0]!.id, text);
  else await emitList(session, { items: jobs }, jobNoun);
}
