import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  read,
  readdirSync,
  readlinkSync,
  type Stats,
} from "node:fs";
import { setImmediate as breathe } from "node:timers/promises";
import { promisify } from "node:util";

const {
  O_RDONLY,
  O_DIRECTORY,
  O_NOFOLLOW,
  O_NONBLOCK,
  O_CLOEXEC = 0,
} = constants as typeof constants & {
  O_CLOEXEC?: number;
};

/** The name of something in an open folder: what it names cannot be changed by renaming or linking above it. */
function inFolder(folder: number, name: string): string {
  return `/proc/self/fd/${folder}/${name}`;
}

/**
 * Opens a folder below `base`, name by name, and follows no link. We may be root while the folders below `base` belong to
 * a tenant, who can put a link to anything in their place at any moment. Undefined where there is none.
 */
export function openFolder(base: string, path: string): number | undefined {
  let folder = openSync(base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  for (const name of path.split("/").filter((each) => each !== "")) {
    const next = isName(name) ? openIn(folder, name, O_DIRECTORY) : undefined;
    closeSync(folder);
    if (next === undefined) return undefined;
    folder = next;
  }
  return folder;
}

/**
 * Opens a regular file in an open folder; undefined for everything else, and for a file of another user: a hard link can
 * name a file that its maker may not read.
 */
export function openFile(folder: number, path: string, owner: number | undefined): OpenFile | undefined {
  const names = path.split("/");
  let at = folder;
  try {
    for (const name of names.slice(0, -1)) {
      const next = isName(name) ? openIn(at, name, O_DIRECTORY) : undefined;
      if (at !== folder) closeSync(at);
      at = folder;
      if (next === undefined) return undefined;
      at = next;
    }
    const file = isName(names.at(-1)!) ? openIn(at, names.at(-1)!, O_NONBLOCK) : undefined;
    if (file === undefined) return undefined;
    const stats = fstatSync(file);
    if (stats.isFile() && (owner === undefined || stats.uid === owner)) return { file, stats };
    closeSync(file);
    return undefined;
  } finally {
    if (at !== folder) closeSync(at);
  }
}

export interface OpenFile {
  readonly file: number;
  readonly stats: Stats;
}

const piece = 1 << 18;

/** The bytes of an open file from `start` up to the size it had: one that is being written to may have no end. */
export async function* bytesOf(file: number, size: number, start = 0): AsyncGenerator<Uint8Array> {
  for (let at = start; at < size; ) {
    const { bytesRead, buffer } = await readPiece(file, Math.min(piece, size - at), at);
    if (bytesRead === 0) return; // it became shorter
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

const readPiece = (file: number, bytes: number, at: number) =>
  promisify(read)(file, Buffer.allocUnsafe(bytes), 0, bytes, at);

function isName(name: string): boolean {
  return name !== "" && name !== "." && name !== ".." && !name.includes("\0");
}

function openIn(folder: number, name: string, flags: number): number | undefined {
  try {
    return openSync(inFolder(folder, name), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | flags);
  } catch (error) {
    if (absent.has((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}

/** Not there, a link, no folder, or not for us to read (a socket, or a server that is not root). */
const absent = new Set(["ENOENT", "ELOOP", "ENOTDIR", "ENXIO", "EACCES", "EMLINK", "ENODEV"]);

/** Something that lies in a folder; what is neither a file nor a link is not told. */
export interface Found {
  readonly path: string;
  readonly stats: Stats;
  /** Where a link points; absent for a file. */
  readonly link?: string;
}

const depthMax = 64;
/** Folders that are read before others get a turn. */
const slice = 50;

/** Everything below an open folder, in no order. Folders for which `skips` holds are left out. */
export async function* walk(top: number, skips: (path: string) => boolean = () => false): AsyncGenerator<Found> {
  // Names of folders that are yet to be read: open descriptors would be as many as a job has folders.
  const ahead = [""];
  for (let read = 1; ahead.length > 0; read++) {
    if (read % slice === 0) await breathe();
    const path = ahead.pop()!;
    const folder = openFolder(`/proc/self/fd/${top}`, path);
    if (folder === undefined) continue;
    try {
      for (const name of readdirSync(inFolder(folder, "."))) {
        const full = path === "" ? name : `${path}/${name}`;
        const stats = lstatSync(inFolder(folder, name), { throwIfNoEntry: false });
        if (stats === undefined || skips(full)) continue;
        if (stats.isDirectory()) {
          if (full.split("/").length < depthMax) ahead.push(full);
        } else if (stats.isFile()) yield { path: full, stats };
        else if (stats.isSymbolicLink()) yield { path: full, stats, link: linkOf(folder, name) };
      }
    } finally {
      closeSync(folder);
    }
  }
}

function linkOf(folder: number, name: string): string {
  try {
    return readlinkSync(inFolder(folder, name));
  } catch {
    return ""; // it is gone, or something else now
  }
}
