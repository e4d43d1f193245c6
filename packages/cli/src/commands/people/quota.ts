import type { Command } from "commander";
import { examples } from "../../help.ts";
import { quota } from "../../nouns/account.ts";
import type { Session } from "../../session.ts";
import { addNounVerbs } from "../../verbs/noun-command.ts";
import { addTree } from "./account-tree.ts";

export function define(command: Command, session: Session): void {
  examples(command.description("Shows guarantee, use and max of accounts. To change them: tess account edit."), [
    "tess quota",
    "tess quota tree lab",
  ]);
  addNounVerbs(command, quota, session);
  addTree(command, session);
}
