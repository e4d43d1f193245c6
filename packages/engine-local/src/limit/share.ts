import { readFileSync, writeFileSync } from "node:fs";
import { totalmem } from "node:os";
import { join } from "node:path";

/** What all jobs of the machine may have together: the rest is for the control plane, the supervisors and the system. */
export interface JobsShare {
  readonly memoryBytes: number;
  readonly processes: number;
}

const gibibyte = 2 ** 30;
/** A tenth of the memory is kept back, but not more than a large control plane needs, nor half of a small machine. */
const reserveBytes = { min: gibibyte, max: 8 * gibibyte };

export function shareOf(memoryBytes: number, processesMax: number): JobsShare {
  const wanted = Math.min(reserveBytes.max, Math.max(reserveBytes.min, memoryBytes / 10));
  const kept = Math.min(wanted, memoryBytes / 2);
  return { memoryBytes: Math.floor(memoryBytes - kept), processes: Math.floor((processesMax * 3) / 4) };
}

/** The share on this machine. */
export function ownShare(): JobsShare {
  const limits = ["/proc/sys/kernel/pid_max", "/proc/sys/kernel/threads-max"].map((file) => {
    try {
      return Number(readFileSync(file, "utf8"));
    } catch {
      return Number.POSITIVE_INFINITY; // not Linux: no group will be made either
    }
  });
  return shareOf(totalmem(), Math.min(...limits));
}

/** Settings of the group around all jobs; a controller that is not there leaves its own out. */
export function shareSettings(version: 1 | 2, { memoryBytes, processes }: JobsShare): [file: string, value: string][] {
  const memory = String(memoryBytes);
  const common: [string, string][] = [["pids.max", String(processes)]];
  if (version === 2) return [...common, ["memory.max", memory]];
  return [...common, ["memory.limit_in_bytes", memory], ["memory.memsw.limit_in_bytes", memory]];
}

/**
 * A quarter of what other groups, or a single process outside of groups, get where the CPUs do not suffice for all: so many
 * busy jobs do not delay the control plane. Where nothing else wants to run, jobs get everything.
 */
export function weightSettings(version: 1 | 2): [file: string, value: string][] {
  return version === 2 ? [["cpu.weight", "25"]] : [["cpu.shares", "256"]];
}

export function writeSettings(folder: string, settings: readonly (readonly [file: string, value: string])[]): void {
  for (const [file, value] of settings) {
    try {
      writeFileSync(join(folder, file), value);
    } catch {
      // This hierarchy has no such controller.
    }
  }
}
