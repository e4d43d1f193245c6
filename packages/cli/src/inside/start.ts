import type { BodyOf, Job } from "@tessera/wire";
import { Failure } from "../failure.ts";
import type { Api } from "../http.ts";
import { exitCodeOfEnded } from "../job/exit-code.ts";
import { followJob } from "../job/follow.ts";
import { readLogLines } from "../job/log-lines.ts";
import { logPrinter } from "../job/log-printer.ts";
import { progressOf } from "../job/progress.ts";
import type { Spec } from "../job/spec-file.ts";
import { type SpecFlags, specOfFlags } from "../job/spec-flags.ts";
import type { Session } from "../session.ts";
import { attachFolders } from "../snapshot/attach.ts";

export interface InteractiveFlags extends SpecFlags {
  readonly for?: string;
}

/** The job of an interactive command: what the flags say, with `--for` as its time limit. */
export async function interactiveSpec(session: Session, flags: InteractiveFlags, usual: Spec): Promise<Spec> {
  const { project } = await session.settings();
  const where = session.options.project ?? project;
  const maxTime = flags.for ?? flags.maxTime ?? (usual.max_time as string | undefined);
  const given = specOfFlags({ ...flags, ...(maxTime !== undefined && { maxTime }) }, session);
  return { ...usual, ...given, ...(where !== undefined && { project: where }) };
}

/** Submits a job and waits, with progress, until it runs. Undefined when the person left first. */
export async function startAndWait(
  session: Session,
  api: Api,
  spec: Spec,
  signal: AbortSignal,
): Promise<{ readonly job: Job; readonly progress: ReturnType<typeof progressOf> } | undefined> {
  const progress = progressOf(session);
  try {
    const documents = [{ spec, from: "the command line", given: Object.keys(spec) }];
    const [ready] = await attachFolders(session, api, documents, { unasked: session.terminal.cwd, progress });
    progress.phase("validate");
    const created = await api.call("submitJob", { body: ready!.spec as BodyOf<"submitJob"> });
    const job = await followJob(api, created, {
      signal,
      progress,
      note: (text) => void session.note(text),
      until: ({ state }) => state === "running",
    });
    if (job === undefined) {
      progress.end();
      await cancelQuietly(api, created.id);
      await session.note(`\n${created.name} is cancelled.`);
      return undefined;
    }
    if (job.state === "ended") throw await endedEarly(session, api, job);
    return { job, progress };
  } catch (error) {
    progress.end(true);
    throw error;
  }
}

/** What a job that ended before it could be used has to say: its own words, then ours. */
export async function endedEarly(session: Session, api: Api, job: Job): Promise<Failure> {
  const print = logPrinter(session, { split: true });
  for await (const entry of readLogLines(api, job.id, { tail: 20 })) await print(entry, job);
  const code = await exitCodeOfEnded(api, job);
  return new Failure(code === 0 ? 1 : code, {
    code: "ended",
    message: `${job.name} has ended${job.outcome === undefined ? "" : ` (${job.outcome})`} before it could be used`,
    hint: `see: tess logs ${job.id}`,
  });
}

export async function cancelQuietly(api: Api, job: string): Promise<void> {
  await api.call("cancelJob", { at: { job }, body: {} }).catch(() => {}); // it may have ended
}
