import type { Commands, InsideCommands } from "./harness.ts";

/** The words of an engine whose members run in the shell of a machine. */
export const shellCommands: Commands = {
  succeed: "true",
  exitWith: (code) => `exit ${code}`,
  runForever: "exec sleep 1000",
  beDone: 'touch "$TESS_DONE"',
  ignoreTerm: "trap '' TERM; while :; do sleep 0.1; done",
  saveInChild: (text) =>
    `sh -c 'trap "sleep 0.5; echo ${text}; exit 0" TERM; while :; do sleep 0.05; done' 2>/dev/null; echo not reached`,
  sleepMs: (ms) => `sleep ${ms / 1000}`,
  print: (text) => `echo ${text}`,
  printVariable: (name) => `echo "$${name}"`,
};

export const shellInside: InsideCommands = {
  copyInput: "cat",
  printErrors: (text) => `echo ${text} >&2`,
  printJob: "echo $TESS_JOB_ID",
  printSize: "stty size",
  echoOn: (port) => `exec python3 -uc '${echoServer}' ${port}`,
};

/** One connection after the other; each is answered with all that it sent, once that has ended. */
const echoServer = `
import socket, sys
s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(("127.0.0.1", int(sys.argv[1]))); s.listen(); print("listens")
while True:
    c, _ = s.accept(); got = b""
    while True:
        part = c.recv(65536)
        if not part: break
        got += part
    c.sendall(got); c.close()
`;
