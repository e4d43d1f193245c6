import { existsSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { versions } from "./versions.js";

/** Where built programs and Go's own caches lie: outside of the clone, since they outlive it and weigh 12 GB. */
export const cache =
  process.env.KUBE_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "tessera-kubernetes");

export const controlPlaneBin = join(cache, `bin-${versions.kubernetes}`);
export const nodeBin = join(cache, `node-${versions.kubernetes}-${versions.containerd}`);

export function hasAll(folder, names) {
  return names.every((name) => existsSync(join(folder, name)));
}

/** A folder of the cache, made where it is missing. */
export function cacheFolder(...parts) {
  const folder = join(cache, ...parts);
  mkdirSync(folder, { recursive: true });
  return folder;
}
