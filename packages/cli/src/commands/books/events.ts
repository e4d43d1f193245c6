import type { Command } from "commander";
import { examples } from "../../help.ts";
import { event } from "../../nouns/history.ts";
import type { Filters } from "../../nouns/noun.ts";
import type { Session } from "../../session.ts";
import { addListFlags, addWatchFlag, type ListFlags, runList } from "../../verbs/list.ts";

export function define(command: Command, session: Session): void {
  command.description("Shows recent events of the jobs, nodes and accounts that you may see, newest first.");
  event.addFilters?.(command);
  addWatchFlag(addListFlags(command));
  examples(command, event.examples);
  command.action((flags: ListFlags & Filters) => runList(session, event, [], flags));
}
