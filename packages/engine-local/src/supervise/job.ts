import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { constants } from "node:os";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { LogLine } from "@tessera/engine";
import type { LogWriter, Masker } from "@tessera/engine/log";
import { LineCutter } from "@tessera/engine/log";
import { closetCommand } from "../limit/closet.ts";
import { Pace } from "../log/pace.ts";
import { initDescriptor, initScript, initSettings } from "./init.ts";
import { findProcess, markVariable, type ProcessEntry } from "./processes.ts";
import type { RunSheet } from "./sheet.ts";

/** How the command of a step ended. `unstarted` = what stood in the way of the user's own command. */
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
  /** Processes of the init beside its first, under the numbers that it sees itself. */
  readonly keepers: Set<number>;
  /** The keeper that waits for the user's command, until it has ended. */
  runner: number | undefined;
  /** The user's command has ended; others of its processes may be left, and the init is. */
  readonly ended: Promise<StepEnd>;
  /** Everything that was written has reached the log; needs all processes gone. */
  readonly drained: Promise<void>;
  /** Starts the script `N` of the door folder as the job: its user, groups, namespaces, limits and environment. */
  session(number: number): void;
}

/**
 * Starts one script of the job. Three stages in one process: enter the control groups (still with our rights), close
 * in and drop rights (the wrapper), then the init. The environment is the user's and comes last, because a variable
 * such as LD_PRELOAD must not reach a stage that still has rights.
 */
export function startStep(
  sheet: RunSheet,
  script: string,
  environment: { readonly [name: string]: string },
  log: { readonly writer: Pick<LogWriter, "write">; readonly masker: Masker; readonly setup: boolean },
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
    ].concat(sheet.networkWords, closetCommand(sheet.closet), ["/bin/sh", "-c", initScript, "tess-init"]),
    {
      cwd: "/",
      env: { PATH: standardPath, [markVariable]: sheet.mark },
      detached: true,
      stdio: ["pipe", "pipe", "pipe", filter, "pipe", "pipe"],
    },
  );
  if (filter !== "ignore") closeSync(filter);
  const drained = Promise.all([
    keepLines(child.stdout!, log.setup ? "setup" : "stdout", log),
    keepLines(child.stderr!, log.setup ? "setup" : "stderr", log),
  ]).then(() => undefined);
  const folder = sheet.order.workdir ?? sheet.workPath;
  const settings = (child.stdio as readonly unknown[])[initDescriptor.settings] as Writable;
  // It ended before it read everything; its end says why.
  for (const stream of [settings, child.stdin!]) stream.on("error", () => {});
  settings.end(initSettings({ folder, door: sheet.doorPath, script, environment }));
  const step: Step = {
    // Still ours to look at, even if it has ended: it is only reaped when this turn of the event loop is over.
    root: child.pid === undefined ? undefined : findProcess(child.pid),
    begun: false,
    keepers: new Set(),
    runner: undefined,
    ended: new Promise((resolve) => followInit(child, () => step, resolve)),
    drained,
    session: (number) => void child.stdin!.write(`session ${number}\n`),
  };
  return step;
}

export const standardPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** What one process may have open; without a limit, one job could use up the table of the machine. */
const filesMax = 65_536;
/** Where the machine itself is out of memory, the kernel ends jobs before supervisors and the control plane. */
const firstToEnd = 500;

/** Moves itself into each group before anything of the user exists, so that nothing starts outside. */
const enterGroups = `d=$1; n=$2; shift 2
[ -z "$d" ] || ulimit -d "$d"
ulimit -n ${filesMax} 2>/dev/null
echo ${firstToEnd} > /proc/self/oom_score_adj
while [ "$n" -gt 0 ]; do
  echo $$ > "$1/cgroup.procs" || { echo "fail 125 control group $1 cannot be entered" >&${initDescriptor.status}; exit 125; }
  shift; n=$((n - 1))
done
exec "$@"`;

/** Takes what the init says, and calls `end` once: with what it says of the end, or with its own end. */
function followInit(child: ChildProcess, step: () => Step, end: (end: StepEnd) => void): void {
  const status = child.stdio[initDescriptor.status] as Readable;
  const closed = new Promise((resolve) => status.once("close", resolve).on("error", resolve));
  createInterface({ input: status }).on("line", (line) => {
    const [, word, number, text] = /^(\S+) (\d+) ?(.*)$/.exec(line) ?? [];
    if (word === "keeper") step().keepers.add(Number(number));
    if (word === "go") {
      step().begun = true;
      step().runner = Number(number);
      step().keepers.add(Number(number));
    }
    if (word === "end" || word === "fail") {
      step().keepers.delete(step().runner ?? 0);
      step().runner = undefined;
      end({ code: Number(number), ...(word === "fail" ? { unstarted: text! } : {}) });
    }
  });
  child.once("error", (error) => end({ code: 126, unstarted: `the shell cannot be started: ${error.message}` }));
  child.once("exit", async (code, signal) => {
    // Whatever was said was said before the end; it may only not have been read yet.
    await Promise.race([closed, sleep(statusMsMax, undefined, { ref: false })]);
    step().runner = undefined;
    if (signal !== null) end({ code: 128 + constants.signals[signal], signal });
    else end({ code: code ?? 1, ...(step().begun ? {} : { unstarted: "it could not be closed in; see the log" }) });
  });
}

/** The pipe of the init can stay open for as long as a wrapper does. */
const statusMsMax = 1_000;

async function keepLines(
  stream: Readable,
  name: LogLine["stream"],
  log: { readonly writer: Pick<LogWriter, "write">; readonly masker: Masker },
): Promise<void> {
  const cutter = new LineCutter(log.masker);
  const pace = new Pace(performance.now());
  stream.on("data", (bytes: Buffer) => {
    const at = Date.now();
    log.writer.write(name, at, cutter.push(bytes, at));
    const waitMs = pace.take(bytes.length, performance.now());
    if (waitMs === 0) return;
    stream.pause();
    setTimeout(() => stream.resume(), waitMs).unref();
  });
  await new Promise((resolve) => stream.once("close", resolve).on("error", resolve));
  log.writer.write(name, Date.now(), cutter.end());
}
