import { statSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Outage } from "../failure.ts";
import { readEndpoint, readIfThere } from "./endpoint.ts";

/** What a data folder says about a server that is being started; the launcher and the server write it. */
interface Starting {
  readonly pid: number;
  /** When the process began, as /proc tells it; null where it does not. */
  readonly startedAt: string | null;
  readonly host: string;
  readonly step?: string;
  readonly failed?: string;
}

const lookMs = 100;
// `npm start` and `npx tess` typed at the same moment: npm may need this long before it starts anything.
const unannouncedMsMax = 2_000;
// The first start installs and builds.
const startMsMax = 15 * 60_000;

/** Told what is being waited for; the first call means that there is something to wait for. */
export type TellStep = (detail: string) => Promise<void>;

/**
 * Waits while a server of this data folder is being started. Returns when it is ready or when none is on its way, and
 * throws when the one that was on its way will not come.
 */
export async function untilStarted(folder: string, tell: TellStep): Promise<void> {
  const beganAt = performance.now();
  let seen: Starting | undefined;
  for (;;) {
    const endpoint = readEndpoint(folder);
    if (endpoint?.pid !== undefined && isAlive(endpoint.pid)) return;
    const starting = readStarting(folder);
    const waitedMs = performance.now() - beganAt;
    if (starting !== undefined && starting.failed === undefined && isRunning(starting, folder)) {
      if (waitedMs > startMsMax) throw neverReady(starting);
      seen = starting;
      await tell(`being started by process ${starting.pid}${starting.step === undefined ? "" : `: ${starting.step}`}`);
    } else if (seen !== undefined && (starting === undefined || starting.pid === seen.pid)) {
      // Taken away when it was ready, between the two looks; the next look finds the address.
      if (starting === undefined && readEndpoint(folder) !== undefined) return;
      throw endedEarly(starting ?? seen, `the server that process ${seen.pid} was starting did not come up`);
    } else if (endpoint !== undefined) return;
    else if (waitedMs > unannouncedMsMax) {
      if (starting === undefined) return;
      throw endedEarly(starting, "no Tessera server is running, and the last start failed");
    }
    await sleep(lookMs);
  }
}

function endedEarly({ failed }: Starting, what: string): Outage {
  return new Outage(
    `${what}: ${failed ?? "it ended before it was ready"}`,
    "start it again with npm start; its terminal says more",
  );
}

function neverReady({ pid }: Starting): Outage {
  return new Outage(
    `process ${pid} has been starting a server for ${startMsMax / 60_000} minutes and it is not ready`,
    "its terminal says what it is at",
  );
}

function readStarting(folder: string): Starting | undefined {
  try {
    return JSON.parse(readIfThere(join(folder, "starting.json")) ?? "");
  } catch {
    return undefined;
  }
}

/** Whether the process that announced a start still exists. That of another machine or container cannot be asked. */
function isRunning({ pid, startedAt, host }: Starting, folder: string): boolean {
  if (host !== hostname()) return ageMs(join(folder, "starting.json")) < startMsMax;
  return isAlive(pid) && (startedAt === null || startOf(pid) === startedAt);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"; // another user's process, but there
  }
}

function startOf(pid: number): string | undefined {
  const stat = readIfThere(`/proc/${pid}/stat`) ?? "";
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
}

function ageMs(path: string): number {
  try {
    return Date.now() - statSync(path).mtimeMs;
  } catch {
    return 0;
  }
}
