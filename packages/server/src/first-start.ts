import { randomBytes } from "node:crypto";
import {
  chmodSync,
  closeSync,
  existsSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import {
  type AccountId,
  type Command,
  isRefusal,
  plainTerms,
  type TokenId,
  type UserId,
  usualHandover,
  usualLostWorkMsMax,
} from "@tessera/core";
import { personRow } from "./access/people.ts";
import { mintToken, tokenHash } from "./access/tokens.ts";
import type { ControlPlane } from "./flow/control.ts";
import type { PrivateWrite } from "./store/port.ts";

/** Where jobs go on a machine that has no other accounts yet. */
const firstAccount = "local";

/**
 * What a new installation needs before anyone can do anything: an account, a platform owner, and a token for the CLI
 * of this machine. Each step looks whether it has been done, so a crash in between is mended by the next start.
 * Returns the token's file, and whether it was made just now.
 */
export async function prepareFirstStart(control: ControlPlane, tokenFile: string): Promise<{ made: boolean }> {
  const { state } = control;
  const ask = async (command: Command, privates: readonly PrivateWrite[] = []): Promise<void> => {
    const answer = await control.ask(command, { actor: { user: "system" }, request: "first-start" }, privates);
    if (!isRefusal(answer)) return;
    if (answer.refused !== "no-space") throw new Error(`first start: ${command.kind}: ${answer.detail}`);
    throw new Error(
      `the disk of ${dirname(tokenFile)} has less free space than --free-space-min asks for (256 MB where it is not ` +
        "given): free some space, name another folder with --data, or give a smaller --free-space-min",
    );
  };
  const id = () => randomBytes(8).toString("hex");
  const owners = [...state.users.values()].filter((user) =>
    user.bindings.some((each) => each.role === "platform-owner"),
  );
  if (owners.length > 0 && state.tokens.size > 0) return { made: false };
  if (state.accounts.length === 1) {
    const policy = { ...state.policy, ...usualHandover, lostWorkMsMax: usualLostWorkMsMax };
    await ask({ kind: "policy.set", policy });
    await ask({ kind: "account.create", id: `acc_${id()}` as AccountId, path: firstAccount, terms: plainTerms });
  }
  let owner = owners[0]?.id;
  if (owner === undefined) {
    owner = `usr_${id()}` as UserId;
    const first = { role: "platform-owner", account: "" } as const;
    await ask({ kind: "user.create", user: owner, first }, [personRow(owner, { name: "owner" })]);
  }
  if (state.accountByPath.has(firstAccount)) {
    await ask({ kind: "role.bind", user: owner, role: "member", account: firstAccount });
  }
  // The file first: a token that was committed but never written down could not be had again.
  if (!existsSync(tokenFile)) writePrivately(tokenFile, `${mintToken().token}\n`);
  const token = readFileSync(tokenFile, "utf8").trim();
  await ask({
    kind: "token.create",
    id: `tok_${id()}` as TokenId,
    user: owner,
    prefix: token.slice(0, 11),
    hash: tokenHash(token),
    label: "this machine",
    scopes: [],
    expiresAt: 0,
  });
  return { made: true };
}

/** Writes the file whole or not at all, readable only by its owner. */
export function writePrivately(path: string, text: string): void {
  const draft = `${path}.new`;
  try {
    writeFileSync(draft, text, { mode: 0o600, flush: true });
  } catch (error) {
    rmSync(draft, { force: true });
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC" || !existsSync(path)) throw error;
    writeInPlace(path, text);
    return;
  }
  chmodSync(draft, 0o600);
  renameSync(draft, path);
}

/** On a full disk a small file can still be written over where it is. */
function writeInPlace(path: string, text: string): void {
  const file = openSync(path, "r+");
  try {
    writeSync(file, text, 0);
    ftruncateSync(file, Buffer.byteLength(text));
  } finally {
    closeSync(file);
  }
}
