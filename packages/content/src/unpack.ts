import { createHash } from "node:crypto";
import {
  chmodSync,
  closeSync,
  fchmodSync,
  fchownSync,
  lchownSync,
  mkdirSync,
  openSync,
  symlinkSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { isTreeFile, isTreeLink, type Tree, type TreeFile } from "@tessera/core";
import { ContentDamaged } from "./failure.ts";
import { SealBroken } from "./sealed/form.ts";
import type { TenantContent } from "./store.ts";

export interface UnpackOptions {
  /** The user and group to which everything will belong; ours without. */
  readonly owner?: number;
  readonly signal?: AbortSignal;
}

/** So much is written before others get a turn. */
const stretchBytes = 8 << 20;
const stretchFiles = 100;

/**
 * Writes a tree into a folder. Each content is hashed while it is copied: damage on the disk is a failure here, never
 * code that runs altered. Synchronous calls, because thousands of small files cost twice the time otherwise; links come
 * last, so that nothing is ever written through one.
 */
export async function unpackTree(
  content: TenantContent,
  tree: Tree,
  folder: string,
  { owner, signal }: UnpackOptions,
): Promise<void> {
  const made = new Set<string>();
  const makeFolder = (path: string): void => {
    if (path === "." || made.has(path)) return;
    makeFolder(dirname(path));
    const full = join(folder, path);
    mkdirSync(full, { mode: 0o755 });
    chmodSync(full, 0o755);
    if (owner !== undefined) lchownSync(full, owner, owner);
    made.add(path);
  };
  let bytes = 0;
  let files = 0;
  for (const entry of tree.files) {
    if (isTreeLink(entry)) continue;
    makeFolder(isTreeFile(entry) ? dirname(entry.path) : entry.path);
    if (!isTreeFile(entry)) continue;
    for (const copied of copy(content, entry, join(folder, entry.path), owner)) {
      bytes += copied;
      if (bytes < stretchBytes) continue;
      bytes = 0;
      await breathe();
      signal?.throwIfAborted();
    }
    if (++files % stretchFiles === 0) {
      await breathe();
      signal?.throwIfAborted();
    }
  }
  for (const entry of tree.files) {
    if (!isTreeLink(entry)) continue;
    makeFolder(dirname(entry.path));
    symlinkSync(entry.link, join(folder, entry.path));
    if (owner !== undefined) lchownSync(join(folder, entry.path), owner, owner);
  }
}

/** Copies one content, and yields after each piece how long it was. */
function* copy(
  content: TenantContent,
  { path, mode, sha256 }: TreeFile,
  to: string,
  owner: number | undefined,
): Generator<number> {
  const hash = createHash("sha256");
  const into = openSync(to, "wx", 0o600);
  try {
    for (const piece of content.pieces(sha256, path)) {
      hash.update(piece);
      for (let at = 0; at < piece.length; ) at += writeSync(into, piece, at, piece.length - at);
      yield piece.length;
    }
    fchmodSync(into, mode);
    if (owner !== undefined) fchownSync(into, owner, owner);
  } catch (error) {
    if (error instanceof SealBroken) throw new ContentDamaged(sha256, path);
    throw error;
  } finally {
    closeSync(into);
  }
  if (hash.digest("hex") !== sha256) throw new ContentDamaged(sha256, path);
}
