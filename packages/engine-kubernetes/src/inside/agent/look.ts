import { closeSync } from "node:fs";
import type { FileEntry, JobFolder } from "@tessera/engine";
import { bytesOf, openFile, openFolder, walk } from "@tessera/engine/files";
import { send } from "@tessera/engine/framed";
import { placeOf } from "./collect.ts";

/** What lies in a folder now, one line of JSON each. */
export async function listFolder(folder: JobFolder): Promise<void> {
  const { base, path } = placeOf(folder);
  const top = openFolder(base, path);
  if (top === undefined) return;
  for await (const { path: name, stats, link } of walk(top)) {
    const { mode, size: bytes, mtimeMs } = stats;
    const changedAt = Math.floor(mtimeMs);
    const entry: FileEntry = { path: name, mode: mode & 0o777, bytes, changedAt, ...(link !== undefined && { link }) };
    await send(process.stdout, Buffer.from(`${JSON.stringify(entry)}\n`));
  }
  closeSync(top);
}

/** What is known of a file, as a line of JSON, then its bytes; nothing where there is no such file. */
export async function readFolderFile(folder: JobFolder, name: string, start: number): Promise<void> {
  const { base, path } = placeOf(folder);
  const top = openFolder(base, path);
  const opened = top === undefined ? undefined : openFile(top, name, undefined);
  if (opened === undefined) return;
  const { file, stats } = opened;
  await send(process.stdout, Buffer.from(`${JSON.stringify({ mode: stats.mode & 0o777, bytes: stats.size })}\n`));
  for await (const part of bytesOf(file, stats.size, start)) await send(process.stdout, part);
  closeSync(file);
}
