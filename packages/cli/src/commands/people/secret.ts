import type { Command } from "commander";
import { usageFailure } from "../../failure.ts";
import { examples } from "../../help.ts";
import { secret, secretAccount } from "../../nouns/access.ts";
import { askSecret } from "../../prompt.ts";
import { readText } from "../../read/text.ts";
import type { Session } from "../../session.ts";
import { addNounVerbs } from "../../verbs/noun-command.ts";

interface SetFlags {
  readonly account?: string;
  readonly fromFile?: string;
}

export function define(command: Command, session: Session): void {
  examples(command.description("Lists, sets and deletes secrets of an account. Values are never shown again."), [
    "tess secret get --account lab/vision",
    "pass show hf | tess secret set HF_TOKEN",
  ]);
  addNounVerbs(command, secret, session);
  const accountText = "the account that holds it; default: your project";

  const set = command
    .command("set")
    .summary("set a secret for jobs of an account and below")
    .description(
      "Sets a secret. The value is asked for on a terminal, else read from standard input or a file, never from the command line.",
    )
    .argument("<name>", "as it will be called in the job's environment")
    .option("--account <account>", accountText)
    .option("--from-file <file>", "read the value from a file, as it is");
  examples(set, [
    "tess secret set HF_TOKEN --account lab/vision",
    "pass show hf | tess secret set HF_TOKEN",
    "tess secret set KEY --from-file id_ed25519",
  ]);
  set.action((name: string, flags: SetFlags) => setSecret(session, name, flags));

  const remove = command
    .command("delete")
    .summary("remove secrets")
    .description("Removes secrets.")
    .argument("<name...>", "names")
    .option("--account <account>", accountText);
  examples(remove, ["tess secret delete HF_TOKEN --account lab/vision"]);
  remove.action(async (names: string[], flags: SetFlags) => {
    const account = await secretAccount(session, { account: flags.account });
    const api = await session.api();
    for (const name of names) {
      await api.call("deleteSecret", { at: { account, secret: name } });
      if (session.readable) await session.print(`${session.paint("bold", name)} removed from ${account}\n`);
    }
  });
}

async function setSecret(session: Session, name: string, flags: SetFlags): Promise<void> {
  const account = await secretAccount(session, { account: flags.account });
  const value =
    flags.fromFile === undefined
      ? await askSecret(session, `Value of ${name}: `)
      : await readText(session, flags.fromFile);
  if (value === "") throw usageFailure("the value is empty", "to remove a secret: tess secret delete");
  await (await session.api()).call("putSecret", { at: { account, secret: name }, body: { value } });
  if (session.readable) await session.print(`${session.paint("bold", name)} set for ${account}\n`);
}
