import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const pollMs = 100;
/** No install or build takes longer; after it we take over the lock of a machine or container that we cannot ask. */
const foreignMsMax = 30 * 60_000;
/** Taking over a dead lock is a matter of microseconds. */
const takeoverMsMax = 10_000;

/**
 * Holds `folder` as a lock while `act` runs, so that two launchers do not install or build at once. The lock of a
 * process that is gone is taken over. `waiting` is told once, with the holder, when another process has it.
 */
export async function withLock(folder, act, { waiting = () => {} } = {}) {
  mkdirSync(dirname(folder), { recursive: true });
  let told = false;
  while (!take(folder)) {
    if (isStale(folder)) {
      takeOver(folder);
      continue;
    }
    if (!told) waiting(ownerOf(folder));
    told = true;
    await sleep(pollMs);
  }
  try {
    return await act();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The folder appears with its owner inside, in one step: a lock without an owner cannot be seen. */
function take(folder) {
  const draft = `${folder}.${process.pid}`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft);
  writeFileSync(join(draft, "owner"), JSON.stringify(self()));
  try {
    renameSync(draft, folder);
    return true;
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (error.code === "ENOTEMPTY" || error.code === "EEXIST") return false;
    throw error;
  }
}

function self() {
  return { pid: process.pid, startedAt: startOf(process.pid), host: hostname() };
}

function ownerOf(folder) {
  try {
    return JSON.parse(readFileSync(join(folder, "owner"), "utf8"));
  } catch {
    return undefined;
  }
}

/** Whether the holder of the lock is surely gone. */
export function isStale(folder) {
  const owner = ownerOf(folder);
  if (owner === undefined) return false; // released between two looks; the next attempt to take it decides
  if (owner.host !== hostname()) return ageMs(folder) > foreignMsMax;
  return !isAlive(owner.pid) || startOf(owner.pid) !== owner.startedAt;
}

/** Only one of several waiting launchers removes a dead lock, and looks again before it does. */
function takeOver(folder) {
  const guard = `${folder}.takeover`;
  try {
    mkdirSync(guard);
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    if (ageMs(guard) > takeoverMsMax) rmSync(guard, { recursive: true, force: true });
    return;
  }
  try {
    if (isStale(folder)) rmSync(folder, { recursive: true, force: true });
  } finally {
    rmSync(guard, { recursive: true, force: true });
  }
}

function ageMs(path) {
  try {
    return Date.now() - statSync(path).mtimeMs;
  } catch {
    return 0;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM"; // another user's process, but there
  }
}

/** When a process began, where the system tells (Linux): tells a reused process id from the first owner. */
export function startOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return null;
  }
}
