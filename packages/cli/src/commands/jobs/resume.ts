import type { Command } from "commander";
import { examples } from "../../help.ts";
import type { Session } from "../../session.ts";
import { change } from "./hold.ts";

export function define(command: Command, session: Session): void {
  command
    .description("Lets suspended jobs compete again; they start where they saved.")
    .argument("<job...>", "names or ids");
  examples(command, ["tess resume llama-ft"]);
  command.action((names: string[]) => change(session, names, "releaseJob", "resumed"));
}
