import type { Command } from "commander";
import { examples } from "../../help.ts";
import { job } from "../../nouns/job.ts";
import type { Session } from "../../session.ts";
import { addNounVerbs } from "../../verbs/noun-command.ts";

export function define(command: Command, session: Session): void {
  examples(command.description("Shows jobs. To act on them: run, cancel, hold, release, wait, logs, explain."), [
    "tess job get -A",
    "tess job describe llama-ft",
  ]);
  addNounVerbs(command, job, session);
}
