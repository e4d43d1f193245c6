import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { standardPath } from "./job.ts";
import type { RunSheet } from "./sheet.ts";

/** A limit on folders that was passed. */
export interface RoomPassed {
  readonly limit: "scratch" | "checkpoint";
  readonly usedMiB: number;
  readonly allowedMiB: number;
}

/** Measuring starts a process and reads every folder of the job: seldom, and seldom still where that takes long. */
const firstLookMs = 2_000;
const lookEveryMs = 30_000;
const restPerLook = 20;

/**
 * Measures the folders of a member for as long as it runs and calls `act` when one of them holds more than it may,
 * once. No file system here counts for us, so a job can write more between two looks.
 */
export function watchRoom(sheet: RunSheet, act: (passed: RoomPassed) => void): () => void {
  const { scratchMiB, checkpointMiB } = sheet.order.limits;
  const limits = [
    {
      limit: "scratch",
      allowedMiB: scratchMiB,
      folders: [sheet.workFolder, sheet.temporaryFolder, sheet.outFolder, sheet.homeFolder],
    },
    { limit: "checkpoint", allowedMiB: checkpointMiB, folders: [sheet.checkpointFolder] },
  ] as const;
  let timer: NodeJS.Timeout | undefined;
  let nextMs = firstLookMs;
  let stopped = limits.every(({ allowedMiB }) => allowedMiB === undefined);
  const look = async () => {
    const begunAt = performance.now();
    for (const { limit, allowedMiB, folders } of limits) {
      if (allowedMiB === undefined) continue;
      const usedMiB = await measureMiB(folders);
      if (stopped || usedMiB <= allowedMiB) continue;
      stopped = true;
      act({ limit, usedMiB, allowedMiB });
    }
    nextMs = Math.min(2 * nextMs, lookEveryMs);
    arm(Math.max(nextMs, (performance.now() - begunAt) * restPerLook));
  };
  const arm = (waitMs: number) => {
    if (!stopped) timer = setTimeout(() => void look(), waitMs);
  };
  arm(nextMs);
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

/** What the folders take on the disk. `du` follows no link, and counts a file with two names once. */
async function measureMiB(folders: readonly string[]): Promise<number> {
  const run = promisify(execFile)("du", ["-s", "-k", "-x", "--", ...folders], {
    env: { PATH: standardPath },
    cwd: "/",
  });
  // A file that goes away while it is counted is an error to du, and none to us.
  const { stdout } = await run.catch((error: { stdout?: string }) => ({ stdout: error.stdout ?? "" }));
  const kib = stdout.split("\n").reduce((sum, line) => sum + (Number.parseInt(line, 10) || 0), 0);
  return Math.ceil(kib / 1024);
}
