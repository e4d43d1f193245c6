import type { UserCreate, UserShape } from "@tessera/wire";
import type { Command } from "commander";
import { usageFailure } from "../../failure.ts";
import { examples } from "../../help.ts";
import { bindingText, user } from "../../nouns/access.ts";
import { emitObject } from "../../output/emit.ts";
import { askSecret, canAsk, confirm } from "../../prompt.ts";
import type { Session } from "../../session.ts";
import { printable } from "../../terminal.ts";
import { addNounVerbs } from "../../verbs/noun-command.ts";

interface CreateFlags {
  readonly email?: string;
  readonly role?: UserCreate["role"];
  readonly account?: string;
  readonly idempotencyKey?: string;
}

export function define(command: Command, session: Session): void {
  examples(command.description("Shows and changes users."), [
    "tess user get",
    "tess user create ana --role member --account lab/vision",
  ]);
  addNounVerbs(command, user, session);

  const create = command
    .command("create")
    .summary("create a user with a first role")
    .description("Creates a user with a first role at an account. A tenant admin creates users inside the tenant only.")
    .argument("<name>", "login name: lower case letters, digits, . _ -")
    .option("--email <address>", "address")
    .option("--role <role>", "first role: tenant-admin, team-admin, member, viewer, finance or auditor")
    .option("--account <account>", "where the role holds, and below")
    .option("--idempotency-key <key>", "a repeated request with this key returns the same user");
  examples(create, ["tess user create ana --email ana@example.org --role member --account lab/vision"]);
  create.action(async (name: string, { email, role, account, idempotencyKey: key }: CreateFlags) => {
    const where = account ?? (role === undefined ? undefined : (await session.settings()).project);
    const body = {
      name,
      ...(email !== undefined && { email }),
      ...(role !== undefined && { role }),
      ...(where !== undefined && { account: where }),
    };
    await show(
      session,
      await (await session.api()).call("createUser", { body, ...(key !== undefined && { key }) }),
      "created",
    );
  });

  const disable = named(command, "disable", "refuse a user from now on");
  examples(disable, ["tess user disable ana"]);
  disable.action(async (name: string) =>
    show(session, await (await session.api()).call("disableUser", { at: { user: name }, body: {} }), "disabled"),
  );

  const enable = named(command, "enable", "accept a user again");
  examples(enable, ["tess user enable ana"]);
  enable.action(async (name: string) =>
    show(session, await (await session.api()).call("enableUser", { at: { user: name }, body: {} }), "enabled"),
  );

  const erase = named(command, "erase", "disable a user and erase name, address and password for good");
  examples(erase, ["tess user erase ana"]);
  erase.action(async (name: string) => {
    await confirm(session, `Erase ${name} for good?`);
    await (await session.api()).call("eraseUser", { at: { user: name } });
    if (session.readable) await session.print(`${session.paint("bold", name)} erased\n`);
  });

  const passwd = named(command, "passwd", "set a password; asked for on a terminal, else read from standard input");
  examples(passwd, ["tess user passwd ana", "pass show tess | tess user passwd ana"]);
  passwd.action((name: string) => setPassword(session, name));
}

function named(command: Command, name: string, does: string): Command {
  return command
    .command(name)
    .summary(does)
    .description(`${does[0]?.toUpperCase()}${does.slice(1)}.`)
    .argument("<user>", "login name or id");
}

async function setPassword(session: Session, name: string): Promise<void> {
  const password = await askSecret(session, `New password for ${name}: `);
  if (canAsk(session) && (await askSecret(session, "Once more: ")) !== password)
    throw usageFailure("the two passwords differ");
  await (await session.api()).call("setPassword", { at: { user: name }, body: { password } });
  if (session.readable) await session.print(`Password of ${session.paint("bold", name)} set\n`);
}

async function show(session: Session, one: UserShape, done: string): Promise<void> {
  await emitObject(session, one, user.nameOf(one), ({ name, id, bindings }) => {
    const roles = bindings.length === 0 ? "" : `: ${bindings.map(bindingText).join(", ")}`;
    return `${session.paint("bold", printable(name))} (${id}) ${done}${printable(roles)}\n`;
  });
}
