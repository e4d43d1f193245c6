import { closeSync, existsSync, lstatSync, mkdirSync, openSync, statSync, unlinkSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";
import { removeOldScratch } from "./store/backup/scratch.ts";

/** The folders in which the server writes; each is made by the part that it belongs to. */
const written = ["", "store", "keys", "engine"];
/** Files that must be writable, where they are there. */
const files = ["store/store.sqlite", "store/store.head"];

/** Makes the data folder, and finds out before anything else is done whether this process can write to it. */
export function prepareDataFolder(data: string): void {
  makeFolder(data);
  for (const name of written) {
    const folder = join(data, name);
    if (existsSync(folder)) mustWrite(folder);
  }
  for (const name of files) if (existsSync(join(data, name))) mustOpen(join(data, name));
  removeOldScratch(data);
}

/** One level at a time: where nothing can be made, such as below /proc, mkdir with `recursive` never ends. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) {
    if (!statSync(folder).isDirectory())
      throw new Error(`${folder} is a file, but the server needs a folder there. Name another one with --data.`);
    return;
  }
  const above = dirname(folder);
  if (above !== folder) makeFolder(above);
  attempt(`make the folder ${folder}`, above, () => mkdirSync(folder, { mode: 0o700 }));
}

function mustWrite(folder: string): void {
  if (!statSync(folder).isDirectory()) throw new Error(`${folder} is a file, but the server needs a folder there.`);
  const probe = join(folder, `.write-test-${process.pid}`);
  attempt(`write to the folder ${folder}`, folder, () => {
    closeSync(openSync(probe, "wx", 0o600));
    unlinkSync(probe);
  });
}

function mustOpen(file: string): void {
  attempt(`write to the file ${file}`, file, () => closeSync(openSync(file, "r+")));
}

function attempt(what: string, path: string, act: () => void): void {
  try {
    act();
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === "ENOSPC" || code === "EDQUOT") return; // a full disk is told by what needs the room
    throw new Error(`cannot ${what} as ${whoIs()}: ${whyNot(code, path) ?? message}`, { cause });
  }
}

function whyNot(code: string | undefined, path: string): string | undefined {
  if (code === "EROFS") return `the file system is read-only. Make it writable, or name another folder with --data`;
  if (code === "ENOENT") return `nothing can be made in ${path}. Name another folder with --data`;
  if (code !== "EACCES" && code !== "EPERM") return undefined;
  const { uid, mode } = lstatSync(path);
  const rights = (mode & 0o777).toString(8).padStart(3, "0");
  const user = process.geteuid?.() ?? 0;
  return (
    `${path} belongs to user ${uid} and has mode ${rights}. Give it to this user ` +
    `(chown -R ${user} ${path}), or start the server as user ${uid}, or name another folder with --data`
  );
}

function whoIs(): string {
  const uid = process.geteuid?.();
  try {
    const { username, uid: real } = userInfo();
    return uid === real || uid === undefined ? `user ${username}` : `user ${uid}`;
  } catch {
    return `user ${uid}`; // a user without an entry in the list of users
  }
}
