import type { Command } from "commander";
import { pageOf } from "../../browser/ask.ts";
import { showInBrowser } from "../../browser/show.ts";
import { examples } from "../../help.ts";
import { factor } from "../../nouns/signed-in.ts";
import { emitObject } from "../../output/emit.ts";
import { confirm } from "../../prompt.ts";
import type { Session } from "../../session.ts";
import { addNounVerbs } from "../../verbs/noun-command.ts";

export function define(command: Command, session: Session): void {
  examples(command.description("Lists and removes your second factors. One is added in a browser."), [
    "tess factor get",
    "tess factor add",
  ]);
  addNounVerbs(command, factor, session);

  const add = command
    .command("add")
    .summary("open the page on which one is added")
    .description("Opens the page of the console on which a passkey or an authenticator app is added.");
  examples(add, ["tess factor add"]);
  add.action(async () => {
    const url = pageOf(await session.api(), "/people/me");
    const shown = await showInBrowser(session, url);
    await session.print(`${shown ? "Opened" : "Open"} ${url}\n`);
  });

  const remove = command
    .command("remove")
    .summary("remove a second factor; another one has to be shown for it, or itself")
    .description("Removes a second factor. With the last one the recovery codes go too.")
    .argument("<factor>", "its id or label");
  examples(remove, ["tess factor remove phone"]);
  remove.action(async (name: string) => {
    const { id, label } = await factor.load(session, name, {});
    await confirm(session, `Remove the factor ${label || id}?`);
    await (await session.api()).call("removeFactor", { at: { factor: id } });
    if (session.readable) await session.print(`${session.paint("bold", label || id)} removed\n`);
  });

  const codes = command
    .command("codes")
    .summary("make new recovery codes; those of before are good no longer")
    .description("Makes ten new recovery codes and shows them once.");
  examples(codes, ["tess factor codes"]);
  codes.action(async () => {
    const made = await (await session.api()).call("renewRecovery");
    await emitObject(session, made, "recovery", (each) => `${each.codes.join("\n")}\n`);
  });
}
