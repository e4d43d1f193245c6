import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { isTreeFile } from "@tessera/core";
import { ContentDamaged, ContentMissing } from "./failure.ts";
import type { TenantContent } from "./store.ts";

/** Holds an empty file for each tree that a job was submitted with; its time says when the tree was last used. */
export const treesFolder = "trees";

/** Removes content that was not asked for within `looseMs`, unless a tree in `roots` or one used within `treesMs` refers to it. */
export async function sweepContent(
  content: TenantContent,
  root: string,
  roots: Iterable<string>,
  keep: { readonly treesMs: number; readonly looseMs: number },
  now: number,
): Promise<{ files: number; bytes: number }> {
  const live = new Set(roots);
  for (const name of await list(join(root, treesFolder))) {
    const marker = join(root, treesFolder, name);
    const tree = await content.treeOf(name);
    if (tree !== undefined && (await stat(marker)).mtimeMs >= now - keep.treesMs) live.add(tree);
    else await rm(marker, { force: true });
  }
  const kept = await referenced(content, live);
  const removed = { files: 0, bytes: 0 };
  for (const folder of await list(root)) {
    if (folder === treesFolder) continue;
    for (const name of await list(join(root, folder))) {
      if (kept.has(folder + name)) continue;
      const path = join(root, folder, name);
      const found = await stat(path).catch(() => undefined);
      if (found === undefined || found.mtimeMs >= now - keep.looseMs) continue;
      await rm(path, { force: true });
      removed.files += 1;
      removed.bytes += found.size;
    }
  }
  return removed;
}

async function referenced(content: TenantContent, roots: Iterable<string>): Promise<ReadonlySet<string>> {
  const kept = new Set<string>();
  const keep = (sha256: string) => {
    for (const name of content.namesOf(sha256)) kept.add(name);
  };
  for (const id of roots) {
    keep(id);
    try {
      for (const entry of (await content.readTree(id)).files) if (isTreeFile(entry)) keep(entry.sha256);
    } catch (error) {
      // A reference to what is gone keeps nothing; it must not keep everything else from being swept.
      if (!(error instanceof ContentMissing || error instanceof ContentDamaged)) throw error;
    }
  }
  return kept;
}

async function list(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
}
