import type { Account, AccountCreate } from "@tessera/wire";
import type { Command } from "commander";
import { usageFailure } from "../../failure.ts";
import { examples } from "../../help.ts";
import { account, overMaxText } from "../../nouns/account.ts";
import { emitObject } from "../../output/emit.ts";
import { confirm } from "../../prompt.ts";
import type { Session } from "../../session.ts";
import { addNounVerbs } from "../../verbs/noun-command.ts";
import { addTermFlags, addWindowFlags, type TermFlags, termsOf, type WindowFlags, windowOf } from "./account-terms.ts";
import { addTree } from "./account-tree.ts";

export function define(command: Command, session: Session): void {
  examples(command.description("Shows and changes the tree of accounts: guarantee, use and max of each."), [
    "tess account tree",
    "tess account edit lab/vision --guarantee 8",
  ]);
  addNounVerbs(command, account, session);
  addTree(command, session);

  const create = command
    .command("create")
    .summary("create an account")
    .description("Creates an account below one that you administer.")
    .argument("<account>", "path, such as lab/vision")
    .option("--idempotency-key <key>", "a repeated request with this key returns the same account");
  addTermFlags(create);
  examples(create, [
    "tess account create lab --guarantee 16 --max 32",
    "tess account create lab/vision --guarantee H100:4 --gpus-per-job 4",
  ]);
  create.action(async (path: string, flags: TermFlags & { idempotencyKey?: string }) => {
    const body = { path, ...termsOf(flags) } as AccountCreate;
    const key = flags.idempotencyKey;
    await show(
      session,
      await (await session.api()).call("createAccount", { body, ...(key !== undefined && { key }) }),
      "created",
    );
  });

  const edit = command
    .command("edit")
    .summary("change an account")
    .description("Changes the given fields only. Refused if another user changed the account in the meantime.")
    .argument("<account>", "path or id");
  addTermFlags(edit);
  addWindowFlags(edit);
  examples(edit, [
    "tess account edit lab/vision --guarantee 8",
    "tess account edit lab --max none --run-time 24h",
    "tess account edit lab --guarantee 16 --from 2026-12-01T08:00 --to 2026-12-05T18:00",
  ]);
  edit.action((path: string, flags: TermFlags & WindowFlags) => change(session, path, flags));

  const remove = command
    .command("delete")
    .summary("delete empty accounts")
    .description("Deletes accounts that have no accounts below them and no live jobs.")
    .argument("<account...>", "paths or ids");
  examples(remove, ["tess account delete lab/old"]);
  remove.action((paths: string[]) => removeAll(session, paths));
}

async function change(session: Session, path: string, flags: TermFlags & WindowFlags): Promise<void> {
  const api = await session.api();
  const before = await api.call("getAccount", { at: { account: path } });
  const window = windowOf(flags, session.now());
  const body = { ...termsOf(flags, before), ...(window !== undefined && { window }) };
  if (Object.keys(body).length === 0)
    throw usageFailure("nothing to change", "such as --guarantee 8; see tess account edit --help");
  const after = await api.call("editAccount", { at: { account: path }, body, ifMatch: before.revision });
  await show(session, after, "changed");
  const over = overMaxText(after);
  if (over !== "" && "max" in body)
    await session.note(
      `${after.path} has ${over}: its jobs keep these GPUs until they end, and nothing more starts before.\n` +
        `  tess ps -p ${after.path} lists them; tess cancel JOB ends one.`,
    );
}

async function removeAll(session: Session, paths: readonly string[]): Promise<void> {
  await confirm(session, `Remove ${paths.length === 1 ? `account ${paths[0]}` : `${paths.length} accounts`}?`);
  const api = await session.api();
  for (const path of paths) {
    const { revision } = await api.call("getAccount", { at: { account: path } });
    await api.call("deleteAccount", { at: { account: path }, ifMatch: revision });
    if (session.readable) await session.print(`${session.paint("bold", path)} removed\n`);
  }
}

async function show(session: Session, one: Account, done: string): Promise<void> {
  await emitObject(session, one, one.path, (each) => {
    const head = `${session.paint("bold", each.path)} ${done}\n`;
    const rest = account.describe?.(each, session.paint, session.now()) ?? "";
    return head + rest.slice(rest.indexOf("\n") + 1);
  });
}
