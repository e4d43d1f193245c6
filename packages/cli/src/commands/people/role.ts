import type { BodyOf } from "@tessera/wire";
import { roles } from "@tessera/wire/roles";
import type { Command } from "commander";
import { notFoundFailure, usageFailure } from "../../failure.ts";
import { examples } from "../../help.ts";
import { bindingText, role } from "../../nouns/access.ts";
import { emitObject } from "../../output/emit.ts";
import type { Session } from "../../session.ts";
import { addNounVerbs } from "../../verbs/noun-command.ts";
import { fetchPages } from "../../verbs/pages.ts";

interface BindFlags {
  readonly account?: string;
  readonly idempotencyKey?: string;
}

const rolesText = `${roles.slice(0, -1).join(", ")} or ${roles.at(-1)}`;

export function define(command: Command, session: Session): void {
  examples(command.description("Shows and changes which user has which role at which account."), [
    "tess role get --account lab",
    "tess role bind ana member lab/vision",
  ]);
  addNounVerbs(command, role, session);

  const bind = command
    .command("bind")
    .summary("give a role at an account and below")
    .description("Gives a role at an account and everything below; never one above your own.")
    .argument("<user>", "login name or id")
    .argument("<role>", rolesText)
    .argument("[account]", "where; / for the whole platform; default: your project")
    .option("--account <account>", "the same as the argument")
    .option("--idempotency-key <key>", "a repeated request with this key returns the same binding");
  examples(bind, ["tess role bind ana member lab/vision", "tess role bind rev auditor /"]);
  bind.action(async (user: string, name: string, account: string | undefined, flags: BindFlags) => {
    const where = await accountOf(session, account ?? flags.account);
    const body = { user, role: name, account: where } as BodyOf<"bindRole">;
    const key = flags.idempotencyKey;
    const binding = await (await session.api()).call("bindRole", { body, ...(key !== undefined && { key }) });
    await emitObject(
      session,
      binding,
      binding.id,
      (each) => `${session.paint("bold", each.userName || each.user)} is ${bindingText(each)}\n`,
    );
  });

  const unbind = command
    .command("unbind")
    .summary("remove a role")
    .description("Removes a role.")
    .argument("<user-or-id>", "user, or the id of the binding")
    .argument("[role]", rolesText)
    .argument("[account]", "where; / for the whole platform; default: your project")
    .option("--account <account>", "the same as the argument");
  examples(unbind, ["tess role unbind ana member lab/vision"]);
  unbind.action(async (user: string, name: string | undefined, account: string | undefined, flags: BindFlags) => {
    const id =
      name === undefined
        ? user
        : await bindingId(session, user, name, await accountOf(session, account ?? flags.account));
    await (await session.api()).call("unbindRole", { at: { binding: id } });
    if (session.readable) await session.print(`${session.paint("bold", id)} taken away\n`);
  });
}

async function accountOf(session: Session, given: string | undefined): Promise<string> {
  if (given === "/") return "";
  const where = given ?? (await session.settings()).project;
  if (where !== undefined) return where;
  throw usageFailure("the account is missing", "name it last, such as lab/vision; / is the whole platform");
}

async function bindingId(session: Session, user: string, name: string, account: string): Promise<string> {
  const query = { user, ...(account !== "" && { account }) };
  const { items } = await fetchPages(role, await session.api(), query, undefined);
  const found = items.find((each) => each.role === name && each.account === account);
  if (found !== undefined) return found.id;
  throw notFoundFailure(`${user} is not ${bindingText({ role: name, account })}`, "tess role get lists the bindings");
}
