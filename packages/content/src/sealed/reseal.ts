import { createHash } from "node:crypto";
import { chmodSync, closeSync, mkdirSync, openSync, readSync, renameSync, rmSync } from "node:fs";
import { readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { labelIn, rewrap, SealedWriter, wrappedBy } from "./file.ts";
import { KeyUnknown, SealBroken } from "./form.ts";
import { type ContentKey, labelOf, nameOf, openMark, sealedFolder, sealedMark, sealedPath } from "./keys.ts";

/**
 * Has one key wrap all content of a tenant, and gives it the names of that key; what is plain is sealed. Returns how many
 * files were changed. Every step leaves each file whole and to be found under one of the keys.
 */
export async function resealContent(root: string, known: readonly ContentKey[], by: ContentKey): Promise<number> {
  let changed = 0;
  for (const folder of await list(root)) {
    for (const name of await list(join(root, folder))) {
      const path = join(root, folder, name);
      await breathe();
      if (folder === "trees") changed += await remark(path, name, known, by);
      else if (sealedFolder.test(folder)) changed += rename(root, path, folder.slice(1) + name, known, by);
      else if (/^[0-9a-f]{2}$/.test(folder)) changed += await sealPlain(root, path, folder + name, by);
      else if (folder === "partial") changed += await repartial(path, known, by);
    }
  }
  return changed;
}

function rename(root: string, path: string, name: string, known: readonly ContentKey[], by: ContentKey): number {
  try {
    const ids = wrappedBy(path);
    if (ids.length !== 1 || ids[0] !== by.id) {
      chmodSync(path, 0o600);
      rewrap(path, known, by);
      chmodSync(path, 0o400);
    }
    const sha256 = labelIn(path, known).toString("hex");
    if (name === nameOf(by, sha256)) return 0;
    const to = sealedPath(root, by, sha256);
    mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
    renameSync(path, to);
    return 1;
  } catch (error) {
    return unlessGone(error);
  }
}

/** A content of the time before it was sealed. */
async function sealPlain(root: string, path: string, sha256: string, by: ContentKey): Promise<number> {
  const draft = join(root, "partial", `sealed-${sha256.slice(0, 24)}`);
  mkdirSync(dirname(draft), { recursive: true, mode: 0o700 });
  rmSync(draft, { force: true });
  const writer = SealedWriter.create(draft, labelOf(sha256), by);
  const hash = createHash("sha256");
  const file = openSync(path, "r");
  const room = Buffer.allocUnsafe(1 << 20);
  try {
    for (let got = readSync(file, room); got > 0; got = readSync(file, room)) {
      hash.update(room.subarray(0, got));
      writer.write(room.subarray(0, got));
      await breathe();
    }
  } finally {
    closeSync(file);
    writer.close();
  }
  if (hash.digest("hex") === sha256) {
    const to = sealedPath(root, by, sha256);
    mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
    const { atime, mtime } = await stat(path);
    await utimes(draft, atime, mtime); // as old as it was: a sweep goes by it
    renameSync(draft, to);
  } else {
    rmSync(draft); // damaged: nothing is lost that could be used
  }
  rmSync(path, { force: true });
  return 1;
}

async function remark(path: string, name: string, known: readonly ContentKey[], by: ContentKey): Promise<number> {
  const text = await readFile(path, "utf8").catch(() => undefined);
  const tree = text === undefined ? undefined : text === "" ? name : openMark(known, text);
  if (tree === undefined || name === nameOf(by, tree)) return 0;
  const { atime, mtime } = await stat(path);
  const to = join(dirname(path), nameOf(by, tree));
  await writeFile(to, sealedMark(by, tree), { mode: 0o600 });
  await utimes(to, atime, mtime);
  await rm(path, { force: true });
  return 1;
}

/** What was sent in part goes on under the new key; what was plain is sent again. */
async function repartial(path: string, known: readonly ContentKey[], by: ContentKey): Promise<number> {
  try {
    rewrap(path, known, by);
  } catch (error) {
    return unlessGone(error);
  }
  return 0;
}

/** Its key is gone, or it went while we looked: nothing here can help. */
function unlessGone(error: unknown): 0 {
  if (error instanceof SealBroken || error instanceof KeyUnknown || (error as NodeJS.ErrnoException).code === "ENOENT")
    return 0;
  throw error;
}

async function list(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
