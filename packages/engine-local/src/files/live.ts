import { closeSync, lstatSync } from "node:fs";
import { join } from "node:path";
import type { FileContent, FileEntry, JobFolder } from "@tessera/engine";
import { bytesOf, openFile, openFolder, walk } from "@tessera/engine/files";
import { leaseFile, readIfThere, type StateFolder } from "../lease/folder.ts";
import type { RunSheet } from "../supervise/sheet.ts";

/** A folder of a member, as a path below one that is ours, and the user whose files are told. */
interface Place {
  readonly base: string;
  readonly path: string;
  readonly owner: number | undefined;
}

/** A member that is running, or a job whose checkpoint is kept. */
interface Member {
  readonly lease: string;
  readonly job: string;
  /** We may read what its user may not: only files of that user are given out. */
  readonly asRoot: boolean;
}

/** What lies in a folder of a member now. */
export async function* listFiles(state: StateFolder, member: Member, folder: JobFolder): AsyncGenerator<FileEntry> {
  const place = await placeOf(state, member, folder);
  const top = place && openFolder(place.base, place.path);
  if (place === undefined || top === undefined) return;
  try {
    for await (const { path, stats, link } of walk(top)) {
      if (place.owner !== undefined && stats.uid !== place.owner) continue;
      const { mode, size: bytes, mtimeMs: changedAt } = stats;
      yield { path, mode: mode & 0o777, bytes, changedAt: Math.floor(changedAt), ...(link !== undefined && { link }) };
    }
  } finally {
    closeSync(top);
  }
}

export async function readLiveFile(
  state: StateFolder,
  member: Member,
  folder: JobFolder,
  path: string,
  start: number,
): Promise<FileContent | undefined> {
  const place = await placeOf(state, member, folder);
  const top = place && openFolder(place.base, place.path);
  if (place === undefined || top === undefined) return undefined;
  try {
    const opened = openFile(top, path, place.owner);
    if (opened === undefined) return undefined;
    const { file, stats } = opened;
    return { mode: stats.mode & 0o777, bytes: stats.size, content: thenClosed(file, stats.size, start) };
  } finally {
    closeSync(top);
  }
}

async function* thenClosed(file: number, size: number, start: number): AsyncGenerator<Uint8Array> {
  try {
    yield* bytesOf(file, size, start);
  } finally {
    closeSync(file);
  }
}

async function placeOf(state: StateFolder, member: Member, folder: JobFolder): Promise<Place | undefined> {
  const { lease, job, asRoot } = member;
  if (folder === "checkpoint") {
    const checkpoint = lstatSync(join(state.jobs, job, folder), { throwIfNoEntry: false });
    if (checkpoint === undefined) return undefined;
    // The folder above is ours, so the owner of this one is the user that we gave it to.
    return { base: state.jobs, path: join(job, folder), owner: asRoot ? checkpoint.uid : undefined };
  }
  const text = await readIfThere(join(state.leases, lease, leaseFile.order));
  if (text === undefined) return undefined;
  const { order, owner } = JSON.parse(text) as RunSheet;
  // A folder of the machine that the job was told to work in is not ours to show.
  if ((folder === "work" && order.workdir !== undefined) || (asRoot && owner === undefined)) return undefined;
  return { base: state.work, path: join(lease, folder), owner };
}
