import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { resolve } from "node:path";
import { readDuration } from "@tessera/wire/duration";
import type { Command } from "commander";
import { usageFailure } from "../../failure.ts";
import { examples } from "../../help.ts";
import { token } from "../../nouns/access.ts";
import { emitObject } from "../../output/emit.ts";
import { confirm } from "../../prompt.ts";
import type { Session } from "../../session.ts";
import { addNounVerbs } from "../../verbs/noun-command.ts";

interface CreateFlags {
  readonly label?: string;
  readonly user?: string;
  readonly scope?: string[];
  readonly account?: string;
  readonly network?: string[];
  readonly expiresIn?: string;
  readonly out?: string;
  readonly idempotencyKey?: string;
}

export function define(command: Command, session: Session): void {
  examples(command.description("Lists, creates and revokes tokens."), [
    "tess token get",
    "tess token create --label ci --expires-in 90d",
  ]);
  addNounVerbs(command, token, session);

  const create = command
    .command("create")
    .summary("create a token; it is shown once")
    .description("Creates a token and prints it on standard output. It cannot be shown again.")
    .option("--label <text>", "what it is for")
    .option("--user <user>", "for another user")
    .option("--scope <action...>", "limit it to these actions, such as job.read")
    .option("--account <account>", "limit it to this account and those below")
    .option("--network <cidr...>", "limit it to requests from these networks, such as 10.1.0.0/16")
    .option("--expires-in <duration>", "such as 90d; without it, never, or as the policy says")
    .option("--out <file>", "write it to this new file, which only you can read, instead of showing it")
    .option("--idempotency-key <key>", "a repeated request with this key creates no second token");
  examples(create, [
    "tess token create --label ci --scope job.submit job.read --expires-in 90d",
    "tess token create --label nightly --account lab/vision --network 10.1.0.0/16 --expires-in 30d",
    "tess token create --user ana --out ana.token",
    "tess token create -o json",
  ]);
  create.action((flags: CreateFlags) => makeToken(session, flags));

  const revoke = command
    .command("revoke")
    .summary("revoke tokens")
    .description("Revokes tokens: they stop working at once.")
    .argument("<token...>", "ids, as tess token get shows them");
  examples(revoke, ["tess token revoke tok_7f3k2"]);
  revoke.action(async (ids: string[]) => {
    await confirm(session, `Revoke ${ids.length === 1 ? `token ${ids[0]}` : `${ids.length} tokens`}?`);
    const api = await session.api();
    for (const id of ids) {
      await api.call("revokeToken", { at: { token: id } });
      if (session.readable) await session.print(`${session.paint("bold", id)} revoked\n`);
    }
  });
}

/** A new file for a token that only its owner can read. One that is there is never overwritten. */
class TokenFile {
  readonly #path: string;
  readonly #descriptor: number;

  constructor(path: string, shown: string) {
    this.#path = path;
    try {
      this.#descriptor = openSync(path, "wx", 0o600);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EEXIST") throw usageFailure(`${shown} is there already`, "name a new file, or remove that one");
      throw usageFailure(`${shown} cannot be written (${code})`, "name a file in a folder that you may write to");
    }
  }

  write(token: string): void {
    writeSync(this.#descriptor, `${token}\n`);
    closeSync(this.#descriptor);
  }

  remove(): void {
    closeSync(this.#descriptor);
    rmSync(this.#path, { force: true });
  }
}

async function makeToken(
  session: Session,
  { label, user, scope, account, network, expiresIn, out, idempotencyKey: key }: CreateFlags,
): Promise<void> {
  if (expiresIn !== undefined && readDuration(expiresIn) === undefined) {
    throw usageFailure(`--expires-in must be a duration, got "${expiresIn}"`, "such as 90d");
  }
  const scopes = scope?.flatMap((text) => text.split(","));
  const networks = network?.flatMap((text) => text.split(","));
  const body = {
    ...(label !== undefined && { label }),
    ...(user !== undefined && { user }),
    ...(scopes !== undefined && { scopes }),
    ...(account !== undefined && { account }),
    ...(networks !== undefined && { networks }),
    ...(expiresIn !== undefined && { expiresIn }),
  };
  const api = await session.api();
  // Opened first: a token that cannot be written down would be lost.
  const file = out === undefined ? undefined : new TokenFile(resolve(session.terminal.cwd, out), out);
  const asked = api.call("createToken", { body, ...(key !== undefined && { key }) });
  const created = await asked.catch((error) => {
    file?.remove();
    throw error;
  });
  if (file !== undefined) {
    file.write(created.token);
    return emitObject(
      session,
      { ...created, token: undefined, file: out },
      created.id,
      () => `Token ${created.id} is in ${out}\n`,
    );
  }
  if (session.readable) await session.note(`Token ${created.id}, shown once:`);
  await emitObject(session, created, created.id, (each) => `${each.token}\n`);
}
