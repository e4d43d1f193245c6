import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createWhole } from "../lease/durable.ts";
import { readIfThere } from "../lease/folder.ts";

export interface UserRange {
  readonly first: number;
  readonly count: number;
}

/** Jobs of tenants that run as one user can read each other's files, signal each other and, without bwrap, read ours. */
export const oneUser = {
  why: "this server does not run as root, so jobs of all tenants would run as one user and could reach each other's files",
  hint: "run the server as root, or keep all projects below one tenant; for a trial, start it with --tenants-share-user",
} as const;

/** The first tenant that ran a job here, where only one may. */
export async function onlyTenant(folder: string): Promise<string | undefined> {
  return readIfThere(join(folder, "only"));
}

/** Takes the place of the only tenant, if it is free. */
export async function takeOnlyTenant(folder: string, tenant: string): Promise<string> {
  if (await createWhole(join(folder, "only"), tenant)) return tenant;
  return readFile(join(folder, "only"), "utf8");
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
