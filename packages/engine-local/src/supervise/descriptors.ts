import { closeSync, readdirSync, readFileSync } from "node:fs";

const closeOnExec = 0o2000000;

/**
 * Closes what the program that started the control plane left open, and which would reach every job through us: a job
 * could read a file that it may not open. Our own descriptors are marked to be closed in programs that we start.
 */
export function closeInherited(): void {
  for (const name of namesIn("/proc/self/fd")) {
    const descriptor = Number(name);
    if (descriptor <= 2) continue;
    const flags = /^flags:\s+([0-7]+)$/m.exec(factsOf(name))?.[1];
    if (flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0) closeSync(descriptor);
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // not Linux
  }
}

/** Empty for a descriptor that is closed again, such as the one with which the folder was read. */
function factsOf(descriptor: string): string {
  try {
    return readFileSync(`/proc/self/fdinfo/${descriptor}`, "latin1");
  } catch {
    return "";
  }
}
