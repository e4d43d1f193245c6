import { readFileSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { writePrivately } from "./first-start.ts";

/** What the data folder says about a server that is not ready yet; read by `tess`, which waits for it. */
export interface Starting {
  /** There is an address now, and nothing to wait for. */
  ready(): void;
  /** There will be no server, and why. */
  failed(reason: string): void;
}

/** Says in the data folder that this process is starting a server. */
export function announceStart(data: string): Starting {
  const file = join(data, "starting.json");
  const self = { pid: process.pid, startedAt: startOfProcess(), host: hostname() };
  const write = (more: object) => {
    try {
      writePrivately(file, `${JSON.stringify({ ...self, ...more })}\n`);
    } catch {} // on a full disk a server may still start; a `tess` that waits is not told, no more
  };
  write({ step: "starting" });
  return {
    ready: () => rmSync(file, { force: true }),
    failed: (reason) => write({ failed: reason }),
  };
}

/** When this process began, where the system tells (Linux): a process id may be used again after a power cut. */
function startOfProcess(): string | null {
  try {
    const stat = readFileSync("/proc/self/stat", "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
  }
}
