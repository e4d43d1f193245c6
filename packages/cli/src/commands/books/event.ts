import type { Command } from "commander";
import { examples } from "../../help.ts";
import { event } from "../../nouns/history.ts";
import type { Session } from "../../session.ts";
import { addNounVerbs } from "../../verbs/noun-command.ts";

export function define(command: Command, session: Session): void {
  examples(command.description("Shows recent events; tess events is the short form."), [
    "tess event get --job llama-ft",
  ]);
  addNounVerbs(command, event, session);
}
