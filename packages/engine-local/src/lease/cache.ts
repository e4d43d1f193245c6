import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { removeTree } from "./retention.ts";

/**
 * Cuts the cache of each tenant down to what it may hold. What lies directly in a cache goes whole, the least recently used
 * first: an environment of which a part was removed would be worse than none. A tenant with a live member is left alone
 * until its cache holds twice as much.
 */
export async function pruneCaches(folder: string, bytesMax: number, busy: ReadonlySet<string>): Promise<void> {
  for (const tenant of await readdir(folder)) {
    const cache = join(folder, tenant);
    const entries = await Promise.all(
      (await readdir(cache)).map(async (name) => ({ path: join(cache, name), ...(await measure(join(cache, name))) })),
    );
    let bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
    if (bytes <= (busy.has(tenant) ? 2 * bytesMax : bytesMax)) continue;
    for (const entry of entries.sort((a, b) => a.usedAt - b.usedAt)) {
      if (bytes <= bytesMax) break;
      await removeTree(entry.path);
      bytes -= entry.bytes;
    }
  }
}

/** How much is there, and when something of it was last read or written. No link is followed. */
async function measure(path: string): Promise<{ bytes: number; usedAt: number }> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return { bytes: 0, usedAt: 0 };
  const own = { bytes: found.size, usedAt: Math.max(found.mtimeMs, found.isDirectory() ? 0 : found.atimeMs) };
  if (!found.isDirectory()) return own;
  for (const name of await readdir(path).catch(() => [])) {
    const inner = await measure(join(path, name));
    own.bytes += inner.bytes;
    own.usedAt = Math.max(own.usedAt, inner.usedAt);
  }
  return own;
}
