import type { Command } from "commander";
import { examples } from "../../help.ts";
import type { Session } from "../../session.ts";
import { leave } from "./suspend.ts";

export function define(command: Command, session: Session): void {
  command
    .description(
      "Tells running jobs to leave, with their grace to save, and puts them back into the queue at their old place.\n" +
        "You are asked first where a job has no checkpoint; -y skips that.",
    )
    .argument("<job...>", "names or ids");
  examples(command, ["tess requeue llama-ft"]);
  command.action((names: string[]) => leave(session, names, "requeueJob", "sent back to the queue"));
}
