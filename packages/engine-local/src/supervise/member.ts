import { constants } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { ReportWhat } from "@tessera/core";
import { fetchScript, type StopOrder } from "@tessera/engine";
import type { LogWriter } from "@tessera/engine/log";
import { maskerOf } from "@tessera/engine/log";
import { oomKills } from "../limit/group.ts";
import { SharedWatch } from "../part/watch.ts";
import { isDone } from "./done.ts";
import type { Entrance } from "./entrance.ts";
import { environmentOf } from "./environment.ts";
import { type Step, type StepEnd, standardPath, startStep } from "./job.ts";
import { lookScript, needsLook, readLook } from "./look.ts";
import type { MemberNetwork } from "./network/member-network.ts";
import type { Orders } from "./orders.ts";
import { isAlive, type ProcessEntry } from "./processes.ts";
import type { ReportWriter } from "./reports.ts";
import { type RoomPassed, watchRoom } from "./room.ts";
import type { RunSheet } from "./sheet.ts";
import { longestTimerMs, Stopping, spanText, stopText } from "./stop.ts";
import { Telling } from "./tell.ts";
import { endTree, jobProcesses, keeperOf, type Tree, treeMembers } from "./tree.ts";

export type MemberEnd = Extract<ReportWhat, { kind: "exited" }>;

/** From release to the end: setup, then the command itself, under one clock and one way to stop. */
export async function runMember(
  sheet: RunSheet,
  secrets: { readonly [name: string]: string },
  orders: Orders,
  reports: ReportWriter,
  writer: LogWriter,
  entrance: Entrance,
  network: MemberNetwork,
): Promise<MemberEnd> {
  const { order } = sheet;
  let environment = environmentOf(sheet, secrets);
  const masker = maskerOf(Object.values(secrets));
  const say = (text: string) => writer.write("tessera", Date.now(), [text]);
  let tree: Tree = { mark: sheet.mark, groups: sheet.groups, contained: sheet.contained };
  let step: Step | undefined;
  let stoppedBy: NodeJS.Signals | undefined;
  const telling = new Telling(() => jobProcesses(tree));
  const stopping = new Stopping(
    (signal) => {
      if (step?.begun === true) return telling.tell(signal);
      // Nothing of the user's runs that could use the grace.
      stoppedBy ??= signal;
      if (step !== undefined) void endTree(tree);
    },
    () => {
      say("still there after the grace period: everything left of it is killed");
      void endTree(tree);
    },
  );

  await entrance.listen();
  await reports.write({ kind: "started" });
  orders.onStop((how) => {
    if (!stopping.begun) say(`told to stop: ${stopText(how)}`);
    stopping.order(how);
  });
  let timeIsUp = false;
  const stopClock = startClock(order.limits.runMsMax, () => {
    timeIsUp = true;
    say(`time limit of ${spanText(order.limits.runMsMax)}: ${stopText(order.stop)}`);
    void reports.write({ kind: "stopping", cause: "time-limit" });
    stopping.order(order.stop);
  });

  let passed: RoomPassed | undefined;
  const stopWatch = watchRoom(sheet, (found) => {
    passed = found;
    say(`${found.reason}: ${stopText(found.stop)}`);
    stopping.order(found.stop);
  });

  const shared = watchShared(
    sheet,
    () => treeMembers(tree),
    (why, how) => {
      say(`${why}: ${stopText(how)}`);
      stopping.order(how);
    },
  );
  await shared?.open();

  let end: StepEnd = { code: 0 };
  let reason: string | undefined;
  for (const { name, script, failed } of stepsOf(sheet)) {
    if (stopping.begun) {
      stoppedBy ??= stopping.first; // between two steps
      break;
    }
    const answer: string[] = [];
    step =
      name === "look"
        ? startStep(withoutWorkdir(sheet), script, lookEnvironment, {
            writer: collectorOf(answer),
            masker,
            setup: true,
          })
        : startStep(sheet, script, environment, { writer, masker, setup: name !== "run" });
    tree = { ...tree, ...(step.root === undefined ? {} : { root: step.root }), keepers: step.keepers };
    const { session } = step;
    const around = tree;
    entrance.open({ sheet, network, tree: () => around, session });
    end = await Promise.race([step.ended, unwatched(step, tree)]);
    // Before the rest of the job gets its grace: a shell of a visitor would use it up.
    await entrance.shut("the job has ended");
    // A stopped job may still be saving in other processes, and they have the same grace. One that ended has none.
    while (stopping.begun && !stopping.killed && jobProcesses(tree).length > 0) await sleep(leftoversEveryMs);
    await endTree(tree);
    await Promise.race([step.drained, sleep(drainMsMax)]);
    if (stoppedBy !== undefined) break;
    reason = end.unstarted ?? (end.code === 0 ? undefined : failed(end.code));
    if (end.code !== 0) break;
    if (name !== "look") continue;
    const { refusal, notes, environment: found } = readLook(sheet, answer);
    for (const note of notes) say(note);
    environment = { ...environment, ...withPath(found, environment) };
    if (refusal === undefined) continue;
    end = { code: 126 };
    reason = refusal;
    break;
  }
  stopClock();
  stopWatch();
  stopping.settle();
  telling.close();
  if (passed !== undefined) {
    reason = passed.reason;
    if (end.code === 0) end = { code: 128 + constants.signals.SIGTERM, signal: "SIGTERM" }; // it did not end by itself
  }
  if (stoppedBy !== undefined) end = { code: 128 + constants.signals[stoppedBy], signal: stoppedBy };
  const { limit: sharedLimit, neighbour, reason: sharedReason } = (await shared?.close(end.code)) ?? {};
  reason = sharedReason ?? reason;
  if (sharedLimit !== undefined && end.code === 0) end = { code: 128 + constants.signals.SIGTERM, signal: "SIGTERM" }; // it did not end by itself
  if (reason !== undefined) say(reason);
  const limit =
    passed?.limit ??
    sharedLimit ??
    (timeIsUp ? "time" : end.code !== 0 && oomKills(sheet.groups) > 0 ? "memory" : undefined);
  if (limit === "memory") say(`killed by the kernel: more memory than its limit of ${order.limits.memoryMiB} MiB`);
  return {
    kind: "exited",
    ran: true,
    code: end.code,
    ...(end.signal === undefined ? {} : { signal: end.signal }),
    ...(limit === undefined ? {} : { limit }),
    ...(neighbour === undefined ? {} : { neighbour }),
    ...(reason === undefined ? {} : { reason }),
    ...(isDone(sheet) ? { done: true } : {}),
  };
}

function watchShared(
  { shared, order, gpuFolder }: RunSheet,
  processes: () => readonly number[],
  stop: (why: string, how: StopOrder) => void,
): SharedWatch | undefined {
  return shared && new SharedWatch(shared, { job: order.job, folder: gpuFolder }, processes, stop);
}

/** One script of the job after the other, and what to say of one that fails. */
interface MemberStep {
  readonly name: "look" | "fetch" | "setup" | "run";
  readonly script: string;
  readonly failed: (code: number) => string | undefined;
}

function stepsOf(sheet: RunSheet): MemberStep[] {
  const { order } = sheet;
  const steps: MemberStep[] = [];
  if (needsLook(sheet)) {
    steps.push({
      name: "look",
      script: lookScript(sheet),
      failed: (code) => `its folders cannot be looked at (${code})`,
    });
  }
  if (order.code !== undefined && "git" in order.code) {
    const { url } = order.code.git;
    const failed = (code: number) => `${url} could not be fetched (code ${code}); the log says why`;
    steps.push({ name: "fetch", script: fetchScript(order.code.git), failed });
  }
  if (order.setup !== undefined) {
    steps.push({ name: "setup", script: order.setup, failed: (code) => `setup ended with code ${code}` });
  }
  return [...steps, { name: "run", script: order.run, failed: () => undefined }];
}

/** The look needs no program of the user's, and a variable of the user's must not change what it finds. */
const lookEnvironment = { PATH: standardPath };

function withoutWorkdir(sheet: RunSheet): RunSheet {
  const { workdir, ...order } = sheet.order;
  return { ...sheet, order };
}

function collectorOf(lines: string[]): Pick<LogWriter, "write"> {
  return { write: (_stream, _at, more) => void lines.push(...more) };
}

/** Programs of the environment that was found come before those of the machine. */
function withPath(
  found: { readonly [name: string]: string },
  before: { readonly [name: string]: string },
): { readonly [name: string]: string } {
  return found.PATH === undefined ? found : { ...found, PATH: `${found.PATH}:${before.PATH ?? standardPath}` };
}

/**
 * A job may kill any process of its own user, also the one that waits for its command. Nobody can tell the end of the
 * command then, and the job ends as if it had been killed itself.
 */
function unwatched(step: Step, tree: Tree): Promise<StepEnd> {
  return new Promise((resolve) => {
    let runner: ProcessEntry | undefined;
    let missed = 0;
    const timer = setInterval(() => {
      if (step.runner === undefined) return;
      runner ??= keeperOf(tree, step.runner);
      // Twice: it also ends when it has just said how the command ended.
      missed = runner !== undefined && isAlive(runner.pid, runner.startedAt) ? 0 : missed + 1;
      if (missed > 1) resolve({ code: 137, signal: "SIGKILL" });
    }, unwatchedEveryMs);
    void step.ended.then(() => clearInterval(timer));
  });
}

const unwatchedEveryMs = 1_000;

/** How often we look whether what a stopped job left behind has ended too. */
const leftoversEveryMs = 20;

/** Output is complete when all writers are gone; only a descriptor passed to a stranger could keep it open. */
const drainMsMax = 2_000;

/** Calls `act` after `runMsMax` on a clock that cannot be set; 0 = never. */
function startClock(runMsMax: number, act: () => void): () => void {
  if (runMsMax === 0) return () => {};
  const endsAt = performance.now() + runMsMax;
  let timer: NodeJS.Timeout;
  const arm = () => {
    const leftMs = endsAt - performance.now();
    timer = setTimeout(leftMs > longestTimerMs ? arm : act, Math.min(leftMs, longestTimerMs));
  };
  arm();
  return () => clearTimeout(timer);
}
