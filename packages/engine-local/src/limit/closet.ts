import { readdirSync, readlinkSync } from "node:fs";

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
  /** Where a root folder is put together that has names which the machine's own has not. */
  root: "/run/tessera/root",
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
  /** Hidden with all that is in it. */
  readonly stateFolder: string;
  /** Hidden as well: a job that runs as our own user could read what other tenants sent. */
  readonly contentFolder?: string;
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
  /** Devices to cover, where no control group closes them. */
  readonly coveredDevices: readonly string[];
  /** A system call filter will be on descriptor 3. */
  readonly seccomp: boolean;
}

/** The words to put before a command so that it runs closed in. */
export function closetCommand(closet: Closet): string[] {
  switch (closet.means) {
    case "bwrap":
      return [...bwrap(closet), ...(closet.user === undefined ? [] : becomeUser(closet.user))];
    case "unshare":
      return [...unshare(closet), ...becomeUser(closet.user!)];
    case "user":
      return becomeUser(closet.user!);
    case "nothing":
      return [];
  }
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
  if (closet.user === undefined) words.push("--unshare-user");
  // Only what is needed to become the user; all of it is given up in that step.
  else for (const name of ["SETUID", "SETGID", "SETPCAP"]) words.push("--cap-add", `CAP_${name}`);
  words.push(...rootWords(closet), "--dev-bind", "/dev", "/dev", "--proc", "/proc");
  if (closet.shmMiB !== undefined) words.push("--size", String(closet.shmMiB * mebibyte));
  // Ours by default, and then closed to the user that the job becomes: no semaphore, no data loader of PyTorch.
  if (closet.user !== undefined) words.push("--perms", "1777");
  words.push("--tmpfs", "/dev/shm");
  words.push("--tmpfs", closet.stateFolder);
  if (closet.contentFolder !== undefined) words.push("--tmpfs", closet.contentFolder);
  words.push("--bind", closet.temporaryFolder, "/tmp");
  words.push("--bind", closet.workFolder, closet.workPath);
  for (const { from, at, readOnly } of closet.binds) words.push(readOnly ? "--ro-bind" : "--bind", from, at);
  for (const device of closet.coveredDevices) words.push("--ro-bind", shown.closed, device);
  if (closet.newFolders.length > 0) words.push("--remount-ro", "/");
  if (closet.seccomp) words.push("--seccomp", "3");
  return [...words, "--"];
}

/** The root folder: the machine's, or an empty one that shows all that is in it and has room for new names. */
function rootWords({ newFolders }: Closet): string[] {
  if (newFolders.length === 0) return ["--bind", "/", "/"];
  const words: string[] = [];
  for (const entry of readdirSync("/", { withFileTypes: true })) {
    const path = `/${entry.name}`;
    if (entry.isSymbolicLink()) words.push("--symlink", readlinkSync(path), path);
    else if ((entry.isDirectory() && entry.name !== "proc" && entry.name !== "dev") || entry.isFile())
      words.push("--bind", path, path);
  }
  return [...words, ...newFolders.flatMap((folder) => ["--dir", folder])];
}

/**
 * The same with util-linux alone. The inner shell is the first process of the namespace: it mounts and makes way for what
 * comes next. Sources are bound before the folder above them is hidden.
 */
function unshare(closet: Closet): string[] {
  const size = closet.shmMiB === undefined ? "" : `,size=${closet.shmMiB}m`;
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
w=$1; t=$2; s=$3; c=$4; n=$5; shift 5
while [ "$n" -gt 0 ]; do
  mount --bind -o "$3" "$1" "$2" >&2 || exit 125
  shift 3; n=$((n - 1))
done
n=$1; shift
{
  mount -t proc -o nosuid,nodev,noexec proc /proc &&
  mount -t tmpfs -o mode=1777,nosuid,nodev${size} tmpfs /dev/shm &&
  mount --bind "$w" ${shown.work} &&
  mount --bind "$t" ${shown.temporary} &&
  mount -t tmpfs -o mode=0700,size=4k tmpfs "$s" &&
  { [ -z "$c" ] || mount -t tmpfs -o mode=0700,size=4k tmpfs "$c"; } &&
  mount --bind ${shown.temporary} /tmp
} >&2 || exit 125
while [ "$n" -gt 0 ]; do
  mount --bind ${shown.closed} "$1" >&2 || exit 125
  shift; n=$((n - 1))
done
exec "$@"`;
  return [
    ...["unshare", "--mount", "--propagation", "private", "--pid", "--ipc", "--fork", "--kill-child", "--"],
    ...["/bin/sh", "-c", script, "tess"],
    ...[String(closet.newFolders.length), ...closet.newFolders],
    ...[closet.workFolder, closet.temporaryFolder, closet.stateFolder, closet.contentFolder ?? ""],
    ...[String(closet.binds.length), ...closet.binds.flatMap(bindWords)],
    ...[String(closet.coveredDevices.length), ...closet.coveredDevices],
  ];
}
