import type { Command } from "commander";
import { serverProgram } from "../../config/paths.ts";
import { examples } from "../../help.ts";
import type { Session } from "../../session.ts";
import { runProgram } from "../../spawn.ts";

export function define(command: Command): void {
  command
    .configureHelp({ showGlobalOptions: false })
    .description("Runs the control plane on this machine. All flags go to the server; its own list of them follows.")
    .usage("[flags of the server]");
  examples(command, ["tess server", "tess server --virtual 4x8:H100"]);
}

/** Starts the server with the arguments as they were typed. */
export function pass(args: readonly string[], session: Session): Promise<number> {
  return runProgram(serverProgram("main"), args, session.terminal);
}
