import type { BodyOf, JobCreated } from "@tessera/wire";
import type { Command } from "commander";
import { usageFailure } from "../../failure.ts";
import { keptText } from "../../files/kept-text.ts";
import { examples } from "../../help.ts";
import type { Api } from "../../http.ts";
import { Interrupts } from "../../job/detach.ts";
import { endedText } from "../../job/ended.ts";
import { exitCodeOfEnded } from "../../job/exit-code.ts";
import { followJob } from "../../job/follow.ts";
import { logPrinter } from "../../job/log-printer.ts";
import { located } from "../../job/mistakes.ts";
import { type Progress, progressOf } from "../../job/progress.ts";
import { nameOfCommand, shellLine } from "../../job/quote.ts";
import { readSpecFile, type Spec, type SpecDocument } from "../../job/spec-file.ts";
import { addSpecFlags, overlay, type SpecFlags, specOfFlags } from "../../job/spec-flags.ts";
import { tellOfVirtual } from "../../job/virtual.ts";
import { emitList, emitObject } from "../../output/emit.ts";
import type { Session } from "../../session.ts";
import { attachFolders, withoutFolders } from "../../snapshot/attach.ts";
import { printable } from "../../terminal.ts";
import { showDryRun } from "./dry-run.ts";

interface RunFlags extends SpecFlags {
  readonly dryRun?: boolean;
  readonly detach?: boolean;
  readonly wait?: boolean;
  readonly idempotencyKey?: string;
}

export function define(command: Command, session: Session): void {
  command
    .description(
      "Submits a job and follows it: shows why it waits, then its output, and ends with its exit code.\n" +
        "The job comes from a file (YAML or JSON, - for standard input), from the words after --, or both.\n" +
        "One word after -- is a shell line; several are a program and its arguments.",
    )
    .argument("[file]", "job file; several documents are several jobs")
    .usage("[options] [file] [-- command]")
    .option("--dry-run", "say whether, where and when it would start; submit nothing")
    .option("-d, --detach", "submit and return at once")
    .option("--wait", "wait until it ends without showing the output")
    .option("--idempotency-key <key>", "a repeated submission with this key returns the same job");
  addSpecFlags(command);
  examples(command, [
    "tess run job.yaml",
    "tess run --gpus H100:8 -- torchrun --nproc-per-node 8 train.py",
    "tess run --gpus 1 --wait -- sh -c 'exit 7'",
    "tess run --gpus A100:1 --array 1-240%24 --detach -- 'render $TESS_INDEX'",
    "tess run job.yaml --dry-run -o json",
  ]);
  command.action((file: string | undefined, flags: RunFlags) => run(session, file, flags));
}

async function run(session: Session, file: string | undefined, flags: RunFlags): Promise<void> {
  const chosen = [flags.dryRun && "--dry-run", flags.detach && "--detach", flags.wait && "--wait"].filter(Boolean);
  if (chosen.length > 1) throw usageFailure(`${chosen.join(" and ")} cannot be used together`, "give one of them");
  const documents = await documentsOf(session, file, flags);
  const api = await session.api();
  if (flags.dryRun) return showDryRun(session, api, withoutFolders(documents));
  // Attached to one job, its output is what is shown; in a machine's format only the final job is.
  const attached = !flags.wait && !flags.detach && session.readable && documents.length === 1;
  const progress = flags.detach ? undefined : progressOf(session);
  const interrupts = flags.detach ? undefined : new Interrupts(session);
  try {
    const ready = await attachFolders(session, api, documents, { unasked: session.terminal.cwd, progress });
    progress?.phase("validate");
    const jobs = await submitAll(session, api, ready, flags.idempotencyKey);
    if (jobs.some(({ gpus }) => gpus > 0)) {
      await tellOfVirtual(session, api, (text) => {
        progress?.clear();
        void session.note(text);
      });
    }
    if (progress === undefined || interrupts === undefined) return await showCreated(session, jobs);
    session.exitCode = await followAll(session, api, jobs, { progress, interrupts, attached });
  } catch (error) {
    progress?.end(true);
    throw error;
  } finally {
    interrupts?.release();
  }
}

/** The jobs to submit: from the file, with what the flags and the words after `--` say on top. */
export async function documentsOf(
  session: Session,
  file: string | undefined,
  flags: SpecFlags,
  usual: Spec = {},
): Promise<SpecDocument[]> {
  const line = session.afterDashes;
  if (line !== undefined && line.length === 0) throw usageFailure("there is no command after --");
  if (file === undefined && line === undefined && usual.run === undefined) {
    throw usageFailure(
      "what should run?",
      "name a job file, or put a command after --: tess run --gpus 1 -- nvidia-smi",
    );
  }
  const written: SpecDocument[] =
    file === undefined ? [{ spec: usual, from: "the command line" }] : await readSpecFile(session, file);
  const { project } = await session.settings();
  const given = { ...specOfFlags(flags, session), ...(line !== undefined && { run: shellLine(line) }) };
  return written.map((document) => {
    const { spec } = document;
    const named = spec.name === undefined && line !== undefined ? nameOfCommand(line) : undefined;
    const asked: Spec = { ...(named !== undefined && { name: named }), ...overlay(spec, given) };
    const where = session.options.project ?? asked.project ?? project;
    const full = where === undefined ? asked : { ...asked, project: where };
    return { ...document, spec: full, given: Object.keys(given) };
  });
}

async function submitAll(
  session: Session,
  api: Api,
  documents: readonly SpecDocument[],
  key: string | undefined,
): Promise<JobCreated[]> {
  const jobs: JobCreated[] = [];
  for (const [index, document] of documents.entries()) {
    const { spec } = document;
    const own = key === undefined ? undefined : documents.length === 1 ? key : `${key}-${index + 1}`;
    try {
      jobs.push(
        await api.call("submitJob", { body: spec as BodyOf<"submitJob">, ...(own !== undefined && { key: own }) }),
      );
    } catch (error) {
      if (jobs.length > 0)
        await session.note(`Already submitted: ${jobs.map(({ name, id }) => `${name} (${id})`).join(", ")}`);
      throw located(error, document, documents.length > 1);
    }
  }
  return jobs;
}

export async function showCreated<Created extends JobCreated>(
  session: Session,
  jobs: readonly Created[],
  done: (job: Created) => string = () => "submitted to",
): Promise<void> {
  const view = { columns: [{ name: "id", text: ({ id }: JobCreated) => id }], nameOf: ({ id }: JobCreated) => id };
  const text = (job: Created) => {
    const size = job.size > 1 ? `, ${job.size} elements` : "";
    return `${session.paint("bold", printable(job.name))} ${job.id} ${done(job)} ${job.project}${size}\n`;
  };
  if (session.readable) for (const job of jobs) await session.print(text(job));
  else if (jobs.length === 1) await emitObject(session, jobs[0]!, jobs[0]!.id, text);
  else await emitList(session, { items: jobs }, view);
}

interface Following {
  readonly progress: Progress;
  readonly interrupts: Interrupts;
  readonly attached: boolean;
}

async function followAll(session: Session, api: Api, jobs: readonly JobCreated[], how: Following): Promise<number> {
  const { progress, interrupts, attached } = how;
  const ended = [];
  const print = logPrinter(session, { split: true });
  let highest = 0;
  for (const job of jobs) {
    const prefix = jobs.length === 1 ? "" : `${job.name} `;
    const last = await followJob(api, job, {
      signal: interrupts.signal,
      progress:
        prefix === "" ? progress : { ...progress, phase: (name, detail = "") => progress.phase(name, prefix + detail) },
      note: (text) => {
        progress.clear();
        void session.note(text);
      },
      // A short job may write before anyone saw it run: its first line must not stick to the line of the phase before.
      ...(attached && {
        onLine: (entry, job) => {
          progress.rest();
          return print(entry, job);
        },
        fromAttempt: 1,
      }),
    });
    if (last === undefined) {
      progress.end();
      return interrupts.detach(api, jobs);
    }
    ended.push(last);
    highest = Math.max(highest, await exitCodeOfEnded(api, last));
    progress.rest();
    await session.note(endedText(last, session.paintNote));
    const kept = await keptText(api, last);
    if (kept !== undefined && session.readable) await session.note(kept);
  }
  progress.end();
  if (session.readable || session.format === "csv") return highest;
  if (ended.length === 1) await emitObject(session, ended[0]!, ended[0]!.id, () => "");
  else await emitList(session, { items: ended }, { columns: [], nameOf: ({ id }) => id });
  return highest;
}
