import * as crypto from "node:crypto";
import { promisify } from "node:util";
import type { ReadonlyState } from "@tessera/core";

/** RFC 9106, second recommended choice: for where memory is not plentiful. */
const cost = { memory: 65_536, passes: 3, parallelism: 4 };
const saltBytes = 16;
const tagBytes = 32;
const pattern = /^\$argon2id\$v=19\$m=(\d{1,8}),t=(\d{1,4}),p=(\d{1,3})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

type Cost = typeof cost;

/**
 * Whether the owner turned passwords off. Without a provider they count all the same, since people would be locked out.
 * One that cannot be reached is a provider too: who can disturb it must not bring passwords back.
 */
export function arePasswordsOff({ policy, providers }: Pick<ReadonlyState, "policy" | "providers">): boolean {
  return policy.passwordsOff === true && providers.size > 0;
}

/** Argon2 came to Node with 24.7. */
export const passwordsWork = typeof crypto.argon2 === "function";

function argon2id(password: string, nonce: Buffer, { memory, passes, parallelism }: Cost, tagLength: number) {
  if (!passwordsWork) throw new Error("passwords need Node 24.7 or newer");
  const message = Buffer.from(password.normalize("NFKC"));
  return promisify(crypto.argon2)("argon2id", { message, nonce, memory, passes, parallelism, tagLength });
}

/** A hash in the usual text form, which carries its own parameters. */
export async function hashPassword(password: string): Promise<string> {
  const salt = crypto.randomBytes(saltBytes);
  const tag = await argon2id(password, salt, cost, tagBytes);
  const { memory, passes, parallelism } = cost;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(tag)}`;
}

function unpadded(bytes: Buffer): string {
  return bytes.toString("base64").replace(/=+$/, "");
}

export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const match = pattern.exec(hash);
  if (match === null) return false;
  const [memory, passes, parallelism] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const known = Buffer.from(match[5]!, "base64");
  const tag = await argon2id(password, Buffer.from(match[4]!, "base64"), { memory, passes, parallelism }, known.length);
  return crypto.timingSafeEqual(tag, known);
}
