import type { Command } from "commander";
import { job } from "../../nouns/job.ts";
import type { Session } from "../../session.ts";
import { addGet } from "../../verbs/noun-command.ts";

export function define(command: Command, session: Session): void {
  addGet(
    command,
    { ...job, examples: ["tess ps", "tess ps -A --state waiting", "tess ps -a --user ana -o wide", "tess ps -w"] },
    session,
  );
  command.description("Lists jobs: those of your project that have not ended, unless the flags say otherwise.");
}
