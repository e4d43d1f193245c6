import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ControlGroup } from "../limit/group.ts";

/** What the kernel has counted for a member since it began. Absent where no control group counts it. */
export interface GroupUsage {
  readonly cpuUs?: number;
  readonly memoryBytes?: number;
  readonly readBytes?: number;
  readonly writtenBytes?: number;
}

/**
 * Reads the control groups of a member, of whichever version: each value from the first group that has the file. The kernel
 * counts ended processes too, so this is better than asking those that are left.
 */
export async function groupUsage(groups: readonly Pick<ControlGroup, "folder">[]): Promise<GroupUsage> {
  const files = async (name: string) => {
    for (const { folder } of groups) {
      const text = await readFile(join(folder, name), "utf8").catch(() => undefined);
      if (text !== undefined) return text;
    }
    return undefined;
  };
  const [v2Cpu, v1Cpu, v2Memory, v1Memory, stat, io] = await Promise.all(
    ["cpu.stat", "cpuacct.usage", "memory.current", "memory.usage_in_bytes", "memory.stat", "io.stat"].map(files),
  );
  const cpuUs = rowOf(v2Cpu, "usage_usec") ?? (v1Cpu === undefined ? undefined : Math.floor(Number(v1Cpu) / 1000));
  const memory = v2Memory ?? v1Memory;
  // What the kernel keeps of files that were read is given up as soon as another needs the room.
  const cache = rowOf(stat, "total_inactive_file") ?? rowOf(stat, "inactive_file") ?? 0;
  return {
    ...(cpuUs !== undefined && { cpuUs }),
    ...(memory !== undefined && { memoryBytes: Math.max(0, Number(memory) - cache) }),
    ...(io !== undefined && { readBytes: sumOf(io, "rbytes"), writtenBytes: sumOf(io, "wbytes") }),
  };
}

function rowOf(text: string | undefined, name: string): number | undefined {
  const value = text === undefined ? undefined : new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1];
  return value === undefined ? undefined : Number(value);
}

/** Over all devices. */
function sumOf(text: string, name: string): number {
  return [...text.matchAll(new RegExp(`\\b${name}=(\\d+)`, "g"))].reduce((sum, [, bytes]) => sum + Number(bytes), 0);
}
