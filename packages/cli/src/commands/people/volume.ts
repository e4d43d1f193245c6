import { resolve } from "node:path";
import type { Command } from "commander";
import { usageFailure } from "../../failure.ts";
import { examples } from "../../help.ts";
import { secretAccount, volume } from "../../nouns/access.ts";
import { confirm } from "../../prompt.ts";
import type { Session } from "../../session.ts";
import { addNounVerbs } from "../../verbs/noun-command.ts";
import { defineGrants } from "./volume-grants.ts";

interface VolumeFlags {
  readonly account?: string;
  readonly path?: string;
  readonly readOnly?: boolean;
}

export function define(command: Command, session: Session): void {
  examples(
    command.description(
      "Lists, makes and deletes volumes: folders of the machines that jobs can mount, and says which jobs may.",
    ),
    ["tess volume get", "tess volume create data --path /srv/data --read-only --account lab"],
  );
  addNounVerbs(command, volume, session);
  const accountText = "the account that has it; default: your project";

  const create = command
    .command("create")
    .summary("make a folder of the machines a volume")
    .description(
      "Makes a folder of the machines a volume of an account. For the platform owner: it opens the folder to jobs.\n" +
        "Jobs mount it with mounts: {/data: vol:NAME}. File permissions apply: jobs run as a user of their tenant.",
    )
    .argument("<name>", "as jobs name it")
    .requiredOption("--path <folder>", "absolute path on the machines")
    .option("--read-only", "jobs cannot write there")
    .option("--account <account>", accountText);
  examples(create, ["tess volume create data --path /srv/data --read-only --account lab"]);
  create.action(async (name: string, flags: VolumeFlags) => {
    if (!flags.path!.startsWith("/"))
      throw usageFailure(
        `--path must be absolute, got "${flags.path}"`,
        `such as ${resolve(session.terminal.cwd, flags.path!)}`,
      );
    const account = await secretAccount(session, { account: flags.account });
    const body = { path: flags.path!, readOnly: flags.readOnly === true };
    await (await session.api()).call("putVolume", { at: { account, volume: name }, body });
    if (session.readable) await session.print(`${session.paint("bold", name)} is a volume of ${account}\n`);
  });

  defineGrants(command, session);

  const remove = command
    .command("delete")
    .summary("delete volumes")
    .description(
      "Deletes volumes. The folders and their files stay; jobs that wait for a volume cannot start any more.",
    )
    .argument("<name...>", "names")
    .option("--account <account>", accountText);
  examples(remove, ["tess volume delete data --account lab"]);
  remove.action(async (names: string[], flags: VolumeFlags) => {
    const account = await secretAccount(session, { account: flags.account });
    await confirm(session, `Delete ${names.join(", ")} of ${account}?`);
    const api = await session.api();
    for (const name of names) {
      await api.call("deleteVolume", { at: { account, volume: name } });
      if (session.readable) await session.print(`${session.paint("bold", name)} deleted\n`);
    }
  });
}
