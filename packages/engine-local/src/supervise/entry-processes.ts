import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { entryVariable } from "./entry-script.ts";
import { findProcess, type ProcessEntry, sendSignal } from "./processes.ts";
import { type Tree, treeMembers } from "./tree.ts";

/** Time for an editor to keep what was typed, after its terminal is gone. */
const hangUpMs = 500;

/**
 * Ends all processes that an entry started, also those that left its session: an entry is not a way to leave something
 * behind in a job. Found by the entry's number in their environment and below such processes; one that clears its
 * environment and leaves its parents stays, inside the limits of the job and no longer than it.
 */
export async function endEntry(tree: Tree, number: number): Promise<void> {
  const startedAt = performance.now();
  for (let waitMs = 5; ; waitMs = Math.min(waitMs * 2, 200)) {
    const left = entryProcesses(tree, number);
    if (left.length === 0) return;
    const patient = performance.now() - startedAt < hangUpMs;
    for (const pid of left) sendSignal(pid, patient ? "SIGHUP" : "SIGKILL");
    await sleep(waitMs);
  }
}

function entryProcesses(tree: Tree, number: number): number[] {
  const members = treeMembers(tree)
    .map(findProcess)
    .filter((entry) => entry !== undefined);
  const mark = Buffer.from(`\0${entryVariable}=${number}\0`);
  const found = new Set(members.filter(({ pid }) => hasMark(pid, mark)).map(({ pid }) => pid));
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const { pid, parent, session } of members) if (found.has(parent) || found.has(session)) found.add(pid);
  }
  return [...found];
}

function hasMark(pid: ProcessEntry["pid"], mark: Buffer): boolean {
  try {
    return Buffer.concat([Buffer.from("\0"), readFileSync(`/proc/${pid}/environ`), Buffer.from("\0")]).includes(mark);
  } catch {
    return false; // ended meanwhile
  }
}
