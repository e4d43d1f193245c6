import { donePath, entryVariable, folders } from "../inside/parts.ts";

/** Where a stop order leaves the name of its signal and its grace in seconds, if they are not those of the pod. */
export const orderPath = `${folders.root}/.stop`;
/** It is being stopped; and everything that could handle the signal has ended. */
const stoppingPath = `${folders.root}/.stopping`;
const stoppedPath = `${folders.root}/.stopped`;
/** What a container writes here becomes part of its status. */
export const messagePath = "/dev/termination-log";
export const doneMessage = "tess-done";

/**
 * The first process of a member. It handles signals and does not pass them on: that is what the hook below does, for all
 * processes and not only for one. A handler, unlike an ignored signal, is not inherited. It runs its steps in the
 * foreground, since a shell starts background jobs with SIGINT and SIGQUIT ignored for good. A step that begins while the
 * signal is sent might miss it: it looks for the mark of the stop first, which is made before. Its own stderr is put
 * aside: a shell comments there on how its child ended. It says in the log where the output of the command begins, if
 * something ran before it.
 * Arguments: the work folder, then the steps.
 */
export const memberScript = `trap : HUP INT QUIT PIPE ALRM TERM USR1 USR2
umask 022
mkdir -p ${folders.work} ${folders.temporary} ${folders.out} ${folders.checkpoint} ${folders.cache} 2>/dev/null
cd "$1" || { echo "workdir $1 cannot be entered by this job" > ${messagePath}; exit 126; }
shift
exec 3>&2 2>/dev/null
code=0
told=
steps=$#
for step in "$@"; do
  steps=$((steps - 1))
  [ -n "$step" ] || continue
  [ $steps -gt 0 ] && stream=setup || stream=stdout
  [ "$stream$told" = stdout ] || printf '\\036tess stream %s\\n' "$stream"
  told=1
  (exec /bin/sh -c '[ ! -e ${stoppingPath} ] || exit 143; exec /bin/sh -c "$0"' "$step" </dev/null 2>&3 3>&-)
  code=$?
  [ $code -eq 0 ] && continue
  [ $steps -eq 0 ] || [ -s ${messagePath} ] || echo "setup ended with code $code" > ${messagePath}
  break
done
while [ -e ${stoppingPath} ] && [ ! -e ${stoppedPath} ]; do sleep 0.1 || sleep 1; done
[ ! -f ${donePath} ] || echo ${doneMessage} > ${messagePath}
exit $code`;

/**
 * Runs in the container when it must stop, before the signal of the runtime: sends the signal of the job to all of its
 * processes and leaves the whole grace to each of them, whatever becomes of the first. Only the sleeps of the script above,
 * this shell and what visitors started are not waited for. It ends what is left itself: the cluster leaves the pod more time
 * where outputs are taken.
 */
export function stopScript(signal: string, graceSeconds: number): string {
  return `: > ${stoppingPath}
s=${signalName(signal)} g=${graceSeconds}
[ ! -f ${orderPath} ] || read -r s g < ${orderPath}
say() { printf '\\036tess say %s\\n' "$1" > /proc/1/fd/1; }
say "told to stop: SIG$s"
end=$(($(date +%s) + g))
others() {
  for each in /proc/[0-9]*; do
    read -r pid name state parent rest < $each/stat 2>/dev/null || continue
    [ "$pid" = 1 ] || [ "$pid" = $$ ] || [ "$state" = Z ] || [ "$name$parent" = "(sleep)1" ] || tr '\\0' '\\n' < $each/environ 2>/dev/null | grep -q '^${entryVariable}=' || return 0
  done
  return 1
}
kill -"$s" -1
while others; do
  [ "$(date +%s)" -lt $end ] || { say "still there after the grace period: everything left of it is killed"; kill -KILL -1; break; }
  [ ! -f ${donePath} ] || echo ${doneMessage} > ${messagePath}
  sleep 0.1 || sleep 1
done
: > ${stoppedPath}`;
}

/** As `kill` takes it. */
export function signalName(signal: string): string {
  return signal.replace(/^SIG/, "");
}
