import { quoted } from "@tessera/engine";
import type { ExecAsk } from "./exec-entry.ts";

/** In the environment of everything that an entry starts: its number. */
export const entryVariable = "TESS_ENTRY";

/** Scripts for the init to start; `inner` runs at the terminal, where there is one. */
export interface EntryScripts {
  readonly outer: string;
  readonly inner?: string;
}

/**
 * The command with its streams on the named pipes. The shell around it outlives signals that are sent to the whole job,
 * so that it can tell how the command ended; a handler does not pass on to the command, an ignored signal would.
 */
export function entryScripts({ command, terminal }: ExecAsk, number: number, door: string): EntryScripts {
  const pipes = `${door}/${number}.pipes`;
  const head = [
    `exec 3>${quoted(`${pipes}/status`)} || exit 1`,
    `exec <${quoted(`${pipes}/in`)} >${quoted(`${pipes}/out`)} 2>${quoted(`${pipes}/err`)} || exit 1`,
    "trap : HUP INT QUIT TERM USR1 USR2",
    `export ${entryVariable}=${number}`,
  ];
  if (terminal === undefined) {
    const outer = [...head, "echo open >&3", `/bin/sh -c ${quoted(command)} 3>&-`, 'echo "end $?" >&3', ""].join("\n");
    return { outer };
  }
  // `script` makes the terminal inside the job and copies it to our pipes. It takes the shell to run from SHELL.
  const outer = [
    ...head,
    'command -v script >/dev/null || { echo "fail a terminal needs the program script (util-linux), which is not on the PATH of the job" >&3; exit 1; }',
    "echo open >&3",
    `while read -r tty rows columns; do stty -F "$tty" rows "$rows" cols "$columns"; done <${quoted(`${pipes}/size`)} >/dev/null 2>&1 3>&- &`,
    `tess_shell=$SHELL TERM=${quoted(terminal.name)} SHELL=/bin/sh script -q -e -f -c ${quoted(`exec /bin/sh ${quoted(`${door}/${number}.inner`)}`)} /dev/null`,
    'echo "end $?" >&3',
    "",
  ].join("\n");
  const inner = [
    `stty sane rows ${terminal.rows} cols ${terminal.columns}`,
    'echo "tty $(tty)" >&3',
    "SHELL=$tess_shell; unset tess_shell",
    `exec /bin/sh -c ${quoted(command)} 3>&-`,
    "",
  ].join("\n");
  return { outer, inner };
}
