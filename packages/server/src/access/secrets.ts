import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { type Account, type AccountId, type AccountNo, pathUp, type ReadonlyState, tenantOf } from "@tessera/core";
import type { StoreReader } from "../store/port.ts";
import { soundPrivates } from "./private-rows.ts";
import { MasterAway } from "./ring/master.ts";
import { type DataKey, platform, type Ring } from "./ring/ring.ts";

/** The first byte says how a secret was sealed: by the one key of earlier versions, or by a data key that it names. */
const form = { oneKey: 1, dataKey: 2 } as const;
const keyIdBytes = 8;
const nonceBytes = 12;
const tagBytes = 16;

/** The key of a secret's private row. The account's id, not its path: a path can be given to someone else later. */
export function secretKey(account: Account, name: string): string {
  return `${account.id}/${name}`;
}

/** AES-256-GCM under a data key, bound to its row: a value that was moved to another account or name does not open. */
export function sealSecret(key: DataKey, row: string, value: string): Uint8Array {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", key.for("secret"), nonce).setAAD(Buffer.from(row));
  const text = Buffer.concat([cipher.update(value, "utf8"), cipher.final()]);
  return Buffer.concat([Buffer.from([form.dataKey]), Buffer.from(key.id, "hex"), nonce, cipher.getAuthTag(), text]);
}

/** Which data key sealed a secret; undefined for the one key of earlier versions. */
export function keyOfSecret(sealed: Uint8Array): string | undefined {
  if (sealed[0] !== form.dataKey) return undefined;
  return Buffer.from(sealed.subarray(1, 1 + keyIdBytes)).toString("hex");
}

/** How a value shows that this key sealed it, as it is and in base64: 9 bytes make 12 letters. */
export function marksOf(id: string): readonly Buffer[] {
  const bytes = Buffer.from([form.dataKey, ...Buffer.from(id, "hex")]);
  return [bytes, Buffer.from(bytes.toString("base64")), Buffer.from(bytes.toString("base64url"))];
}

/** What opens secrets: data keys, and the one key of earlier versions. */
export interface SecretKeys {
  readonly ring: Pick<Ring, "find" | "isShredded">;
  readonly oneKey: Buffer;
}

export async function openSecret({ ring, oneKey }: SecretKeys, row: string, sealed: Uint8Array): Promise<string> {
  const id = keyOfSecret(sealed);
  const start = id === undefined ? 1 : 1 + keyIdBytes;
  const bytes = Buffer.from(sealed);
  if ((id === undefined && bytes[0] !== form.oneKey) || bytes.length < start + nonceBytes + tagBytes)
    throw new Error(`secret ${row} has an unknown form`);
  const key = id === undefined ? oneKey : (await ring.find(id)).for("secret");
  const [tagAt, textAt] = [start + nonceBytes, start + nonceBytes + tagBytes];
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(start, tagAt), { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(row)).setAuthTag(bytes.subarray(tagAt, textAt));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(textAt)), decipher.final()]).toString("utf8");
  } catch (cause) {
    throw new Error(`secret ${row} cannot be decrypted: was the key file replaced?`, { cause });
  }
}

/** The rows of sealed secrets that these keys do not open. Throws MasterAway where that cannot be told. */
export async function unopenedSecrets(keys: SecretKeys, sealed: ReadonlyMap<string, Uint8Array>): Promise<string[]> {
  const unopened: string[] = [];
  for (const [row, value] of sealed) {
    const id = keyOfSecret(value);
    if (id !== undefined && keys.ring.isShredded(id)) continue; // it was meant to be lost
    await openSecret(keys, row, value).catch((error) => {
      if (error instanceof MasterAway) throw error;
      unopened.push(row);
    });
  }
  return unopened;
}

/** Whose data key seals a row: the tenant of the account that it begins with, else the platform. */
export function ownerOfRow(state: Pick<ReadonlyState, "accountById" | "accounts" | "paths">, row: string): string {
  const account = state.accountById.get(row.slice(0, row.indexOf("/")) as AccountId);
  if (account === undefined) return platform;
  const tenant = tenantOf(state, account.no);
  return tenant.path === "" ? platform : tenant.id;
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
