import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createWhole } from "../lease/durable.ts";

export interface UserRange {
  readonly first: number;
  readonly count: number;
}

/**
 * The unprivileged user id under which the jobs of a tenant run. The search begins at a place that follows from the
 * tenant's id, and an id once taken is kept in a file of its own that cannot be created twice: no two tenants ever
 * share one, also when two processes ask at the same moment.
 */
export async function userOfTenant(folder: string, tenant: string, range: UserRange): Promise<number> {
  const start = createHash("sha256").update(tenant).digest().readUInt32BE(0) % range.count;
  for (let step = 0; step < range.count; step += 1) {
    const uid = range.first + ((start + step) % range.count);
    const file = join(folder, String(uid));
    if ((await createWhole(file, tenant)) || (await readFile(file, "utf8")) === tenant) return uid;
  }
  throw new Error(`all ${range.count} user ids from ${range.first} are taken by other tenants; widen the range`);
}
