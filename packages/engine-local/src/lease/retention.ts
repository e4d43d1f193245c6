import { execFile } from "node:child_process";
import { readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { pruneLogs } from "@tessera/engine/log";
import type { RunSheet } from "../supervise/sheet.ts";
import { jobFolders, leaseFile, readIfThere, type StateFolder } from "./folder.ts";

/** How long what is over is kept. */
export interface Keep {
  readonly logMs: number;
  /** All logs together; beyond it the oldest of ended members go first. */
  readonly logBytes: number;
  /** How a lease ended: for as long as a backup may be restored that still thinks it runs. */
  readonly endedMs: number;
  /** An unpacked output that no member mounts any more. */
  readonly mountMs: number;
  /** The checkpoint of a job that has ended. */
  readonly checkpointMs: number;
  /** What the cache of one tenant may hold. */
  readonly cacheBytes: number;
}

const dayMs = 24 * 60 * 60 * 1000;
export const usualKeep: Keep = {
  logMs: 7 * dayMs,
  logBytes: 16 * 2 ** 30,
  endedMs: 90 * dayMs,
  checkpointMs: 7 * dayMs,
  mountMs: dayMs,
  cacheBytes: 20 * 2 ** 30,
};

/** Removes what is kept long enough. Nothing of a lease for which `isKnown` holds is touched. */
export async function prune(
  state: StateFolder,
  keep: Keep,
  now: number,
  isKnown: (lease: string) => boolean,
): Promise<void> {
  for (const name of await readdir(state.ended)) {
    const { mtimeMs } = await stat(join(state.ended, name));
    if (mtimeMs < now - keep.endedMs) await rm(join(state.ended, name), { force: true });
  }
  await pruneLogs(state.logs, keep, now, isKnown);
  await pruneMounts(state, now - keep.mountMs);
  const held = new Set(await readdir(state.leases));
  for (const name of await readdir(state.work)) {
    if (!held.has(name) && !isKnown(name)) await removeTree(join(state.work, name));
  }
}

/** Removes what was kept for whole jobs once they have been known to be over for long enough. */
export async function sweepJobs(
  state: StateFolder,
  keepMs: number,
  now: number,
  isLive: (job: string) => boolean,
): Promise<void> {
  for (const job of await readdir(state.jobs)) {
    const { folder, ended } = jobFolders(state, job);
    const since = await readIfThere(ended);
    if (isLive(job)) {
      if (since !== undefined) await rm(ended, { force: true }); // a restored control plane knows it as live again
    } else if (since === undefined) {
      await writeFile(ended, String(now), { mode: 0o600 });
    } else if (Number(since) < now - keepMs) {
      await removeTree(folder).catch(() => {}); // tried again at the next sweep
    }
  }
}

/** A member that runs may look into what it mounts at any time, however long ago that was unpacked. */
async function pruneMounts(state: StateFolder, before: number): Promise<void> {
  const used = new Set<string>();
  for (const lease of await readdir(state.leases)) {
    const text = await readIfThere(join(state.leases, lease, leaseFile.order));
    for (const { folder } of text === undefined ? [] : ((JSON.parse(text) as Partial<RunSheet>).mountedTrees ?? []))
      used.add(folder);
  }
  for (const tenant of await readdir(state.mounts)) {
    for (const tree of await readdir(join(state.mounts, tenant))) {
      const folder = join(state.mounts, tenant, tree);
      if (!used.has(folder) && (await stat(folder)).mtimeMs < before) await removeTree(folder);
    }
  }
}

/** Removes what a job left, also folders that it closed to itself. Nothing is followed out of the tree. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    await promisify(execFile)("chmod", ["-R", "u+rwX", path]);
    await rm(path, { recursive: true, force: true });
  }
}
