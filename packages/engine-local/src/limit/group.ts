import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findProcess, sendSignal } from "../supervise/processes.ts";

/** One directory of a control group hierarchy, made for one lease. */
export interface ControlGroup {
  readonly folder: string;
  /** Files to write once it is made, in order. */
  readonly settings: readonly { readonly file: string; readonly value: string; readonly optional?: boolean }[];
  /** The limits that hold through it. */
  readonly limits: readonly string[];
  /** How all of it can be ended at once: version 2 kills, version 1 freezes first so that no process forks away. */
  readonly ends: "kill-file" | "freezer" | "no";
  /** The file that counts kills for lack of memory, where this group has one. */
  readonly oomFile?: string;
}

/** Makes the group and sets its limits. Throws when one of them is not accepted. */
export function makeGroup(group: ControlGroup): void {
  mkdirSync(group.folder, { recursive: true });
  for (const { file, value, optional } of group.settings) {
    try {
      writeFileSync(join(group.folder, file), value);
    } catch (error) {
      if (optional !== true) throw error;
    }
  }
}

/** The processes in it, those in groups that the job made below it included. Zombies do not count. */
export function groupMembers(group: ControlGroup): number[] {
  return subtree(group.folder)
    .flatMap((folder) => {
      try {
        return readFileSync(join(folder, "cgroup.procs"), "utf8").split("\n").filter(Boolean).map(Number);
      } catch {
        return [];
      }
    })
    .filter((pid) => pid > 0 && findProcess(pid) !== undefined);
}

/** Ends everything in it; what could not be ended is still there when asked again. */
export function killGroup(group: ControlGroup): void {
  try {
    if (group.ends === "kill-file") {
      writeFileSync(join(group.folder, "cgroup.kill"), "1");
      return;
    }
    if (group.ends === "freezer") writeFileSync(join(group.folder, "freezer.state"), "FROZEN");
  } catch {
    // Without the group's own means the members are ended one by one, below.
  }
  for (const pid of groupMembers(group)) sendSignal(pid, "SIGKILL");
  try {
    if (group.ends === "freezer") writeFileSync(join(group.folder, "freezer.state"), "THAWED");
  } catch {
    // The group is gone, and with it all that was in it.
  }
}

/** Removes an empty group. False when the kernel still holds something in it. */
export function removeGroup(group: ControlGroup): boolean {
  try {
    for (const folder of subtree(group.folder).reverse()) rmdirSync(folder);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT";
  }
}

/** How many of its processes the kernel has killed because the memory limit was reached. */
export function oomKills(groups: readonly ControlGroup[]): number {
  for (const { folder, oomFile } of groups) {
    if (oomFile === undefined) continue;
    try {
      return Number(/^oom_kill (\d+)$/m.exec(readFileSync(join(folder, oomFile), "utf8"))?.[1] ?? 0);
    } catch {
      return 0;
    }
  }
  return 0;
}

function subtree(folder: string): string[] {
  try {
    const below = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return [folder, ...below.flatMap((entry) => subtree(join(folder, entry.name)))];
  } catch {
    return [];
  }
}
