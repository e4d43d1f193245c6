import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import type { LogLine } from "@tessera/engine";
import { LineCutter } from "../log/lines.ts";
import type { Masker } from "../log/mask.ts";
import type { LogWriter } from "../log/writer.ts";
import { findProcess, markVariable, type ProcessEntry } from "./processes.ts";
import type { RunSheet } from "./sheet.ts";

/** How the first process of a step ended. `unstarted` = what stood in the way of the user's own command. */
export interface StepEnd {
  readonly code: number;
  readonly signal?: NodeJS.Signals;
  readonly unstarted?: string;
}

export interface Step {
  /** Undefined when not even the first stage could be started. */
  readonly root: ProcessEntry | undefined;
  /** The user's own command is running or about to: there is a process that can handle a signal. */
  begun: boolean;
  /** The first process of the job is gone; others may be left. */
  readonly ended: Promise<StepEnd>;
  /** Everything that was written has reached the log; needs all processes gone. */
  readonly drained: Promise<void>;
}

/** Where a wrapper finds the system call filter, and where the last stage says how far it came. */
const seccompDescriptor = 3;
const statusDescriptor = 4;

/**
 * Starts one script of the job. Three stages in one process: enter the control groups (still with our rights), close
 * in and drop rights (the wrapper), then a shell that takes the environment from a pipe. The environment is the
 * user's and comes last, because a variable such as LD_PRELOAD must not reach a stage that still has rights, and
 * through a pipe, because arguments can be read by every process on the machine.
 */
export function startStep(
  sheet: RunSheet,
  script: string,
  environment: { readonly [name: string]: string },
  log: { readonly writer: LogWriter; readonly masker: Masker; readonly setup: boolean },
): Step {
  const filter = sheet.seccompFile === undefined ? "ignore" : openSync(sheet.seccompFile, "r");
  const child = spawn(
    "/bin/sh",
    [
      "-c",
      enterGroups,
      "tess",
      String(sheet.dataKiBMax ?? ""),
      String(sheet.groups.length),
      ...sheet.groups.map((group) => group.folder),
    ].concat(sheet.wrapper, ["/bin/sh", "-s"]),
    {
      cwd: "/",
      env: { PATH: standardPath, [markVariable]: sheet.mark },
      detached: true,
      stdio: ["pipe", "pipe", "pipe", filter, "pipe"],
    },
  );
  if (filter !== "ignore") closeSync(filter);
  const status = firstWords(child.stdio[statusDescriptor] as Readable);
  const drained = Promise.all([
    keepLines(child.stdout!, log.setup ? "setup" : "stdout", log),
    keepLines(child.stderr!, log.setup ? "setup" : "stderr", log),
  ]).then(() => undefined);
  feed(child.stdin!, lastStage(sheet, script, environment));
  // Still ours to look at, even if it has ended: it is only reaped when this turn of the event loop is over.
  const root = child.pid === undefined ? undefined : findProcess(child.pid);
  const step: Step = { root, begun: false, ended: endOf(child, status), drained };
  void status.said.then((words) => {
    step.begun = words === "go";
  });
  return step;
}

export const standardPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Moves itself into each group before anything of the user exists, so that nothing starts outside. */
const enterGroups = `d=$1; n=$2; shift 2
[ -z "$d" ] || ulimit -d "$d"
while [ "$n" -gt 0 ]; do
  echo $$ > "$1/cgroup.procs" || { echo "control group $1 cannot be entered" >&${statusDescriptor}; exit 125; }
  shift; n=$((n - 1))
done
exec "$@"`;

/** The script of the last stage: environment, directory, then the user's command in place of this shell. */
function lastStage(sheet: RunSheet, script: string, environment: { readonly [name: string]: string }): string {
  const entries = Object.entries(environment);
  const plain = entries.filter(([name]) => exportable.test(name) && !shellOwned.has(name));
  const odd = entries.filter(([name]) => !exportable.test(name) || shellOwned.has(name));
  const folder = sheet.order.workdir ?? sheet.workPath;
  const command = ["/bin/sh", "-c", quoted(script)];
  if (odd.length > 0) command.unshift("/usr/bin/env", ...odd.map(([name, value]) => quoted(`${name}=${value}`)));
  return [
    `cd ${quoted(folder)} 2>/dev/null || { echo ${quoted(`workdir ${folder} cannot be entered by this job`)} >&${statusDescriptor}; exit 126; }`,
    "unset OLDPWD",
    "umask 022",
    ...plain.map(([name, value]) => `export ${name}=${quoted(value)}`),
    `echo go >&${statusDescriptor}`,
    `exec ${command.join(" ")} </dev/null ${seccompDescriptor}>&- ${statusDescriptor}>&-`,
    "",
  ].join("\n");
}

const exportable = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Names that a shell keeps for itself: assigning them can fail or change how the rest of the script is read. */
const shellOwned = new Set("BASHOPTS BASH_VERSINFO EUID GROUPS IFS LINENO OPTIND PPID SHELLOPTS UID".split(" "));

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function feed(stdin: Writable, text: string): void {
  stdin.on("error", () => {}); // it ended before it read everything; its exit says why
  stdin.end(text);
}

/** The first words on the status pipe; empty when it closes, or nothing comes, without any. */
function firstWords(stream: Readable): { said: Promise<string>; within(waitMs: number): Promise<string> } {
  const said = new Promise<string>((resolve) => {
    stream.setEncoding("utf8");
    stream.once("data", (text: string) => resolve(text.trim()));
    stream.once("close", () => resolve("")).on("error", () => resolve(""));
  });
  return {
    said,
    within: (waitMs) => Promise.race([said, new Promise<string>((resolve) => setTimeout(resolve, waitMs, "").unref())]),
  };
}

function endOf(child: ChildProcess, status: ReturnType<typeof firstWords>): Promise<StepEnd> {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve({ code: 126, unstarted: `the shell cannot be started: ${error.message}` }));
    child.once("exit", async (code, signal) => {
      const end = signal === null ? { code: code ?? 1 } : { code: 128 + constants.signals[signal], signal };
      // Whatever was said was said before the end; it may only not have been read yet. The pipe itself can stay open
      // for as long as a wrapper does.
      const said = await status.within(1_000);
      if (said === "go" || signal !== null) resolve(end);
      else resolve({ ...end, unstarted: said === "" ? "it could not be closed in; see the log" : said });
    });
  });
}

async function keepLines(
  stream: Readable,
  name: LogLine["stream"],
  log: { readonly writer: LogWriter; readonly masker: Masker },
): Promise<void> {
  const cutter = new LineCutter(log.masker);
  stream.on("data", (bytes: Buffer) => log.writer.write(name, Date.now(), cutter.push(bytes)));
  await new Promise((resolve) => stream.once("close", resolve).on("error", resolve));
  log.writer.write(name, Date.now(), cutter.end());
}
