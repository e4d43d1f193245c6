import { setTimeout as sleep } from "node:timers/promises";
import type { Job } from "@tessera/wire";
import { notebookRun } from "@tessera/wire/notebook";
import type { Command } from "commander";
import { exit } from "../../exit.ts";
import { Failure } from "../../failure.ts";
import { examples } from "../../help.ts";
import type { Api } from "../../http.ts";
import { enterPort } from "../../inside/forward.ts";
import { endedEarly, type InteractiveFlags, interactiveSpec, startAndWait } from "../../inside/start.ts";
import { addSpecFlags } from "../../job/spec-flags.ts";
import type { Session } from "../../session.ts";
import { openPage } from "./open.ts";

export function define(command: Command, session: Session): void {
  command
    .description(
      "Starts JupyterLab from the job's environment as a job, waits until it answers, and opens it in a browser.\n" +
        "The notebook goes on after Ctrl-C, until its time is up: tess open NAME opens it again, tess cancel NAME ends it.",
    )
    .option("--for <duration>", "end it after this long (8h unless given)");
  addSpecFlags(command);
  examples(command, ["tess notebook --gpus 1 --for 4h", "tess notebook --gpus A100:1 --name probe"]);
  command.action((flags: InteractiveFlags) => notebook(session, flags));
}

const lookEveryMs = 500;

async function notebook(session: Session, flags: InteractiveFlags): Promise<void> {
  const api = await session.api();
  const usual = { name: "notebook", type: "notebook", run: notebookRun, max_time: "8h" };
  const spec = await interactiveSpec(session, flags, usual);
  const leave = new AbortController();
  const release = session.terminal.onInterrupt(() => leave.abort());
  try {
    const started = await startAndWait(session, api, spec, leave.signal);
    if (started === undefined) {
      session.exitCode = exit.interrupted;
      return;
    }
    const { job, progress } = started;
    progress.phase("notebook", "starting JupyterLab");
    const answers = await untilListening(session, api, job, leave.signal).catch((error) => {
      progress.end(true);
      throw error;
    });
    progress.end();
    if (!answers) {
      await session.note(`\n${job.name} goes on: tess open ${job.name}`);
      session.exitCode = exit.interrupted;
      return;
    }
    release();
    await openPage(session, api, { job, rank: 0 });
  } finally {
    release();
  }
}

/** False when the person left first. */
async function untilListening(session: Session, api: Api, job: Job, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    try {
      await enterPort(api, { job, rank: 0 });
      return true;
    } catch (error) {
      if (!(error instanceof Failure) || error.exitCode !== exit.conflict) throw error;
    }
    const now = await api.call("getJob", { at: { job: job.id } });
    if (now.state === "ended") throw await endedEarly(session, api, now);
    await sleep(lookEveryMs, undefined, { signal }).catch(() => {});
  }
  return false;
}
