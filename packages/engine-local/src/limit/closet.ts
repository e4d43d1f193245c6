/** Where a mount namespace shows a job its own directories; the real ones lie below folders that it may not enter. */
export const shown = {
  folder: "/run/tessera",
  work: "/run/tessera/work",
  temporary: "/run/tessera/tmp",
  door: "/run/tessera/door",
  /** An empty file that no job may open, laid over what a job must not reach. */
  closed: "/run/tessera/closed",
} as const;

/** What a job is closed in with. */
export type Means = "bwrap" | "unshare" | "user" | "nothing";

export interface Closet {
  readonly means: Means;
  /** The user to become; undefined = we have no right to become another. */
  readonly user?: number;
  /** Hidden with all that is in it. */
  readonly stateFolder: string;
  readonly workFolder: string;
  readonly temporaryFolder: string;
  readonly doorFolder: string;
  /** Where these directories are shown. */
  readonly workPath: string;
  readonly doorPath: string;
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
  const words = ["bwrap", "--die-with-parent", "--unshare-pid", "--as-pid-1", "--unshare-ipc"];
  if (closet.user === undefined) words.push("--unshare-user");
  // Only what is needed to become the user; all of it is given up in that step.
  else for (const name of ["SETUID", "SETGID", "SETPCAP"]) words.push("--cap-add", `CAP_${name}`);
  words.push("--bind", "/", "/", "--dev-bind", "/dev", "/dev", "--proc", "/proc", "--tmpfs", "/dev/shm");
  words.push("--tmpfs", closet.stateFolder);
  words.push("--bind", closet.temporaryFolder, "/tmp");
  words.push("--bind", closet.workFolder, closet.workPath);
  words.push("--ro-bind", closet.doorFolder, closet.doorPath);
  for (const device of closet.coveredDevices) words.push("--ro-bind", shown.closed, device);
  if (closet.seccomp) words.push("--seccomp", "3");
  return [...words, "--"];
}

/**
 * The same with util-linux alone. The inner shell is the first process of the namespace: it mounts and makes way for what
 * comes next, which is the first process then. Sources are bound before the folder above them is
 * hidden.
 */
function unshare(closet: Closet): string[] {
  const script = `w=$1; t=$2; d=$3; s=$4; n=$5; shift 5
{
  mount -t proc -o nosuid,nodev,noexec proc /proc &&
  mount -t tmpfs -o mode=1777,nosuid,nodev tmpfs /dev/shm &&
  mount --bind "$w" ${shown.work} &&
  mount --bind "$t" ${shown.temporary} &&
  mount --bind "$d" ${shown.door} &&
  mount -t tmpfs -o mode=0700,size=4k tmpfs "$s" &&
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
    ...[closet.workFolder, closet.temporaryFolder, closet.doorFolder, closet.stateFolder],
    ...[String(closet.coveredDevices.length), ...closet.coveredDevices],
  ];
}
