import type { Command } from "commander";
import { examples } from "../../help.ts";
import { job } from "../../nouns/job.ts";
import type { Session } from "../../session.ts";
import { addNounVerbs } from "../../verbs/noun-command.ts";
import { define as defineEdit } from "./edit.ts";

export function define(command: Command, session: Session): void {
  examples(
    command.description("Shows jobs. To act on them: run, cancel, hold, release, wait, logs, explain, edit, rerun."),
    ["tess job get -A", "tess job describe llama-ft"],
  );
  addNounVerbs(command, job, session);
  defineEdit(command.command("edit").summary("change what a waiting job asks for"), session);
}
