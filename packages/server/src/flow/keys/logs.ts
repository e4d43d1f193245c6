import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { KeyUnknown, rewrap, SealBroken, wrappedBy } from "@tessera/content";
import type { Ring } from "../../access/ring/ring.ts";

/** Has the newest key of its owner wrap every log in these folders; returns how many had another. */
export async function resealLogs(folders: readonly string[], ring: Ring): Promise<number> {
  let count = 0;
  for (const folder of folders) {
    for (const lease of await list(folder)) {
      for (const name of await list(join(folder, lease))) {
        if (!name.endsWith(".log")) continue;
        await breathe();
        count += await reseal(join(folder, lease, name), ring).catch(unlessGone);
      }
    }
  }
  return count;
}

async function reseal(path: string, ring: Ring): Promise<number> {
  const ids = wrappedBy(path);
  const kept = ring.list().find(({ id }) => ids.includes(id));
  if (kept === undefined) return 0; // plain, or shredded
  const keys = await ring.allOf(kept.of);
  const [newest] = keys;
  if (newest === undefined || (ids.length === 1 && ids[0] === newest.id)) return 0;
  const known = keys.map((key) => ({ id: key.id, key: key.for("log") }));
  rewrap(path, known, { id: newest.id, key: newest.for("log") });
  return 1;
}

function unlessGone(error: unknown): 0 {
  const isGone = error instanceof SealBroken || error instanceof KeyUnknown;
  if (isGone || (error as NodeJS.ErrnoException).code === "ENOENT") return 0;
  throw error;
}

async function list(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
