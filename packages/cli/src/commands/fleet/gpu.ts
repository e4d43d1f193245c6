import type { Command } from "commander";
import { examples } from "../../help.ts";
import { gpu } from "../../nouns/node.ts";
import type { Session } from "../../session.ts";
import { addNounVerbs } from "../../verbs/noun-command.ts";

export function define(command: Command, session: Session): void {
  examples(command.description("Shows single GPUs. For how many are free, see tess gpus."), ["tess gpu get --node n0"]);
  addNounVerbs(command, gpu, session);
}
