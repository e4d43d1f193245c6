import type { UserCreate, UserShape } from "@tessera/wire";
import type { Command } from "commander";
import { usageFailure } from "../../failure.ts";
import { examples } from "../../help.ts";
import { bindingText, serviceAccount } from "../../nouns/access.ts";
import { emitObject } from "../../output/emit.ts";
import { confirm } from "../../prompt.ts";
import type { Session } from "../../session.ts";
import { printable } from "../../terminal.ts";
import { addNounVerbs } from "../../verbs/noun-command.ts";

interface CreateFlags {
  readonly account?: string;
  readonly role?: UserCreate["role"];
  readonly idempotencyKey?: string;
}

export function define(command: Command, session: Session): void {
  examples(
    command.description(
      "Shows and changes service accounts: users for programs. They belong to an account, have roles and own jobs, and\n" +
        "cannot sign in. Their tokens are made by tess token create, or by exchange: tess exchange --help.",
    ),
    ["tess service-account get", "tess service-account create ci --account lab --role member"],
  );
  addNounVerbs(command, serviceAccount, session);

  const create = command
    .command("create")
    .summary("create a service account")
    .description("Creates a service account of an account, with a first role there.")
    .argument("<name>", "lower case letters, digits, . _ -")
    .option("--account <account>", "the account that it belongs to; default: your project")
    .option("--role <role>", "its role there, such as member")
    .option("--idempotency-key <key>", "a repeated request with this key returns the same one");
  examples(create, ["tess service-account create ci --account lab/vision --role member"]);
  create.action(async (name: string, { account, role, idempotencyKey: key }: CreateFlags) => {
    const home = account ?? (await session.settings()).project;
    if (home === undefined) throw usageFailure("the account is missing", "name it with --account lab/vision");
    const body = { name, service: true as const, account: home, ...(role !== undefined && { role }) };
    const made = await (await session.api()).call("createUser", { body, ...(key !== undefined && { key }) });
    await show(session, made, "created");
  });

  const verbs = { disable: "refuse its tokens from now on", enable: "accept its tokens again" } as const;
  for (const verb of ["disable", "enable"] as const) {
    const change = named(command, verb, verbs[verb]);
    examples(change, [`tess service-account ${verb} ci`]);
    change.action(async (name: string) => {
      const at = { user: (await found(session, name)).id };
      const api = await session.api();
      const done = await api.call(verb === "disable" ? "disableUser" : "enableUser", { at, body: {} });
      await show(session, done, `${verb}d`);
    });
  }

  const erase = named(command, "erase", "disable it and erase its name for good");
  examples(erase, ["tess service-account erase ci"]);
  erase.action(async (name: string) => {
    const { id } = await found(session, name);
    await confirm(session, `Erase ${name} for good?`);
    await (await session.api()).call("eraseUser", { at: { user: id } });
    if (session.readable) await session.print(`${session.paint("bold", name)} erased\n`);
  });
}

function named(command: Command, name: string, does: string): Command {
  return command
    .command(name)
    .summary(does)
    .description(`${does[0]?.toUpperCase()}${does.slice(1)}.`)
    .argument("<service-account>", "name or id");
}

/** A person of this name is not meant: a slip must not lock a person out. */
async function found(session: Session, name: string): Promise<UserShape> {
  return serviceAccount.load(session, name, {});
}

async function show(session: Session, one: UserShape, done: string): Promise<void> {
  await emitObject(session, one, serviceAccount.nameOf(one), ({ name, id, service, bindings }) => {
    const roles = bindings.length === 0 ? "no role yet" : bindings.map(bindingText).join(", ");
    const text = `(${id}) of ${service} ${done}: ${roles}`;
    return `${session.paint("bold", printable(name))} ${printable(text)}\n`;
  });
}
