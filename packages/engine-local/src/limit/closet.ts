import { lstatSync, readdirSync, readlinkSync } from "node:fs";
import { quoted } from "@tessera/engine";
import { capabilityFolder } from "../part/capabilities.ts";
import { type FilterLoader, loadFilter } from "./filter.ts";

/** Where a mount namespace shows a job its own directories; the real ones lie below folders that it may not enter. */
export const shown = {
  folder: "/run/tessera",
  work: "/run/tessera/work",
  temporary: "/run/tessera/tmp",
  home: "/run/tessera/home",
  cache: "/run/tessera/cache",
  out: "/run/tessera/out",
  checkpoint: "/run/tessera/checkpoint",
  door: "/run/tessera/door",
  /** The pipes of the MPS server that a job uses. */
  mps: "/run/tessera/mps",
  /** Where a root folder is put together that has names which the machine's own has not. */
  root: "/run/tessera/root",
  /** Where the nodes are put together that open the MIG instance of a job. */
  capabilities: "/run/tessera/caps",
  /** An empty file that no job may open, laid over what a job must not reach. */
  closed: "/run/tessera/closed",
} as const;

function bindWords({ from, at, readOnly }: Bind): string[] {
  return [from, at, readOnly ? "ro,nosuid,nodev" : "nosuid,nodev"];
}

/** What a job is closed in with. */
export type Means = "bwrap" | "unshare" | "user" | "nothing";

/** A folder of the machine, and where the job sees it. */
export interface Bind {
  readonly from: string;
  readonly at: string;
  /** Where the job runs as our own user, this alone keeps it from writing here. */
  readonly readOnly?: true;
}

export interface Closet {
  readonly means: Means;
  /** The user to become; undefined = we have no right to become another. */
  readonly user?: number;
  /** Folders that are hidden with all that is in them. */
  readonly hidden: readonly string[];
  readonly workFolder: string;
  readonly temporaryFolder: string;
  /** Where the working directory is shown. */
  readonly workPath: string;
  /** Further folders of the job. */
  readonly binds: readonly Bind[];
  /** Folders that must be made in a root folder of the job's own, for binds; empty = the machine's root will do. */
  readonly newFolders: readonly string[];
  /** The size of the job's own /dev/shm; undefined = what the kernel gives. */
  readonly shmMiB?: number;
  /** A folder of the machine that is its /dev/shm, because it must meet a server there; absent = it has its own. */
  readonly sharedShm?: string;
  readonly controlGroups: ShownGroups;
  /** Devices to cover, where no control group closes them. */
  readonly coveredDevices: readonly string[];
  /** The nodes of /dev/nvidia-caps that it sees, by minor number; absent = there is no such folder. */
  readonly capabilities?: readonly number[];
  /** What loads the system call filter, which will be on descriptor 3; absent = there is none. */
  readonly filter?: FilterLoader;
}

/** Control groups are named after jobs of all tenants. A job sees its own alone, from which programs read their limits. */
export interface ShownGroups {
  /** Where hierarchies are mounted. */
  readonly hidden: readonly string[];
  /** The job's own group of version 2. */
  readonly own?: Pick<Bind, "from" | "at">;
}

/** The words to put before a command so that it runs closed in. */
export function closetCommand(closet: Closet): string[] {
  const user = closet.user === undefined ? [] : becomeUser(closet.user);
  const rest = [...(closet.filter === "perl" ? loadFilter(process.arch) : []), ...user];
  switch (closet.means) {
    case "bwrap":
      return [...bwrap(closet), ...rest];
    case "unshare":
      return [...unshare(closet), ...rest];
    case "user":
    case "nothing":
      return rest;
  }
}

/** Folders of all users, in each of which a job sees its own temporary folder. A link to another of them needs nothing. */
const temporaryFolders = ["/tmp", "/var/tmp"].filter(
  (folder) => lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true,
);

/** What lies in a temporary folder of all users is out of sight already. */
function hiddenFolders({ hidden, controlGroups }: Closet): string[] {
  const seen = hidden.filter((folder) => !temporaryFolders.some((covered) => folder.startsWith(`${covered}/`)));
  return [...seen, ...controlGroups.hidden];
}

function nodesOf({ capabilities = [] }: Closet): string[] {
  return capabilities.map((minor) => `${capabilityFolder}/nvidia-cap${minor}`);
}

const mebibyte = 2 ** 20;

/** Becomes an unprivileged user with no way back: no group, no capability, nothing gained by running a program. */
function becomeUser(uid: number): string[] {
  const id = String(uid);
  return [
    "setpriv",
    "--reuid",
    id,
    "--regid",
    id,
    "--clear-groups",
    "--inh-caps=-all",
    "--bounding-set=-all",
    "--no-new-privs",
    "--",
  ];
}

function bwrap(closet: Closet): string[] {
  // A session of its own: a command that signals its process group must not reach the process that waits outside.
  const words = ["bwrap", "--die-with-parent", "--new-session", "--unshare-pid", "--as-pid-1", "--unshare-ipc"];
  words.push("--unshare-cgroup");
  if (closet.user === undefined) words.push("--unshare-user");
  // Only what is needed to become the user; all of it is given up in that step.
  else for (const name of ["SETUID", "SETGID", "SETPCAP"]) words.push("--cap-add", `CAP_${name}`);
  words.push(...rootWords(closet), "--dev-bind", "/dev", "/dev", "--proc", "/proc");
  words.push(...shmWords(closet));
  for (const folder of temporaryFolders) words.push("--bind", closet.temporaryFolder, folder);
  const hidden = hiddenFolders(closet);
  for (const folder of hidden) words.push("--size", "4096", "--tmpfs", folder);
  const { own } = closet.controlGroups;
  if (own !== undefined) words.push("--ro-bind", own.from, own.at);
  words.push("--bind", closet.workFolder, closet.workPath);
  for (const { from, at, readOnly } of closet.binds) words.push(readOnly ? "--ro-bind" : "--bind", from, at);
  for (const device of closet.coveredDevices) words.push("--ro-bind", shown.closed, device);
  if (closet.capabilities !== undefined) words.push("--tmpfs", capabilityFolder);
  for (const node of nodesOf(closet)) words.push("--dev-bind", node, node);
  for (const folder of closet.newFolders.length > 0 ? [...hidden, "/"] : hidden) words.push("--remount-ro", folder);
  if (closet.filter === "bwrap") words.push("--seccomp", "3");
  return [...words, "--"];
}

function shmWords({ sharedShm, shmMiB, user }: Closet): string[] {
  if (sharedShm !== undefined) return ["--bind", sharedShm, "/dev/shm"];
  const words = shmMiB === undefined ? [] : ["--size", String(shmMiB * mebibyte)];
  // Ours by default, and then closed to the user that the job becomes: no semaphore, no data loader of PyTorch.
  if (user !== undefined) words.push("--perms", "1777");
  return [...words, "--tmpfs", "/dev/shm"];
}

/**
 * The root folder: the machine's, or an empty one that shows all that is in it and has room for new names. A job that runs
 * as our own user must not write there: it could change our programs, or what the user's next shell does.
 */
function rootWords({ newFolders, user }: Closet): string[] {
  const bind = user === undefined ? "--ro-bind" : "--bind";
  if (newFolders.length === 0) return [bind, "/", "/"];
  const words: string[] = [];
  for (const entry of readdirSync("/", { withFileTypes: true })) {
    const path = `/${entry.name}`;
    if (entry.isSymbolicLink()) words.push("--symlink", readlinkSync(path), path);
    else if ((entry.isDirectory() && entry.name !== "proc" && entry.name !== "dev") || entry.isFile())
      words.push(bind, path, path);
  }
  return [...words, ...newFolders.flatMap((folder) => ["--dir", folder])];
}

/**
 * The same with util-linux alone. The inner shell is the first process of the namespace: it mounts and makes way for what
 * comes next. Sources are bound before the folder above them is hidden.
 */
function unshare(closet: Closet): string[] {
  const size = closet.shmMiB === undefined ? "" : `,size=${closet.shmMiB}m`;
  const shm =
    closet.sharedShm === undefined
      ? `mount -t tmpfs -o mode=1777,nosuid,nodev${size} tmpfs /dev/shm`
      : `mount --bind -o nosuid,nodev ${quoted(closet.sharedShm)} /dev/shm`;
  const script = `n=$1; shift
if [ "$n" -gt 0 ]; then
  r=${shown.root}
  { mount -t tmpfs -o mode=0755,nosuid,nodev,size=1m tmpfs $r && mount --make-unbindable $r; } >&2 || exit 125
  for e in /* /.[!.]*; do
    if [ -L "$e" ]; then cp -P "$e" "$r$e"
    elif [ -d "$e" ]; then mkdir "$r$e" && mount --rbind "$e" "$r$e"
    elif [ -f "$e" ]; then : > "$r$e" && mount --bind "$e" "$r$e"
    fi >&2 || exit 125
  done
  while [ "$n" -gt 0 ]; do mkdir -p "$r$1" >&2 || exit 125; shift; n=$((n - 1)); done
  { mkdir $r/.old && cd $r && pivot_root . .old && cd / && umount -l /.old && rmdir /.old && mount -o remount,ro /
  } >&2 || exit 125
fi
w=$1; t=$2; n=$3; shift 3
while [ "$n" -gt 0 ]; do
  mount --bind -o "$3" "$1" "$2" >&2 || exit 125
  shift 3; n=$((n - 1))
done
{
  mount -t proc -o nosuid,nodev,noexec proc /proc &&
  ${shm} &&
  mount --bind "$w" ${shown.work} &&
  mount --bind "$t" ${shown.temporary}
} >&2 || exit 125
n=$1; shift
while [ "$n" -gt 0 ]; do
  mount -t tmpfs -o mode=0755,nosuid,nodev,size=4k tmpfs "$1" >&2 || exit 125
  shift; n=$((n - 1))
done
if [ -n "$1" ]; then
  { mkdir -p "$1" && mount -t cgroup2 -o ro,nosuid,nodev,noexec cgroup2 "$1"; } >&2 || exit 125
fi
shift
for f in ${temporaryFolders.join(" ")}; do mount --bind ${shown.temporary} "$f" >&2 || exit 125; done
n=$1; shift
while [ "$n" -gt 0 ]; do
  mount --bind ${shown.closed} "$1" >&2 || exit 125
  shift; n=$((n - 1))
done
n=$1; shift
if [ -n "$n" ]; then
  c=${shown.capabilities}
  mount -t tmpfs -o mode=0755,nosuid,nodev,size=64k tmpfs $c >&2 || exit 125
  while [ "$n" -gt 0 ]; do
    { : > "$c/\${1##*/}" && mount --bind "$1" "$c/\${1##*/}"; } >&2 || exit 125
    shift; n=$((n - 1))
  done
  mount --rbind $c ${capabilityFolder} >&2 || exit 125
fi
exec "$@"`;
  const hidden = hiddenFolders(closet);
  return [
    ...["unshare", "--mount", "--propagation", "private", "--pid", "--ipc", "--cgroup", "--fork", "--kill-child", "--"],
    ...["/bin/sh", "-c", script, "tess"],
    ...[String(closet.newFolders.length), ...closet.newFolders],
    ...[closet.workFolder, closet.temporaryFolder],
    ...[String(closet.binds.length), ...closet.binds.flatMap(bindWords)],
    ...[String(hidden.length), ...hidden, closet.controlGroups.own?.at ?? ""],
    ...[String(closet.coveredDevices.length), ...closet.coveredDevices],
    ...[String(closet.capabilities?.length ?? ""), ...nodesOf(closet)],
  ];
}
