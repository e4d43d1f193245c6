import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { isTreeFile } from "@tessera/core";
import { ContentMissing } from "./failure.ts";
import type { TenantContent } from "./store.ts";

/** Removes what no tree in `roots` refers to and was last asked for before `before`. */
export async function sweepContent(
  content: TenantContent,
  root: string,
  roots: Iterable<string>,
  before: number,
): Promise<{ files: number; bytes: number }> {
  const kept = await referenced(content, roots);
  const removed = { files: 0, bytes: 0 };
  for (const folder of await list(root)) {
    for (const name of await list(join(root, folder))) {
      const sha256 = folder + name;
      if (folder !== "partial" && kept.has(sha256)) continue;
      const path = join(root, folder, name);
      const found = await stat(path).catch(() => undefined);
      if (found === undefined || found.mtimeMs >= before) continue;
      if (folder === "partial") await rm(path, { force: true });
      else await content.remove(sha256);
      removed.files += 1;
      removed.bytes += found.size;
    }
  }
  return removed;
}

async function referenced(content: TenantContent, roots: Iterable<string>): Promise<ReadonlySet<string>> {
  const kept = new Set<string>();
  for (const id of roots) {
    if (kept.has(id)) continue;
    kept.add(id);
    try {
      for (const entry of (await content.readTree(id)).files) if (isTreeFile(entry)) kept.add(entry.sha256);
    } catch (error) {
      // A reference to what is gone keeps nothing; it must not keep everything else from being swept.
      if (!(error instanceof ContentMissing)) throw error;
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
