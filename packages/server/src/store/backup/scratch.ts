import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

const prefix = "backup-scratch-";

/**
 * A folder for the plain contents of a backup while one is written or restored. It is inside the data folder, where the
 * store is just as plain, and goes again; what a killed process left there goes at the next start or backup.
 */
export async function withScratch<Result>(data: string, act: (folder: string) => Promise<Result>): Promise<Result> {
  removeOldScratch(data);
  const folder = join(data, `${prefix}${process.pid}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    return await act(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Removes what processes left that are gone. */
export function removeOldScratch(data: string): void {
  let names: string[];
  try {
    names = readdirSync(data).filter((name) => name.startsWith(prefix));
  } catch {
    return; // there is no such folder yet
  }
  for (const name of names) {
    if (!isAlive(Number(name.slice(prefix.length)))) rmSync(join(data, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
