import { existsSync, lstatSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { plainPath, systemFolders } from "@tessera/core";
import type { LeaseOrder, MountOrder } from "@tessera/engine";
import type { StateFolder } from "../lease/folder.ts";
import type { Bind, Means } from "./closet.ts";

/** Where the tree of an output lies once it is unpacked; shared by all jobs of the tenant that mount it. */
export function treeFolder(state: StateFolder, tenant: string, tree: string): string {
  return join(state.mounts, tenant, tree);
}

/** What the order asks to mount, as folders of this machine. */
export function planMounts(state: StateFolder, { mounts = [], tenant }: Pick<LeaseOrder, "mounts" | "tenant">): Bind[] {
  return mounts.flatMap((mount): Bind[] => {
    if ("claim" in mount) return []; // refused before: `mountFault`
    if ("tree" in mount) return [{ from: treeFolder(state, tenant, mount.tree), at: mount.at, readOnly: true }];
    return [{ from: mount.folder, at: mount.at, ...(mount.readOnly && { readOnly: true }) }];
  });
}

/** Why something cannot be mounted here; undefined = all of it can. */
export function mountFault(
  means: Means,
  hidden: readonly string[],
  { mounts = [] }: Pick<LeaseOrder, "mounts">,
): string | undefined {
  if (mounts.length === 0) return undefined;
  if (means !== "bwrap" && means !== "unshare")
    return "mounts need a mount namespace: run the server as root, or install bwrap (bubblewrap)";
  for (const mount of mounts) {
    const fault = faultOfTarget(mount.at, hidden) ?? faultOfSource(mount, hidden);
    if (fault !== undefined) return `mounts: ${fault}`;
  }
  return undefined;
}

/** A folder that holds what the engine keeps, or lies in it, would show or hide the files of others. */
function meets(path: string, hidden: readonly string[]): boolean {
  return hidden.some((folder) => `${folder}/`.startsWith(`${path}/`) || `${path}/`.startsWith(`${folder}/`));
}

function faultOfSource(mount: MountOrder, hidden: readonly string[]): string | undefined {
  if ("claim" in mount) return `pvc:${mount.claim} is storage of a cluster, and this node is in none`;
  if (!("folder" in mount)) return undefined;
  const { folder } = mount;
  try {
    const real = realpathSync(folder);
    if (!statSync(real).isDirectory()) return `the volume's path ${folder} is not a folder of this node`;
    return meets(real, hidden) ? `the volume's path ${folder} meets the folder of the engine` : undefined;
  } catch {
    return `the volume's path ${folder} is not there on this node`;
  }
}

/**
 * A mount is laid while the wrapper still has rights, over programs that it is about to run if a link led there. So the
 * place must be new, directly below the root, or a folder that nobody but root can change.
 */
function faultOfTarget(at: string, hidden: readonly string[]): string | undefined {
  if (plainPath(at) !== at || systemFolders.has(at.split("/")[1]!) || meets(at, hidden)) return `${at} is not free`;
  if (isNew(at)) return undefined;
  const names = at.split("/").slice(1);
  for (let depth = 1; depth <= names.length; depth++) {
    const path = `/${names.slice(0, depth).join("/")}`;
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined)
      return `${path} is not a folder of this node; use one that is there, or a new name below /, such as /data`;
    if (!found.isDirectory() || found.uid !== 0 || (found.mode & 0o022) !== 0)
      return `${path} belongs to somebody on this node; use a new name below /, such as /data`;
  }
  return undefined;
}

/** The first name of the path is not there: the job gets a root folder of its own in which it is. */
export function isNew(at: string): boolean {
  return !existsSync(`/${at.split("/")[1]}`);
}
