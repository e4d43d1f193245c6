import type { Command } from "commander";
import { usageFailure } from "../../failure.ts";
import { examples } from "../../help.ts";
import { signedIn } from "../../nouns/signed-in.ts";
import { emitObject } from "../../output/emit.ts";
import { confirm } from "../../prompt.ts";
import type { Session } from "../../session.ts";
import { addNounVerbs } from "../../verbs/noun-command.ts";

export function define(command: Command, session: Session): void {
  examples(command.description("Lists, names and ends the browsers and terminals in which you are signed in."), [
    "tess session get",
    "tess session revoke --others",
  ]);
  addNounVerbs(command, signedIn, session);

  const name = command
    .command("name")
    .summary("give one a name; its device is then known")
    .description("Gives a session a name that only you see. A new device is no longer pointed out.")
    .argument("<session>", "its id, or what it is called now")
    .argument("[name]", "such as desk; without one it is only known from now on");
  examples(name, ["tess session name tok_7f3k2 desk"]);
  name.action(async (which: string, label: string | undefined) => {
    const { id } = await signedIn.load(session, which, {});
    const body = label === undefined ? {} : { label };
    const named = await (await session.api()).call("nameSession", { at: { session: id }, body });
    await emitObject(session, named, id, (each) => `${session.paint("bold", id)} is ${each.device}\n`);
  });

  const revoke = command
    .command("revoke")
    .summary("end sessions: they stop working at once")
    .description("Ends sessions: the browser is signed out, the terminal has to log in again.")
    .argument("[session...]", "ids, or what they are called")
    .option("--others", "all but this one");
  examples(revoke, ["tess session revoke tok_7f3k2", "tess session revoke --others"]);
  revoke.action((names: string[], flags: { readonly others?: true }) => end(session, names, flags.others === true));
}

async function end(session: Session, names: readonly string[], others: boolean): Promise<void> {
  if (others === names.length > 0)
    throw usageFailure("name the sessions to end, or say --others", "tess session get lists them");
  const api = await session.api();
  const found = others
    ? (await api.call("listSessions")).items.filter(({ here }) => !here)
    : await Promise.all(names.map((each) => signedIn.load(session, each, {})));
  if (found.length === 0) return session.note("There is no other session.");
  const [first] = found;
  await confirm(session, found.length === 1 ? `End the session on ${first!.device}?` : `End ${found.length} sessions?`);
  for (const { id, device } of found) {
    await api.call("revokeToken", { at: { token: id } });
    if (session.readable) await session.print(`${session.paint("bold", id)} (${device}) ended\n`);
  }
}
