import { type Commands, type InsideCommands, shellCommands, shellInside } from "@tessera/engine/suite";

/** The logs of a pod hold both of its streams; a shell that loses a child to a signal says so on the second. */
export const busyboxCommands: Commands = {
  ...shellCommands,
  saveInChild: (text) => `exec 2>/dev/null; ${shellCommands.saveInChild(text)}`,
};

/** An image of the lab has no more than a shell and its tools. */
export const busyboxInside: InsideCommands = {
  ...shellInside,
  echoOn: (port) => `(sleep 1; echo listens) & while :; do nc -l -p ${port} -e cat; done`,
};
