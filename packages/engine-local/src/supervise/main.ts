import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type JobKeys, logSealOf, takenKeys } from "@tessera/content";
import { type KeptOutput, outputUndeclared } from "@tessera/core";
import { sizeText } from "@tessera/engine/files";
import { LogWriter } from "@tessera/engine/log";
import { keepLeft } from "../files/kept.ts";
import { leaseFile, takeClaim } from "../lease/folder.ts";
import { closeInherited } from "./descriptors.ts";
import { freeAt } from "./disk.ts";
import { Entrance } from "./entrance.ts";
import { giveGpus, takeGpus } from "./gpus.ts";
import { type MemberEnd, runMember } from "./member.ts";
import { MemberNetwork } from "./network/member-network.ts";
import { Orders } from "./orders.ts";
import { prepare } from "./prepare.ts";
import { findProcess } from "./processes.ts";
import { ReportWriter } from "./reports.ts";
import type { RunSheet } from "./sheet.ts";
import type { Given } from "./start.ts";
import { removeGroups } from "./tree.ts";

/**
 * The supervisor of one member: a process of its own, so that the member outlives the control plane. It takes the
 * claim on the lease, makes ready, waits, runs the job, keeps its log and writes down what becomes of it. Everything
 * it is told after its start comes as files in the lease folder.
 */
async function supervise(folder: string): Promise<void> {
  const given = await readGiven();
  if (given === undefined) return; // the engine that started us died; its successor starts another supervisor
  const { secrets } = given;
  const keys = given.keys && takenKeys(given.keys);
  const planned = JSON.parse(await readFile(join(folder, leaseFile.order), "utf8")) as RunSheet;
  const orders = new Orders(folder);
  const startedAt = findProcess(process.pid)?.startedAt ?? "";
  if (!(await takeClaim(folder, { by: "supervisor", pid: process.pid, startedAt, bootId: planned.bootId }))) return;

  const reports = new ReportWriter(folder, planned);
  const gpu = await takeGpus(planned, folder);
  for (const report of gpu.reports) await reports.write(report);
  if (gpu.sheet === undefined) return;
  const { sheet } = gpu;
  const stopped = new AbortController();
  orders.onStop(() => stopped.abort());
  const network = new MemberNetwork(sheet.network, sheet.order.lease);
  const prepared = await prepare(sheet, network, keys, stopped.signal);
  if (prepared.kind !== "prepared") {
    await network.leave();
    await giveGpus(sheet, folder);
    return reports.write(stopped.signal.aborted ? neverReleased : prepared);
  }
  await reports.write(prepared);
  const released = await orders.releasedOrStopped();
  if (released) {
    const log = new LogWriter(
      sheet.logFolder,
      sheet.logBytesMax,
      sheet.logFilesMax,
      keys && logSealOf(keys.log, sheet.order.lease),
    );
    const readyAt = statSync(join(folder, leaseFile.reports)).ctimeMs;
    const entrance = new Entrance(folder);
    const last = await runMember(sheet, secrets, orders, reports, log, entrance, network);
    entrance.close();
    const outputs = await keepOutputs(sheet, readyAt, last, orders.returns, log, keys);
    log.close();
    await removeGroups(sheet.groups);
    await network.leave();
    await giveGpus(sheet, folder);
    await reports.write({ ...last, ...(outputs.length > 0 && { outputs }) });
  } else {
    await removeGroups(sheet.groups);
    await network.leave();
    await giveGpus(sheet, folder);
    await reports.write(neverReleased);
  }
}

const neverReleased = { kind: "exited", ran: false, reason: "stopped before it was released" } as const;

/** What the member left; whatever stands in the way is said, and does not change how it ended. */
async function keepOutputs(
  sheet: RunSheet,
  readyAt: number,
  last: MemberEnd,
  returns: boolean,
  log: LogWriter,
  keys: JobKeys | undefined,
): Promise<KeptOutput[]> {
  if (returns && last.done !== true) return [];
  const say = (text: string) => log.write("tessera", Date.now(), [text]);
  try {
    // What was stopped for filling the disk would be copied onto the same disk.
    if (last.limit !== undefined && (await freeAt(sheet.workFolder)).isScarce)
      throw new Error("the disk of this node is nearly full");
    const outputs = await keepLeft(sheet, readyAt, keys);
    for (const { name, left } of outputs) {
      if (left !== undefined)
        say(`output ${name}: ${left.files} files (${sizeText(left.bytes)}) not kept: ${left.why}`);
    }
    return outputs;
  } catch (error) {
    const why = (error as Error).message;
    say(`the outputs could not be kept: ${why}`);
    return [{ name: outputUndeclared.out, files: 0, bytes: 0, left: { files: 0, bytes: 0, why } }];
  }
}

/** One line of JSON on standard input; undefined when it was cut off. Never shown, not even in an error [S28]. */
async function readGiven(): Promise<Given | undefined> {
  let text = "";
  for await (const part of process.stdin.setEncoding("utf8")) text += part;
  try {
    return text.endsWith("\n") ? (JSON.parse(text) as Given) : undefined;
  } catch {
    return undefined; // the error would quote what it could not read
  }
}

closeInherited();
// A closing terminal or a server that is told to end is no reason to leave a job alone.
for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"] as const) process.on(signal, () => {});
await supervise(process.argv[2]!);
process.exit(0);
