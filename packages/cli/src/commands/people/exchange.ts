import { resolve } from "node:path";
import type { BodyOf, ExchangePreview } from "@tessera/wire";
import type { Command } from "commander";
import { readTokenFile } from "../../config/resolve.ts";
import { usageFailure } from "../../failure.ts";
import { examples } from "../../help.ts";
import { exchange, ruleText } from "../../nouns/exchange.ts";
import { emitObject } from "../../output/emit.ts";
import { confirm } from "../../prompt.ts";
import type { Session } from "../../session.ts";
import { printable } from "../../terminal.ts";
import { addNounVerbs } from "../../verbs/noun-command.ts";

interface AddFlags {
  readonly issuer?: string;
  readonly audience?: string;
  readonly serviceAccount?: string;
  readonly claim?: string[];
  readonly scope?: string[];
  readonly account?: string;
  readonly tokenLife?: string;
  readonly reusable?: boolean;
  readonly jwksFile?: string;
}

const gather = (value: string, before: string[] = []) => [...before, value];

export function define(command: Command, session: Session): void {
  examples(
    command.description(
      "Shows and changes exchanges: which tokens that a CI system or a cluster gives its runs become short tokens of a\n" +
        "service account, so that a pipeline needs no lasting token. See docs/access.md.",
    ),
    [
      "tess exchange get",
      "tess exchange add github --issuer https://token.actions.githubusercontent.com --audience tessera --service-account ci --claim repository=acme/widget --claim ref=refs/heads/main",
    ],
  );
  addNounVerbs(command, exchange, session);
  addAdd(command, session);
  addPreview(command, session);
  const remove = command
    .command("remove")
    .summary("remove an exchange, and end the tokens that it made")
    .description("Removes an exchange. Tokens that it made end at once.")
    .argument("<exchange>", "name");
  examples(remove, ["tess exchange remove github", "tess exchange remove github --yes"]);
  remove.action(async (name: string) => {
    await confirm(session, `Remove ${name}, and end the tokens that it made?`);
    await (await session.api()).call("removeExchange", { at: { exchange: name } });
    if (session.readable) await session.print(`${session.paint("bold", name)} removed\n`);
  });
}

function addAdd(command: Command, session: Session): void {
  const add = command
    .command("add")
    .summary("exchange tokens of an issuer, or change one")
    .description(
      "Adds an exchange, or changes what is given of one. The server asks the issuer first; where that fails, nothing\n" +
        "changes. Claims are given all at once, and all must hold: * stands for characters other than / and :, ** for\n" +
        "any. Tokens that it made before end.",
    )
    .argument("<name>", "such as github")
    .option("--issuer <url>", "as its tokens name it")
    .option("--audience <word>", "the tokens must be made for it")
    .option("--service-account <name>", "whose tokens are given")
    .option("--claim <name=value>", "what a token must say; again for more", gather)
    .option("--scope <action...>", "limit the tokens to these actions, such as job.submit")
    .option("--account <account>", "limit the tokens to this account and below; default: that of the service account")
    .option("--token-life <duration>", "how long the tokens live; 1m to 1h (default: 15m)")
    .option("--reusable", "the same token may be exchanged again: clusters keep theirs for an hour")
    .option("--no-reusable", "each token is exchanged once")
    .option("--jwks-file <file>", "file with the issuer's public keys, where the server cannot ask it");
  examples(add, [
    "tess exchange add github --claim repository=acme/widget --claim 'ref=refs/heads/release-*'",
    "tess exchange add cluster --issuer https://kubernetes.default.svc --audience tessera --service-account ci --claim sub=system:serviceaccount:ml:trainer --jwks-file keys.json --reusable",
  ]);
  add.action(async (name: string, flags: AddFlags) => {
    const { claim, scope, jwksFile, ...rest } = flags;
    const body: BodyOf<"putExchange"> = {
      ...rest,
      ...(claim !== undefined && { rules: claim.map(ruleOf) }),
      ...(scope !== undefined && { scopes: scope.flatMap((text) => text.split(",")) }),
      ...(jwksFile !== undefined && { jwks: readTokenFile(resolve(session.terminal.cwd, jwksFile)) }),
    };
    const made = await (await session.api()).call("putExchange", { at: { exchange: name }, body });
    await emitObject(session, made, name, ({ rules, serviceAccount, account, tokenLife, issuer }) => {
      const claims = rules.map(ruleText).join(", ");
      const text = `exchanges tokens of ${issuer} with ${claims} for tokens of ${serviceAccount} at ${account}, ${tokenLife} long`;
      return `${session.paint("bold", name)} ${printable(text)}\n`;
    });
  });
}

function addPreview(command: Command, session: Session): void {
  const preview = command
    .command("preview")
    .summary("show whether a token would be exchanged, and why not")
    .description("Shows whether a token would be exchanged, claim by claim. It is not used up.")
    .argument("<exchange>", "name")
    .requiredOption("--jwt-file <file>", "file with a token of the issuer");
  examples(preview, ["tess exchange preview github --jwt-file run.jwt"]);
  preview.action(async (name: string, { jwtFile }: { jwtFile: string }) => {
    const body = { token: readTokenFile(resolve(session.terminal.cwd, jwtFile)) };
    const found = await (await session.api()).call("previewExchange", { at: { exchange: name }, body });
    await emitObject(session, found, name, previewText);
  });
}

/** `repository=acme/widget`: the first = divides, since values may hold it. */
function ruleOf(text: string) {
  const at = text.indexOf("=");
  if (at < 1 || at === text.length - 1)
    throw usageFailure(`${printable(text)} is not a claim`, "write NAME=VALUE, such as repository=acme/widget");
  return { claim: text.slice(0, at), value: text.slice(at + 1) };
}

function previewText({ taken, why, rules }: ExchangePreview): string {
  const lines = rules.map(({ met, found, ...rule }) => {
    const says = met ? "holds" : found === undefined ? "is not known" : `does not hold: the token says ${found}`;
    return `  ${ruleText(rule)} ${printable(says)}`;
  });
  return `${taken ? "It would be exchanged" : `It would not be exchanged: ${printable(why ?? "")}`}\n${lines.join("\n")}\n`;
}
