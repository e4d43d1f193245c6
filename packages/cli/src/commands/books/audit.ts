import type { Command } from "commander";
import { examples } from "../../help.ts";
import { audit } from "../../nouns/history.ts";
import type { Filters } from "../../nouns/noun.ts";
import type { Session } from "../../session.ts";
import { addListFlags, addWatchFlag, type ListFlags, runList } from "../../verbs/list.ts";

export function define(command: Command, session: Session): void {
  command.description("Shows who did what, newest first. Every change leaves a record, even a refused one.");
  audit.addFilters?.(command);
  addWatchFlag(addListFlags(command));
  examples(command, audit.examples);
  command.action((flags: ListFlags & Filters) => runList(session, audit, [], flags));
}
