import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { StopOrder } from "@tessera/engine";
import { type Free, freeAt } from "./disk.ts";
import { standardPath } from "./job.ts";
import type { RunSheet } from "./sheet.ts";

/** A limit on folders that was passed, in words, and how the job is stopped for it. */
export interface RoomPassed {
  readonly limit: "scratch" | "checkpoint";
  readonly reason: string;
  readonly stop: StopOrder;
}

/** What the folders of a job hold. */
export interface Held {
  readonly scratchMiB: number;
  readonly checkpointMiB: number;
  readonly files: number;
}

export interface RoomLimits {
  readonly scratchMiB: number;
  readonly checkpointMiB: number;
  readonly files: number;
}

/** Asking how much is free costs nothing; measuring starts a process that reads every folder of the job. */
const tickMs = 500;
const firstMeasureMs = 2_000;
const measureEveryMs = 30_000;
const restPerMeasure = 20;
const mebibyte = 2 ** 20;

/** A job that exceeds a limit goes on writing during its grace. */
const graceMsMax = 5_000;
/** Where the disk is nearly full, a job that wrote this much meanwhile is stopped; smaller writers are left alone. */
const scarceMiB = 64;
const scarceFiles = 20_000;
/** Many small files take more of a disk than their bytes: for each MiB of scratch, and at least. */
const filesPerMiB = 16;
const filesMin = 100_000;

/**
 * Watches the folders of a member for as long as it runs and calls `act` once when they hold more than they may, or when
 * the disk is nearly full and this member is filling it. A member can only exceed a limit if the free space of the disk
 * shrinks by what it had left, so that is looked at often, and the folders are measured when it happened.
 */
export function watchRoom(
  sheet: RunSheet,
  act: (passed: RoomPassed) => void,
  free: () => Promise<Free> = () => freeAt(sheet.workFolder),
): () => void {
  const watch = new RoomWatch(limitsOf(sheet), sheet.order.stop);
  let stopped = false;
  let timer: NodeJS.Timeout;
  const look = async () => {
    const now = await free().catch(() => undefined);
    if (now !== undefined && watch.mustMeasure(now, performance.now())) {
      const begunAt = performance.now();
      const passed = watch.take(await measure(sheet, watch.countsFiles(now)), now, begunAt, performance.now());
      if (passed !== undefined && !stopped) {
        stopped = true;
        act(passed);
      }
    }
    if (!stopped) timer = setTimeout(() => void look(), tickMs);
  };
  timer = setTimeout(() => void look(), tickMs);
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

function limitsOf({ order: { limits } }: RunSheet): RoomLimits {
  const { scratchMiB = Number.POSITIVE_INFINITY, checkpointMiB = Number.POSITIVE_INFINITY } = limits;
  return { scratchMiB, checkpointMiB, files: filesAllowed(scratchMiB) };
}

export function filesAllowed(mib: number): number {
  return Math.max(filesMin, mib * filesPerMiB);
}

/** Decides when to measure, and what a measurement means. */
export class RoomWatch {
  readonly #limits: RoomLimits;
  readonly #stop: StopOrder;
  #held: Held = { scratchMiB: 0, checkpointMiB: 0, files: 0 };
  /** What it held when the disk was not yet scarce. */
  #before = this.#held;
  #freeThen: Free | undefined;
  #nextAt: number | undefined;
  #restUntil = 0;
  #everyMs = firstMeasureMs;

  constructor(limits: RoomLimits, stop: StopOrder) {
    this.#limits = limits;
    this.#stop = stop;
  }

  mustMeasure(free: Free, now: number): boolean {
    this.#freeThen ??= free;
    this.#nextAt ??= now + firstMeasureMs;
    if (now < this.#restUntil) return false;
    const { scratchMiB, checkpointMiB } = this.#limits;
    const leftMiB = Math.min(scratchMiB - this.#held.scratchMiB, checkpointMiB - this.#held.checkpointMiB);
    const shrunk = this.#freeThen.bytes - free.bytes > leftMiB * mebibyte;
    return free.isScarce || shrunk || this.countsFiles(free) || now >= this.#nextAt;
  }

  /** Counting files means reading all folders once more. */
  countsFiles(free: Free): boolean {
    const made = (this.#freeThen?.inodes ?? free.inodes) - free.inodes;
    return made > (free.isScarce ? scarceFiles : this.#limits.files - this.#held.files);
  }

  /** Takes a measurement; the answer is why and how the job must stop, if it must. */
  take(measured: Omit<Held, "files"> & { files?: number }, free: Free, begunAt: number, now: number) {
    const held: Held = { ...measured, files: measured.files ?? this.#held.files };
    const passed = this.#passed(held, free);
    this.#held = held;
    this.#freeThen = free;
    if (!free.isScarce) this.#before = held;
    const tookMs = now - begunAt;
    this.#everyMs = Math.min(2 * this.#everyMs, measureEveryMs);
    this.#nextAt = now + Math.max(this.#everyMs, tookMs * restPerMeasure);
    this.#restUntil = now + tookMs;
    return passed;
  }

  #passed(held: Held, free: Free): RoomPassed | undefined {
    const { scratchMiB, checkpointMiB, files } = this.#limits;
    const soon = { ...this.#stop, graceMs: Math.min(this.#stop.graceMs, graceMsMax) };
    const over = (limit: RoomPassed["limit"], what: string, used: string, allowed: string): RoomPassed => ({
      limit,
      reason: `${what} ${used}, more than its limit of ${allowed} (${limit})`,
      stop: soon,
    });
    if (held.scratchMiB > scratchMiB)
      return over(
        "scratch",
        "its work, temporary and output folders hold",
        `${held.scratchMiB} MiB`,
        `${scratchMiB} MiB`,
      );
    if (held.checkpointMiB > checkpointMiB)
      return over("checkpoint", "its checkpoint folder holds", `${held.checkpointMiB} MiB`, `${checkpointMiB} MiB`);
    if (held.files > files) return over("scratch", "its folders hold", `${held.files} files`, `${files} files`);
    if (!free.isScarce) return undefined;
    const grownMiB = held.scratchMiB + held.checkpointMiB - this.#before.scratchMiB - this.#before.checkpointMiB;
    const grownFiles = held.files - this.#before.files;
    if (grownMiB < scarceMiB && grownFiles < scarceFiles) return undefined;
    const wrote = grownMiB < scarceMiB ? `made ${grownFiles} files` : `wrote ${grownMiB} MiB`;
    return {
      limit: held.scratchMiB > this.#before.scratchMiB || grownMiB < scarceMiB ? "scratch" : "checkpoint",
      reason: `the disk of this node is nearly full, and this job ${wrote} while it filled up`,
      stop: { signal: "SIGKILL", graceMs: 0 },
    };
  }
}

async function measure(sheet: RunSheet, files: boolean): Promise<Omit<Held, "files"> & { files?: number }> {
  const { workFolder, temporaryFolder, outFolder, homeFolder, checkpointFolder } = sheet;
  const scratch = [workFolder, temporaryFolder, outFolder, homeFolder];
  const [scratchKiB, checkpointKiB] = [await sumOf("-k", scratch), await sumOf("-k", [checkpointFolder])];
  const mib = { scratchMiB: Math.ceil(scratchKiB / 1024), checkpointMiB: Math.ceil(checkpointKiB / 1024) };
  return files ? { ...mib, files: await sumOf("--inodes", [...scratch, checkpointFolder]) } : mib;
}

/** What the folders take on the disk. `du` follows no link, and counts a file with two names once. */
async function sumOf(unit: "-k" | "--inodes", folders: readonly string[]): Promise<number> {
  const run = promisify(execFile)("du", ["-s", unit, "-x", "--", ...folders], {
    env: { PATH: standardPath },
    cwd: "/",
  });
  // A file that goes away while it is counted is an error to du, and none to us.
  const { stdout } = await run.catch((error: { stdout?: string }) => ({ stdout: error.stdout ?? "" }));
  return stdout.split("\n").reduce((sum, line) => sum + (Number.parseInt(line, 10) || 0), 0);
}
