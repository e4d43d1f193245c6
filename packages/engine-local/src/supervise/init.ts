import { quoted } from "@tessera/engine";

/** Descriptors of the init. None of them reaches the user's command. */
export const initDescriptor = {
  /** Verbs of the supervisor, one a line; its end says that the supervisor is gone. */
  orders: 0,
  /** Where a wrapper finds the system call filter. */
  seccomp: 3,
  /** What the init says, one line each: see `InitWord`. */
  status: 4,
  /** The settings of the step, to their end: see `initSettings`. */
  settings: 5,
} as const;

/**
 * What comes on the status descriptor. `keeper PID`: the process that reads orders is up. `go PID`: the user's command
 * starts now, and PID waits for it. `end CODE`: it has ended. `fail CODE TEXT`: it cannot be started. `no-session N`:
 * session N could not be started. Process numbers are those that the init itself sees.
 */
export type InitWord = "keeper" | "go" | "end" | "fail" | "no-session";

const { seccomp, status, settings } = initDescriptor;

/**
 * The first process of a step, and of its PID namespace where there is one. It outlives the user's command, so that a
 * signal which ends the shell around a training script does not end the script with it, and it reaps what loses its
 * parent. In POSIX sh, because every machine has it.
 *
 * - Two subshells do the work: `listen` takes orders, `run` waits for the command. They are the two ends of a pipeline
 *   and not background jobs, because a shell starts background jobs with SIGINT and SIGQUIT ignored for good. The shell
 *   that waits for the pipeline takes in every orphan.
 * - Signals are handled and not ignored: a handler does not pass on to a command, an ignored signal does.
 * - The settings stay in functions that only subshells call. A variable of the user, such as TMOUT, must not change how
 *   the init itself works, and sessions get the same environment as the command. Words are put together before that
 *   environment is entered, for it may have a variable of the same name.
 * - Each subshell learns its own number from a child, and asks again if a signal to the job ends that child: a keeper
 *   without a number would be taken for a part of the job that is still there.
 * - Stderr of `run` is put aside: a shell comments there on how its child ended.
 */
export const initScript = `exec ${seccomp}>&-
eval "$(cat <&${settings})"
exec ${settings}<&-
cd "$folder" 2>/dev/null || { echo "$strange" >&${status}; exit 126; }
handle() { trap 'signalled=1' HUP INT QUIT PIPE ALRM TERM USR1 USR2 CONT; }
self() { exec /bin/sh -c 'echo $PPID'; }
learn() {
  for try in 1 2 3 4 5; do
    number=$(self)
    [ -z "$number" ] || break
  done 2>/dev/null
}
listen() {
  handle
  setsid=$(command -v setsid)
  learn
  echo "keeper $number" >&${status}
  while :; do
    signalled=
    if read -r verb number; then order; elif [ -z "$signalled" ]; then break; fi
  done
  [ $$ -ne 1 ] || kill -KILL -1
}
order() {
  [ "$verb" = session ] || return
  case $number in '' | *[!0-9]*) return ;; esac
  (
    [ -n "$setsid" ] || exit 127
    set -- "$setsid" --fork /bin/sh "$door/$number"
    enter
    become "$@" </dev/null >/dev/null 2>&1 ${status}>&-
  ) || echo "no-session $number" >&${status}
}
run() {
  handle
  exec ${settings}>&2 2>/dev/null
  learn
  echo "go $number" >&${status}
  (
    set -- /bin/sh -c "$script"
    enter
    become "$@" </dev/null 2>&${settings} ${status}>&- ${settings}>&-
  )
  echo "end $?" >&${status}
}
handle
listen | run`;

/** What one step needs: where it works, its environment, its script, and the folder of session scripts. */
export interface InitSettings {
  readonly folder: string;
  readonly door: string;
  readonly script: string;
  readonly environment: { readonly [name: string]: string };
}

/**
 * The settings as the shell reads them. They come through a pipe, because arguments can be read by every process of the
 * machine and a file would outlive the secrets in it.
 */
export function initSettings({ folder, door, script, environment }: InitSettings): string {
  const entries = Object.entries(environment);
  const plain = entries.filter(([name]) => exportable.test(name) && !shellOwned.has(name));
  const odd = entries.filter(([name]) => !exportable.test(name) || shellOwned.has(name));
  const env = odd.length === 0 ? "" : ["/usr/bin/env", ...odd.map(([name, value]) => quoted(`${name}=${value}`)), ""];
  const strange = `fail 126 workdir ${folder} cannot be entered by this job`.replaceAll("\n", " ");
  return [
    `folder=${quoted(folder)}`,
    `door=${quoted(door)}`,
    `script=${quoted(script)}`,
    `strange=${quoted(strange)}`,
    "enter() { unset OLDPWD; umask 022",
    ...plain.map(([name, value]) => `export ${name}=${quoted(value)}`),
    "}",
    `become() { exec ${env === "" ? "" : env.join(" ")}"$@"; }`,
    "",
  ].join("\n");
}

const exportable = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Names that a shell keeps for itself: assigning them can fail or change how the rest of the script is read. */
const shellOwned = new Set("BASHOPTS BASH_VERSINFO EUID GROUPS IFS LINENO OPTIND PPID SHELLOPTS UID".split(" "));
