import type { Job } from "@tessera/wire";
import { readDuration } from "@tessera/wire/duration";
import { type Command, Option } from "commander";
import { exit } from "../../exit.ts";
import { Failure, usageFailure } from "../../failure.ts";
import { examples } from "../../help.ts";
import { exitCodeOfEnded } from "../../job/exit-code.ts";
import { findJob } from "../../job/find.ts";
import { followJob } from "../../job/follow.ts";
import { stateText } from "../../job/state.ts";
import { job as jobNoun } from "../../nouns/job.ts";
import { emitList, emitObject } from "../../output/emit.ts";
import type { Session } from "../../session.ts";

interface WaitFlags {
  readonly for: "running" | "done";
  readonly timeout?: string;
}

export function define(command: Command, session: Session): void {
  command
    .description(
      "Waits until jobs have ended and ends with their exit code (the highest of several), or until they run.\n" +
        "A timeout exits with 75; the jobs continue.",
    )
    .argument("<job...>", "names or ids")
    .addOption(new Option("--for <state>", "running or done").choices(["running", "done"]).default("done"))
    .option("--timeout <duration>", "wait at most this long, such as 10m");
  examples(command, ["tess wait llama-ft", "tess wait llama-ft --for=running --timeout 10m"]);
  command.action((names: string[], flags: WaitFlags) => wait(session, names, flags));
}

async function wait(session: Session, names: readonly string[], flags: WaitFlags): Promise<void> {
  const timeoutMs = flags.timeout === undefined ? undefined : readDuration(flags.timeout);
  if (flags.timeout !== undefined && timeoutMs === undefined) {
    throw usageFailure(`--timeout must be a duration, got "${flags.timeout}"`, "such as 90s, 10m or 2h");
  }
  const leave = new AbortController();
  const release = session.terminal.onInterrupt(() => leave.abort());
  const timer = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  const signal = timer === undefined ? leave.signal : AbortSignal.any([leave.signal, timer]);
  try {
    const api = await session.api();
    const jobs: Job[] = [];
    for (const name of names) jobs.push(await findJob(api, name));
    const reached = await Promise.all(
      jobs.map((job) =>
        followJob(api, job, {
          signal,
          note: (text) => void session.note(text),
          ...(flags.for === "running" && { until: isRunning }),
        }),
      ),
    );
    if (timer?.aborted && reached.includes(undefined)) throw timedOut(names, reached, flags);
    if (leave.signal.aborted) session.exitCode = exit.interrupted;
    else {
      for (const job of reached as Job[]) {
        if (job.state === "ended") session.exitCode = Math.max(session.exitCode, await exitCodeOfEnded(api, job));
      }
      await show(session, reached as Job[]);
    }
  } finally {
    release();
  }
}

function isRunning({ state, elements }: Job): boolean {
  return state === "running" || (elements !== undefined && elements.active > 0);
}

function timedOut(names: readonly string[], reached: readonly (Job | undefined)[], flags: WaitFlags): Failure {
  const late = names.filter((_name, index) => reached[index] === undefined).join(", ");
  return new Failure(exit.tryLater, {
    code: "timeout",
    message: `${late} not ${flags.for === "done" ? "ended" : "running"} after ${flags.timeout}`,
    hint: "tess explain says why a job waits",
  });
}

async function show(session: Session, jobs: readonly Job[]): Promise<void> {
  if (session.readable) for (const job of jobs) await session.note(`${job.name} ${stateText(job)}`);
  else if (jobs.length === 1) await emitObject(session, jobs[0]!, jobs[0]!.id, () => "");
  else await emitList(session, { items: jobs }, jobNoun);
}
