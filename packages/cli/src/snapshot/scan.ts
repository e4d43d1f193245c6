import { type BigIntStats, lstatSync, readdirSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, relative } from "node:path";
import { faultOfLink, faultOfPath } from "@tessera/wire/tree";
import { specFailure } from "../failure.ts";
import { Rules } from "./rules.ts";

/** A file that is to be sent, as it was when the folder was read. */
export interface FoundFile {
  readonly path: string;
  readonly stats: BigIntStats;
}

/** What a folder holds, without what its rules leave out. */
export interface Found {
  readonly folder: string;
  readonly files: readonly FoundFile[];
  readonly links: readonly { readonly path: string; readonly link: string }[];
  readonly emptyFolders: readonly string[];
  /** What cannot be sent, with the reason. */
  readonly leftOut: readonly string[];
  readonly bytes: number;
  /** Reading stopped: there are more files than could ever be sent. */
  readonly tooMany: boolean;
}

/** Reads a folder, sorted by nothing yet. `filesMax` ends it early. */
export function scanFolder(folder: string, filesMax: number): Found {
  const files: FoundFile[] = [];
  const links: { path: string; link: string }[] = [];
  const emptyFolders: string[] = [];
  const leftOut: string[] = [];
  const root = realpathSync(folder);
  let bytes = 0;
  let tooMany = false;

  const enter = (at: string, rules: Rules): void => {
    const names = namesIn(at, folder);
    if (names.length === 0 && at !== folder) emptyFolders.push(relative(folder, at));
    for (const name of names) {
      if (tooMany) return;
      const full = join(at, name);
      const path = relative(folder, full);
      const stats = lstatSync(full, { bigint: true, throwIfNoEntry: false });
      if (stats === undefined) {
        if (name.includes("\ufffd")) leftOut.push(`${path}: its name is not UTF-8`);
        continue; // gone meanwhile
      }
      if (rules.leavesOut(full, stats.isDirectory())) continue;
      const fault = faultOfPath(path);
      if (fault !== undefined) {
        leftOut.push(`${JSON.stringify(path)} ${fault}`);
      } else if (stats.isDirectory()) {
        enter(full, rules.inside(full));
      } else if (stats.isFile()) {
        files.push({ path, stats });
        bytes += Number(stats.size);
        tooMany = files.length > filesMax;
      } else if (stats.isSymbolicLink()) {
        const link = insideLink(root, path, readlinkSync(full));
        const wrong = faultOfLink({ path, link });
        if (wrong === undefined) links.push({ path, link });
        else leftOut.push(`${path} ${wrong}`);
      }
    }
  };
  enter(folder, Rules.at(folder));
  return { folder, files, links, emptyFolders, leftOut, bytes, tooMany };
}

function namesIn(at: string, folder: string): string[] {
  try {
    return readdirSync(at);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return [];
    const name = relative(folder, at) || at;
    throw specFailure(`${name} cannot be read (${code}), so the folder cannot be sent`, leaveOutHint(`${name}/`));
  }
}

/** An absolute link into the folder means the same as a relative one, which also holds where the folder is unpacked. */
function insideLink(root: string, path: string, link: string): string {
  if (!isAbsolute(link)) return link;
  const inside = relative(root, link);
  return inside.startsWith("..") || isAbsolute(inside) ? link : relative(dirname(join(root, path)), link) || ".";
}

export function leaveOutHint(name: string): string {
  return `leave it out: echo '${name}' >> .tessignore`;
}
