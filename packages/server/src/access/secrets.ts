import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { type Account, type AccountNo, pathUp, type ReadonlyState } from "@tessera/core";
import type { StoreReader } from "../store/port.ts";
import { soundPrivates } from "./private-rows.ts";

const version = 1;
const headBytes = 1 + 12 + 16;

/** The key of a secret's private row. The account's id, not its path: a path can be given to someone else later. */
export function secretKey(account: Account, name: string): string {
  return `${account.id}/${name}`;
}

/** AES-256-GCM, bound to its row: a value that was moved to another account or name does not open. */
export function encryptSecret(secretsKey: Buffer, rowKey: string, value: string): Uint8Array {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", secretsKey, nonce).setAAD(Buffer.from(rowKey));
  const text = Buffer.concat([cipher.update(value, "utf8"), cipher.final()]);
  return Buffer.concat([Buffer.from([version]), nonce, cipher.getAuthTag(), text]);
}

export function decryptSecret(secretsKey: Buffer, rowKey: string, sealed: Uint8Array): string {
  const bytes = Buffer.from(sealed);
  if (bytes[0] !== version || bytes.length < headBytes) throw new Error(`secret ${rowKey} has an unknown form`);
  const decipher = createDecipheriv("aes-256-gcm", secretsKey, bytes.subarray(1, 13), { authTagLength: 16 });
  decipher.setAAD(Buffer.from(rowKey)).setAuthTag(bytes.subarray(13, headBytes));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(headBytes)), decipher.final()]).toString("utf8");
  } catch (cause) {
    throw new Error(`secret ${rowKey} cannot be decrypted: was the key file replaced?`, { cause });
  }
}

/** The rows of sealed secrets that this key does not open. */
export function unopenedSecrets(secretsKey: Buffer, sealed: ReadonlyMap<string, Uint8Array>): string[] {
  return [...sealed].flatMap(([rowKey, value]) => {
    try {
      decryptSecret(secretsKey, rowKey, value);
      return [];
    } catch {
      return [rowKey];
    }
  });
}

/** The nearest account, going up, that has a secret of this name. */
export function holderOfSecret(state: ReadonlyState, account: AccountNo, name: string): Account | undefined {
  for (const each of pathUp(state, account)) if (state.secrets.has(`${each.no}/${name}`)) return each;
  return undefined;
}

/** Sealed values of secrets by name, each with the row it is bound to. */
export type SealedSecrets = ReadonlyMap<string, { readonly row: string; readonly value: Uint8Array }>;

/** The named secrets for a job of this account, as they are kept. Throws when one is gone. */
export async function sealedSecretsFor(
  reader: Pick<StoreReader, "privates">,
  state: ReadonlyState,
  account: AccountNo,
  names: readonly string[],
): Promise<SealedSecrets> {
  const rowKeys = names.map((name) => {
    const holder = holderOfSecret(state, account, name);
    if (holder === undefined) throw new Error(`secret ${name} was deleted`);
    return secretKey(holder, name);
  });
  const rows =
    rowKeys.length === 0 ? new Map<string, Uint8Array>() : await soundPrivates(reader, state, "secret", rowKeys);
  return new Map(
    names.map((name, i) => {
      const row = rowKeys[i]!;
      const value = rows.get(row);
      if (value === undefined) throw new Error(`secret ${name} has no value`);
      return [name, { row, value }];
    }),
  );
}
