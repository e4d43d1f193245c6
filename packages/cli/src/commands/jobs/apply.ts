import type { BodyOf, JobApplied } from "@tessera/wire";
import type { Command } from "commander";
import { usageFailure } from "../../failure.ts";
import { examples } from "../../help.ts";
import { located } from "../../job/mistakes.ts";
import { readSpecFile } from "../../job/spec-file.ts";
import type { Session } from "../../session.ts";
import { attachFolders, withoutFolders } from "../../snapshot/attach.ts";
import { showDryRun } from "./dry-run.ts";
import { showCreated } from "./run.ts";

interface ApplyFlags {
  readonly file: string[];
  readonly dryRun?: boolean;
}

export function define(command: Command, session: Session): void {
  command
    .description(
      "Submits the jobs of a file unless a live job of the same project and name already has the same spec.\n" +
        "Applying a file twice is the same as applying it once.",
    )
    .requiredOption("-f, --file <file...>", "job files; - is standard input")
    .option("--dry-run", "say what would become of them; submit nothing");
  examples(command, [
    "tess apply -f job.yaml",
    "tess apply -f frames.yaml -f stitch.yaml",
    "cat job.yaml | tess apply -f -",
  ]);
  command.action((flags: ApplyFlags) => apply(session, flags));
}

async function apply(session: Session, flags: ApplyFlags): Promise<void> {
  if (session.afterDashes !== undefined)
    throw usageFailure("apply takes files only", "tess run takes a command after --");
  const { project } = await session.settings();
  const documents = [];
  for (const file of flags.file) documents.push(...(await readSpecFile(session, file)));
  const placed = documents.map((document) => {
    const where = session.options.project ?? document.spec.project ?? project;
    return where === undefined ? document : { ...document, spec: { ...document.spec, project: where } };
  });
  const api = await session.api();
  if (flags.dryRun) return showDryRun(session, api, withoutFolders(placed));
  const ready = await attachFolders(session, api, placed, {});
  const jobs: JobApplied[] = [];
  for (const document of ready) {
    const asked = api.call("applyJob", { body: document.spec as BodyOf<"applyJob"> });
    jobs.push(await asked.catch((error) => Promise.reject(located(error, document, placed.length > 1))));
  }
  await showCreated(session, jobs, ({ applied }: JobApplied) => `${applied ?? "applied"} in`);
  for (const { name, beside = [] } of jobs) {
    if (beside.length === 0) continue;
    const goes = beside.length === 1 ? "the earlier job of this name goes on" : "earlier jobs of this name go on";
    await session.note(`${name}: ${goes}; tess cancel ${beside.join(" ")} ends ${beside.length === 1 ? "it" : "them"}`);
  }
}
