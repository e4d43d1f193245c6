import type { Command } from "commander";
import { examples } from "../../help.ts";
import type { Session } from "../../session.ts";
import { change } from "./hold.ts";

export function define(command: Command, session: Session): void {
  command.description("Lets held jobs start.").argument("<job...>", "names or ids");
  examples(command, ["tess release llama-ft"]);
  command.action((names: string[]) => change(session, names, "releaseJob", "released"));
}
