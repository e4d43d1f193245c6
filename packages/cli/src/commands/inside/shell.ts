import type { Command } from "commander";
import { exit } from "../../exit.ts";
import { usageFailure } from "../../failure.ts";
import { examples } from "../../help.ts";
import { runAtTerminal } from "../../inside/exec.ts";
import { cancelQuietly, type InteractiveFlags, interactiveSpec, startAndWait } from "../../inside/start.ts";
import { shellLine } from "../../job/quote.ts";
import { addSpecFlags } from "../../job/spec-flags.ts";
import type { Session } from "../../session.ts";

export function define(command: Command, session: Session): void {
  command
    .description(
      "Starts a job that is a shell, waits until it runs, and works there at this terminal. The job ends with the shell,\n" +
        "and also when the connection breaks.",
    )
    .usage("[options] [-- command]")
    .option("--for <duration>", "end it after this long at the latest (8h unless given)");
  addSpecFlags(command);
  examples(command, ["tess shell --gpus 1", "tess shell --gpus H100:2 --for 2h", "tess shell --gpus 1 -- python3"]);
  command.action((flags: InteractiveFlags) => shell(session, flags));
}

/**
 * The job waits at a named pipe that the shell holds open: its end, however it comes, is the end of the job, a moment
 * later so that the shell can still tell its exit code. A job that nobody comes to, because the client ended while the
 * job waited, ends by itself.
 */
const keeper = `pipe="$TMPDIR/.tess-shell"
mkfifo "$pipe" || exit 1
(sleep 300; [ -e "$pipe.used" ] || kill -TERM $$) &
code=$(cat "$pipe")
sleep 1
exit "\${code:-129}"`;

function inKeeper(line: string | undefined): string {
  const shell = "if command -v bash >/dev/null 2>&1; then bash -i; else /bin/sh -i; fi";
  const run = line === undefined ? `(${shell}) 9>&-; code=$?; echo 0 >&9` : `(${line}\n) 9>&-; code=$?; echo $code >&9`;
  return `pipe="$TMPDIR/.tess-shell"; until [ -p "$pipe" ]; do sleep 0.1; done; : >"$pipe.used"; exec 9>"$pipe"; ${run}; exit $code`;
}

async function shell(session: Session, flags: InteractiveFlags): Promise<void> {
  const { stdin, stdout } = session.terminal;
  if (stdin.isTTY !== true || !stdout.isTTY) {
    throw usageFailure("tess shell needs a terminal", "for a job without one: tess run --gpus 1 -- command");
  }
  const words = session.afterDashes ?? [];
  const api = await session.api();
  const spec = await interactiveSpec(session, flags, { name: "shell", run: keeper, max_time: "8h" });
  const leave = new AbortController();
  const release = session.terminal.onInterrupt(() => leave.abort());
  const started = await startAndWait(session, api, spec, leave.signal).finally(release);
  if (started === undefined) {
    session.exitCode = exit.interrupted;
    return;
  }
  const { job, progress } = started;
  progress.end();
  try {
    const line = inKeeper(words.length === 0 ? undefined : shellLine(words));
    session.exitCode = await runAtTerminal(session, api, { job, rank: 0 }, line);
  } catch (error) {
    await cancelQuietly(api, job.id);
    throw error;
  }
  await session.note(`${job.name} has ended.`);
}
