import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** A process as the kernel lists it. Zombies are not listed: they have nothing but an exit code. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
  /** Together with the pid and the boot id this names one process for ever. */
  readonly startedAt: string;
}

const hasProc = process.platform === "linux";

/** The process with this pid, or undefined when there is none or only its zombie. */
export function findProcess(pid: number): ProcessEntry | undefined {
  return hasProc ? fromProc(pid) : fromPs(pid);
}

export function isAlive(pid: number, startedAt: string): boolean {
  return findProcess(pid)?.startedAt === startedAt;
}

function fromProc(pid: number): ProcessEntry | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    return undefined;
  }
  // The command name may hold anything, closing brackets too; the fields start after the last one.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (fields[0] === "Z" || fields[0] === "X") return undefined;
  return { pid, parent: Number(fields[1]), session: Number(fields[3]), startedAt: fields[19] ?? "" };
}

function fromPs(pid: number): ProcessEntry | undefined {
  try {
    const line = execFileSync("ps", ["-o", "stat=,ppid=,sess=,lstart=", "-p", String(pid)], {
      encoding: "utf8",
    }).trim();
    const match = /^(\S+)\s+(\d+)\s+(\d+)\s+(.+)$/.exec(line);
    if (match === null || match[1]!.startsWith("Z")) return undefined;
    return { pid, parent: Number(match[2]), session: Number(match[3]), startedAt: match[4]! };
  } catch {
    return undefined;
  }
}

export function listProcesses(): ProcessEntry[] {
  const pids = hasProc
    ? readdirSync("/proc").filter((name) => /^\d+$/.test(name))
    : execFileSync("ps", ["-axo", "pid="], { encoding: "utf8" })
        .split("\n")
        .filter((line) => line.trim() !== "");
  return pids.map((pid) => findProcess(Number(pid))).filter((entry) => entry !== undefined);
}

/** The number that a process has in its own PID namespace. */
export function innerNumber(pid: number): number {
  const numbers = /^NSpid:\t(.*)$/m.exec(readProc(pid, "status"))?.[1]?.split("\t");
  return Number(numbers?.at(-1) ?? pid);
}

/** Whether a process has a handler for this signal. */
export function handles(pid: number, signal: number): boolean {
  const caught = /^SigCgt:\t([0-9a-f]+)$/m.exec(readProc(pid, "status"))?.[1];
  return caught !== undefined && ((BigInt(`0x${caught}`) >> BigInt(signal - 1)) & 1n) === 1n;
}

/** The words with which a process was started, each with a NUL at its end; empty when it is gone. */
export function argumentsOf(pid: number): string {
  return readProc(pid, "cmdline");
}

/** Empty when the process has ended, is not ours to read, or there is no such file here. */
function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return "";
  }
}

/** Everything below `root` in the tree of processes or in its session, without `root` itself. */
export function descendantsOf(root: number): number[] {
  const entries = listProcesses();
  const found = new Set<number>();
  // A child may be listed before its parent; go on until nothing new turns up.
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const { pid, parent, session } of entries) {
      if (pid !== root && (parent === root || session === root || found.has(parent))) found.add(pid);
    }
  }
  return [...found];
}

/** Names one member of one engine; its processes have it in their environment. */
export const markVariable = "TESS_MEMBER";

/**
 * Processes that carry this mark in their environment: how members are found that left their group and whose parent
 * is gone, where nothing better holds them together. A member that also clears its environment gets away.
 */
export function markedWith(mark: string): number[] {
  if (!hasProc) return [];
  const marker = Buffer.from(`\0${markVariable}=${mark}\0`);
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => {
      try {
        const environment = readFileSync(`/proc/${name}/environ`);
        return Buffer.concat([Buffer.from("\0"), environment, Buffer.from("\0")]).includes(marker);
      } catch {
        return false; // ended meanwhile, or not ours to read
      }
    })
    .map(Number)
    .filter((pid) => findProcess(pid) !== undefined);
}

/** Sends a signal; false when the process is gone already. */
export function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}
