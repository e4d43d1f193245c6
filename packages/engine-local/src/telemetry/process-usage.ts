import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ControlGroup } from "../limit/group.ts";
import { markVariable } from "../supervise/processes.ts";

/** What the kernel has counted for one process since it began. */
export interface ProcessUsage {
  /** Its number and its start: names one process for as long as the machine runs. */
  readonly key: string;
  readonly cpuUs: number;
  readonly memoryBytes: number;
  /** Absent where it is not ours to read. */
  readonly readBytes?: number;
  readonly writtenBytes?: number;
}

/** The kernel counts in hundredths of a second towards programs, whatever its own clock is. */
const tickUs = 10_000;

/** Undefined when it is gone, or there is no /proc here. */
export async function processUsage(pid: number, proc = "/proc"): Promise<ProcessUsage | undefined> {
  const read = (name: string) => readFile(join(proc, String(pid), name), "latin1").catch(() => undefined);
  const [stat, status, io] = await Promise.all(["stat", "status", "io"].map(read));
  if (stat === undefined || status === undefined) return undefined;
  // The command name may hold anything, closing brackets too; the fields start after the last one.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [user, system, startedAt] = [fields[11], fields[12], fields[19]];
  const bytes = (name: string) => Number(new RegExp(`^${name}: (\\d+)$`, "m").exec(io ?? "")?.[1] ?? 0);
  return {
    key: `${pid}:${startedAt}`,
    cpuUs: (Number(user) + Number(system)) * tickUs,
    memoryBytes: Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024,
    ...(io !== undefined && { readBytes: bytes("read_bytes"), writtenBytes: bytes("write_bytes") }),
  };
}

/** The processes in the first of these groups that can be read, those in groups below it included. */
export async function pidsIn(groups: readonly Pick<ControlGroup, "folder">[]): Promise<number[] | undefined> {
  for (const { folder } of groups) {
    const pids = await pidsBelow(folder).catch(() => undefined);
    if (pids !== undefined) return pids;
  }
  return undefined;
}

async function pidsBelow(folder: string): Promise<number[]> {
  const own = await readFile(join(folder, "cgroup.procs"), "utf8");
  const below = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  const deeper = await Promise.all(below.map(({ name }) => pidsBelow(join(folder, name)).catch(() => [])));
  return [...own.split("\n").filter(Boolean).map(Number), ...deeper.flat()];
}

/** The processes of members by the mark in their environment: for members that no group holds together. */
export async function pidsByMark(proc = "/proc"): Promise<ReadonlyMap<string, readonly number[]>> {
  const found = new Map<string, number[]>();
  const names = await readdir(proc).catch(() => []);
  for (const name of names.filter((each) => /^\d+$/.test(each))) {
    const mark = await markOf(Number(name), proc);
    if (mark !== undefined) found.set(mark, [...(found.get(mark) ?? []), Number(name)]);
  }
  return found;
}

/** Which member a process belongs to, by its groups or else its environment. */
export async function ownerOf(pid: number, marks: ReadonlySet<string>, proc = "/proc"): Promise<string | undefined> {
  const groups = await readFile(join(proc, String(pid), "cgroup"), "latin1").catch(() => "");
  const folder = groups.split(/[/\n]/).find((name) => marks.has(name));
  if (folder !== undefined) return folder;
  const mark = await markOf(pid, proc);
  return mark !== undefined && marks.has(mark) ? mark : undefined;
}

async function markOf(pid: number, proc: string): Promise<string | undefined> {
  const environment = await readFile(join(proc, String(pid), "environ"), "latin1").catch(() => "");
  const variable = environment.split("\0").find((each) => each.startsWith(`${markVariable}=`));
  return variable?.slice(markVariable.length + 1);
}
