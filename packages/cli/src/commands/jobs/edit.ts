import type { BodyOf, Job } from "@tessera/wire";
import type { Command } from "commander";
import { usageFailure } from "../../failure.ts";
import { examples } from "../../help.ts";
import { findJob } from "../../job/find.ts";
import { type Changes, readChanges } from "../../job/set.ts";
import { canAsk } from "../../prompt.ts";
import type { Session } from "../../session.ts";
import { showJobs } from "./cancel.ts";
import { collect } from "./rerun.ts";

interface EditFlags {
  readonly set?: string[];
}

export function define(command: Command, session: Session): void {
  command
    .description(
      "Changes what a waiting job asks for: GPUs, nodes, priority, time limit and the like; not what it runs.\n" +
        "Labels can be changed in any state.\n" +
        "Without --set it opens the job in $EDITOR. A job that asks for more than before goes behind those that wait.",
    )
    .argument("<job>", "name or id; of an array its waiting elements change")
    .option("--set <key=value>", "change a field; may be repeated. KEY= takes a field back", collect);
  examples(command, [
    "tess edit llama-ft --set priority=high",
    "tess edit llama-ft --set gpus=4 --set max_time=2h",
    "tess edit llama-ft --set labels.sweep=lr",
  ]);
  command.action((name: string, flags: EditFlags) => edit(session, name, flags));
}

async function edit(session: Session, name: string, flags: EditFlags): Promise<void> {
  const api = await session.api();
  const job = await findJob(api, name);
  const changes = flags.set === undefined ? await inEditor(session, job) : readChanges(flags.set, job.spec);
  const { set, unset } = changes;
  if (Object.keys(set).length + unset.length === 0) return session.note("nothing was changed");
  const body = { set, unset: [...unset] } as BodyOf<"editJob">;
  await showJobs(session, [await api.call("editJob", { at: { job: job.id }, body })], "edited");
}

async function inEditor(session: Session, job: Job): Promise<Changes> {
  if (!canAsk(session)) throw usageFailure("what should change?", "give --set KEY=VALUE, such as --set priority=high");
  const { editText } = await import("../../job/editor.ts");
  const { parse, stringify } = await import("yaml");
  const before = stringify(job.spec);
  const head = `# ${job.name} (${job.id}). What it runs cannot be changed. An unchanged file changes nothing.\n`;
  const after = parse(await editText(session, head + before)) as Record<string, unknown> | null;
  if (typeof after !== "object" || after === null || Array.isArray(after))
    throw usageFailure("the edited text is not a job", "keep the form FIELD: VALUE");
  const same = (field: string) => JSON.stringify(after[field]) === JSON.stringify(job.spec[field]);
  return {
    set: Object.fromEntries(Object.entries(after).filter(([field]) => !same(field))),
    unset: Object.keys(job.spec).filter((field) => after[field] === undefined),
  };
}
