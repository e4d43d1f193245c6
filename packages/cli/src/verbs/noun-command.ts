import type { Command } from "commander";
import { examples } from "../help.ts";
import type { Filters, Noun } from "../nouns/noun.ts";
import type { Session } from "../session.ts";
import { runDescribe } from "./describe.ts";
import { addListFlags, addWatchFlag, type ListFlags, runList } from "./list.ts";

/** Adds `get` and `describe`, which every noun has. */
export function addNounVerbs<Item>(command: Command, noun: Noun<Item>, session: Session): void {
  addGet(command.command("get"), noun, session);
  const describe = command
    .command("describe")
    .summary(`show everything about one ${noun.name}`)
    .description(`Shows everything about one ${noun.name}.`)
    .argument(`<${noun.name}>`, "name or id");
  noun.addFilters?.(describe);
  addWatchFlag(describe);
  examples(describe, [`tess describe ${noun.name} NAME`, `tess describe ${noun.name} NAME -o json`]);
  describe.action((name: string, flags: Filters) => runDescribe(session, noun, name, flags));
}

/** Turns a command into the list of a noun. */
export function addGet<Item>(command: Command, noun: Noun<Item>, session: Session): Command {
  command
    .summary(`list ${noun.plural}, or show those named`)
    .description(`Lists ${noun.plural}, or shows those named.`)
    .argument(`[${noun.name}...]`, "names or ids; all unless given");
  noun.addFilters?.(command);
  addListFlags(command);
  if (noun.watch !== undefined) addWatchFlag(command);
  examples(command, noun.examples);
  return command.action((names: string[], flags: ListFlags & Filters) => runList(session, noun, names, flags));
}
