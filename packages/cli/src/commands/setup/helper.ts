import type { Command } from "commander";
import { serverProgram } from "../../config/paths.ts";
import { examples } from "../../help.ts";
import type { Session } from "../../session.ts";
import { runProgram } from "../../spawn.ts";

export function define(command: Command): void {
  command
    .configureHelp({ showGlobalOptions: false })
    .description(
      "Runs the root helper of this machine, for a control plane that runs without privileges. All flags go to the helper;\n" +
        "its own list of them follows.",
    )
    .usage("[flags of the helper]");
  examples(command, ["tess helper --user tessera --data /var/lib/tessera"]);
}

/** Starts the helper with the arguments as they were typed. */
export function pass(args: readonly string[], session: Session): Promise<number> {
  return runProgram(serverProgram("helper"), args, session.terminal);
}
