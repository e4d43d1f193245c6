import { resolve } from "node:path";
import type { BodyOf, ProviderPreview } from "@tessera/wire";
import type { Command } from "commander";
import { readTokenFile } from "../../config/resolve.ts";
import { usageFailure } from "../../failure.ts";
import { examples } from "../../help.ts";
import { provider } from "../../nouns/provider.ts";
import { emitObject } from "../../output/emit.ts";
import { confirm } from "../../prompt.ts";
import type { Session } from "../../session.ts";
import { printable } from "../../terminal.ts";
import { addNounVerbs } from "../../verbs/noun-command.ts";

type Rule = NonNullable<BodyOf<"putProvider">["rules"]>[number];

interface AddFlags {
  readonly issuer?: string;
  readonly clientId?: string;
  readonly clientSecretFile?: string;
  readonly label?: string;
  readonly scope?: string[];
  readonly groupsClaim?: string;
  readonly rule?: string[];
  readonly acr?: string[];
  readonly scimClaim?: string;
}

const gather = (value: string, before: string[] = []) => [...before, value];

export function define(command: Command, session: Session): void {
  examples(
    command.description(
      "Shows and changes providers of OpenID Connect with which people sign in: users are made at the first sign-in, and\n" +
        "rules give roles to groups. See docs/access.md.",
    ),
    ["tess provider get", "tess provider add corp --issuer https://id.example.org --client-id tessera"],
  );
  addNounVerbs(command, provider, session);
  addAdd(command, session);
  addPreview(command, session);
  addLink(command, session);
  addScim(command, session);
  addRemove(command, session);
}

function addAdd(command: Command, session: Session): void {
  const add = command
    .command("add")
    .summary("let people sign in with a provider, or change one")
    .description(
      "Adds a provider, or changes what is given of one. The server asks it first; where that fails, nothing changes.\n" +
        "Rules are given all at once. A role that no rule gives any more goes at once; what a rule newly gives comes at\n" +
        "the next sign-in. Roles given by hand are never touched.",
    )
    .argument("<name>", "in its addresses, such as corp")
    .option("--issuer <url>", "as the provider names itself")
    .option("--client-id <id>", "the client that is registered there for this server")
    .option("--client-secret-file <file>", "file with the client's secret; the server seals it")
    .option("--label <text>", "on the button of the sign-in page")
    .option("--scope <scope>", "asked for beside openid; again for more (default: profile, email)", gather)
    .option("--groups-claim <claim>", "the claim that lists groups (default: groups)")
    .option("--rule <group=role@account>", "members of the group have the role; again for more", gather)
    .option("--acr <value>", "value of acr or amr that counts as a second factor; again for more", gather)
    .option("--scim-claim <claim>", "claim that holds what SCIM calls externalId (default: sub; with Entra ID oid)");
  examples(add, [
    "tess provider add corp --issuer https://id.example.org --client-id tessera --client-secret-file secret",
    "tess provider add corp --rule ml=member@lab --rule gpu-admins=platform-owner",
  ]);
  add.action(async (name: string, flags: AddFlags) => {
    const { clientSecretFile: file, scope: scopes, rule, acr, ...rest } = flags;
    const body: BodyOf<"putProvider"> = {
      ...rest,
      ...(file !== undefined && { clientSecret: readTokenFile(resolve(session.terminal.cwd, file)) }),
      ...(scopes !== undefined && { scopes }),
      ...(rule !== undefined && { rules: rule.map(ruleOf) }),
      ...(acr !== undefined && { acr }),
    };
    const made = await (await session.api()).call("putProvider", { at: { provider: name }, body });
    await emitObject(session, made, name, ({ label, redirectPath, logoutPath }) => {
      const lines = [
        `${session.paint("bold", name)} is on the sign-in page: Sign in with ${printable(label)}`,
        `  register there, after the server's address: redirect URI ${redirectPath}`,
        `                                              back-channel logout URI ${logoutPath}`,
      ];
      return `${lines.join("\n")}\n`;
    });
  });
}

function addPreview(command: Command, session: Session): void {
  const preview = command
    .command("preview")
    .summary("show what rules would give and take; nothing changes")
    .description("Shows whose roles would change by these rules, or what someone in some groups would have.")
    .argument("<provider>", "name")
    .option("--rule <group=role@account>", "instead of the rules that are there; again for more", gather)
    .option("--group <group>", "what someone in this group would have; again for more", gather);
  examples(preview, [
    "tess provider preview corp --rule ml=viewer@lab",
    "tess provider preview corp --group ml --group staff",
  ]);
  preview.action(async (name: string, { rule, group }: { rule?: string[]; group?: string[] }) => {
    const body = {
      ...(rule !== undefined && { rules: rule.map(ruleOf) }),
      ...(group !== undefined && { groups: group }),
    };
    const found = await (await session.api()).call("previewProvider", { at: { provider: name }, body });
    await emitObject(session, found, name, previewText);
  });
}

function addLink(command: Command, session: Session): void {
  const link = command
    .command("link")
    .summary("let a person of the provider sign in as a user that exists already")
    .description("Says which user a person of the provider is. Without it a user is made at the first sign-in.")
    .argument("<provider>", "name")
    .argument("<user>", "name or id")
    .argument("<subject>", "what the provider calls the person: the claim sub, or externalId where it came by SCIM");
  examples(link, ["tess provider link corp ana 248289761001"]);
  link.action(async (name: string, user: string, subject: string) => {
    await (await session.api()).call("linkIdentity", { at: { provider: name }, body: { user, subject } });
    if (session.readable) await session.print(`${printable(subject)} of ${name} signs in as ${printable(user)}\n`);
  });
}

function addScim(command: Command, session: Session): void {
  const scim = command
    .command("scim")
    .summary("let the identity system of a provider tell of its users and groups (SCIM 2.0)")
    .description(
      "Makes a token with which the identity system of a provider makes, changes and deactivates users and groups here.\n" +
        "It works for SCIM alone, and is shown once. While there is one, only people that the system sent sign in for\n" +
        "the first time. There may be two, so that one can take the place of the other: tess provider get shows them.",
    )
    .argument("<provider>", "name")
    .option("--revoke <token>", "take this one back instead, by its id");
  examples(scim, ["tess provider scim corp", "tess provider scim corp --revoke tok_4b7q0s6w2m8x1z5c"]);
  scim.action(async (name: string, { revoke }: { revoke?: string }) => {
    const api = await session.api();
    if (revoke !== undefined) {
      await confirm(session, `Take ${revoke} back? The identity system of ${name} can no longer call with it.`);
      await api.call("revokeScimToken", { at: { provider: name, token: revoke } });
      if (session.readable) await session.print(`${printable(revoke)} revoked\n`);
      return;
    }
    const made = await api.call("createScimToken", { at: { provider: name } });
    await emitObject(session, made, made.id, ({ id, path, token }) => {
      const lines = [
        `${session.paint("bold", token)}`,
        `  ${id}; it is not shown again: give it to the identity system as its secret token (bearer)`,
        `  the address to give there: the server's address and ${path}`,
      ];
      return `${lines.join("\n")}\n`;
    });
  });
}

function addRemove(command: Command, session: Session): void {
  const remove = command
    .command("remove")
    .summary("remove a provider, the roles its rules gave and the sessions it opened")
    .description("Removes a provider, the roles that its rules gave and the sessions that it opened. Users stay.")
    .argument("<provider>", "name");
  examples(remove, ["tess provider remove corp", "tess provider remove corp --yes"]);
  remove.action(async (name: string) => {
    await confirm(session, `Remove ${name}, and end the sessions that it opened?`);
    await (await session.api()).call("removeProvider", { at: { provider: name } });
    if (session.readable) await session.print(`${session.paint("bold", name)} removed\n`);
  });
}

/** `ml=member@lab`: the last = and the first @ after it divide, since groups may hold both. */
function ruleOf(text: string): Rule {
  const [, group, role, account = ""] = /^(.+)=([a-z-]+)(?:@(.*))?$/.exec(text) ?? [];
  if (group === undefined || role === undefined)
    throw usageFailure(`${printable(text)} is not a rule`, "write GROUP=ROLE@ACCOUNT, such as ml=member@lab");
  return { group, role, account } as Rule;
}

function previewText({ given, users, more }: ProviderPreview): string {
  const named = (held: ProviderPreview["users"][number]["gains"], sign: string) =>
    held.map(({ role, account }) => `${sign}${role}${account === "" ? "" : `@${account}`}`);
  const lines = users.map(({ name, groups, gains, loses }) => {
    const change = [...named(gains, "+"), ...named(loses, "-")].join(" ");
    return printable(`${name}  ${change}  (groups: ${groups.join(", ") || "none"})`);
  });
  if (more > 0) lines.push(`and ${more} more users`);
  if (lines.length === 0) lines.push("No user's roles would change.");
  if (given !== undefined) lines.unshift(`Someone in these groups: ${named(given, "").join(", ") || "no role"}`);
  return `${lines.join("\n")}\n`;
}
