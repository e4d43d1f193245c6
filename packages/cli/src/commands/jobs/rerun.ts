import type { BodyOf, Job } from "@tessera/wire";
import type { Command } from "commander";
import { notFoundFailure, usageFailure } from "../../failure.ts";
import { examples } from "../../help.ts";
import type { Api } from "../../http.ts";
import { findJob } from "../../job/find.ts";
import { readChanges } from "../../job/set.ts";
import type { Spec } from "../../job/spec-file.ts";
import type { Session } from "../../session.ts";
import { showCreated } from "./run.ts";

interface RerunFlags {
  readonly set?: string[];
  readonly failed?: boolean;
}

export function define(command: Command, session: Session): void {
  command
    .description(
      "Submits a job again as it was recorded: the same command, files and settings, as a new job of the same project.\n" +
        "With --set it differs in these fields. Times that have passed and jobs that it ran after are left out.",
    )
    .argument("<job>", "name or id, live or ended")
    .option("--set <key=value>", "change a field; may be repeated. KEY= takes a field back", collect)
    .option("--failed", "of an array: only the elements that did not succeed");
  examples(command, [
    "tess rerun llama-ft",
    "tess rerun llama-ft --set gpus=H100:4 --set env.LR=0.001",
    "tess rerun --failed frames",
  ]);
  command.action((name: string, flags: RerunFlags) => rerun(session, name, flags));
}

/** The values of an option that may be given several times. */
export function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}

async function rerun(session: Session, name: string, flags: RerunFlags): Promise<void> {
  const api = await session.api();
  const job = await findJob(api, name);
  const spec: Spec = {
    ...recorded(job, session.now()),
    ...(flags.failed === true && { array: await failedOf(api, job) }),
  };
  const { set, unset } = readChanges(flags.set ?? [], spec);
  const asked: Spec = { ...spec, ...set };
  // The number of members can be given in two ways; the new one replaces the other.
  if (set.nodes !== undefined) delete asked.members;
  if (set.members !== undefined) delete asked.nodes;
  for (const field of unset) delete asked[field];
  const project = session.options.project;
  const body = { ...asked, ...(project !== undefined && { project }) } as BodyOf<"submitJob">;
  await showCreated(session, [await api.call("submitJob", { body })]);
}

/** The job as it was understood, less what was meant for that time alone. */
function recorded({ spec, project, array }: Job, now: number): Spec {
  const { after: _, ...rest } = spec;
  const kept: Spec = { ...rest, project, ...(array !== undefined && { array: `${array.index}-${array.index}` }) };
  for (const field of ["deadline", "not_before"])
    if (typeof kept[field] === "string" && Date.parse(kept[field]) <= now) delete kept[field];
  return kept;
}

/** The elements that did not succeed, as `array` has them. */
async function failedOf(api: Api, { id, name, elements, spec }: Job): Promise<string> {
  if (elements === undefined) throw usageFailure(`${name} is not an array`, "leave --failed out");
  const indexes: number[] = [];
  let cursor: string | undefined;
  do {
    const page = await api.call("listJobs", {
      query: { array: id, state: "ended", limit: 1_000, ...(cursor !== undefined && { cursor }) },
    });
    for (const { outcome, array } of page.items)
      if (array !== undefined && outcome !== "succeeded") indexes.push(array.index);
    cursor = page.next;
  } while (cursor !== undefined);
  if (indexes.length === 0)
    throw notFoundFailure(`no element of ${name} has failed`, `see: tess ps --array ${id} --all`);
  indexes.sort((a, b) => a - b);
  const atOnce = typeof spec.array === "string" ? (/%\d+$/.exec(spec.array)?.[0] ?? "") : "";
  return `${indexes.length === 1 ? `${indexes[0]}-${indexes[0]}` : indexes.join(",")}${atOnce}`;
}
