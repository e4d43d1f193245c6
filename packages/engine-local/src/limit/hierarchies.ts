import { chmodSync, existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ownShare, shareSettings, weightSettings, writeSettings } from "./share.ts";

/** A control group hierarchy in which this process may make groups. */
export interface Hierarchy {
  readonly version: 1 | 2;
  /** Where it is mounted. */
  readonly mount: string;
  /** The folder of everything that is ours. */
  readonly top: string;
  /** The folder below it in which each lease gets its own; it limits what all jobs have together. */
  readonly folder: string;
  /** Controllers that take effect in groups below `folder`. */
  readonly controllers: readonly string[];
  /** Version 2 with the file that ends a whole group (kernel 5.14). */
  readonly killFile: boolean;
}

interface Mount {
  readonly version: 1 | 2;
  readonly path: string;
  readonly options: readonly string[];
}

const wanted = ["memory", "cpu", "pids", "devices", "freezer"] as const;

/** Finds out by trying: a hierarchy that is mounted may still be read-only, or not ours to change. */
export function findHierarchies(mountTable = "/proc/self/mountinfo", ownGroups = "/proc/self/cgroup"): Hierarchy[] {
  if (!existsSync(mountTable)) return [];
  const own = readFileSync(ownGroups, "utf8");
  return parseMounts(readFileSync(mountTable, "utf8"))
    .map((mount) => tryHierarchy(mount, ownPath(own, mount)))
    .filter((hierarchy) => hierarchy !== undefined);
}

/** The topmost folders below which hierarchies of any kind are mounted. */
export function groupMounts(mountTable = "/proc/self/mountinfo"): string[] {
  if (!existsSync(mountTable)) return [];
  const usual = existsSync("/sys/fs/cgroup") ? ["/sys/fs/cgroup"] : [];
  return topmost([...usual, ...parseMounts(readFileSync(mountTable, "utf8")).map(({ path }) => path)]);
}

/** Those that do not lie in another of them, each once. */
export function topmost(folders: readonly string[]): string[] {
  return [...new Set(folders)].filter(
    (folder) => !folders.some((other) => other !== folder && folder.startsWith(`${other}/`)),
  );
}

export function parseMounts(table: string): Mount[] {
  return table.split("\n").flatMap((line): Mount[] => {
    const [left = "", right = ""] = line.split(" - ");
    const path = left.split(" ")[4]?.replaceAll("\\040", " ");
    const [type, , options = ""] = right.split(" ");
    if (path === undefined || (type !== "cgroup" && type !== "cgroup2")) return [];
    return [{ version: type === "cgroup" ? 1 : 2, path, options: options.split(",") }];
  });
}

/** The group of this process in a hierarchy, as /proc/self/cgroup names it. */
function ownPath(own: string, mount: Mount): string {
  const line = own.split("\n").find((text) => {
    const names = text.split(":")[1] ?? "";
    return mount.version === 2
      ? text.startsWith("0::")
      : names !== "" && names.split(",").every((name) => mount.options.includes(name));
  });
  return line?.split(":").slice(2).join(":") ?? "/";
}

function tryHierarchy(mount: Mount, own: string): Hierarchy | undefined {
  const controllers = mount.version === 1 ? wanted.filter((name) => mount.options.includes(name)) : [];
  if (mount.version === 1 && controllers.length === 0) return undefined;
  // At the top first: a group below our own would end with the unit that a service manager keeps us in.
  for (const parent of new Set([mount.path, join(mount.path, own)])) {
    const top = join(parent, "tessera");
    const folder = join(top, "jobs");
    const trial = join(folder, `trial-${process.pid}`);
    try {
      mkdirSync(folder, { recursive: true });
      if (mount.version === 2) enableControllers(parent, top, folder);
      chmodSync(folder, 0o700); // how many jobs there are is not for everybody
      mkdirSync(trial);
      const killFile = existsSync(join(trial, "cgroup.kill"));
      rmdirSync(trial);
      writeSettings(top, weightSettings(mount.version));
      writeSettings(folder, shareSettings(mount.version, ownShare()));
      const found = { mount: mount.path, top, folder };
      if (mount.version === 1) return { ...found, version: 1, controllers, killFile: false };
      const enabled = readFileSync(join(folder, "cgroup.subtree_control"), "utf8").trim().split(" ").filter(Boolean);
      return { ...found, version: 2, controllers: enabled, killFile };
    } catch {
      // Not ours to change here; perhaps further down.
    }
  }
  return undefined;
}

function enableControllers(...folders: string[]): void {
  for (const folder of folders) {
    for (const name of ["memory", "cpu", "pids", "io"]) {
      try {
        writeFileSync(join(folder, "cgroup.subtree_control"), `+${name}`);
      } catch {
        // Bound to a version 1 hierarchy, or processes stand in the way: what is enabled is read back.
      }
    }
  }
}
