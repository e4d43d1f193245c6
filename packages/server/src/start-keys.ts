import { join } from "node:path";
import type { ReadonlyState } from "@tessera/core";
import { vaultOf } from "./access/holder.ts";
import { type KeyName, type Keys, loadKeys, loadKeysBeside, missingKeys } from "./access/keys.ts";
import { MasterAway, OtherMaster } from "./access/ring/master.ts";
import { type MasterPlace, ringAt, ringPlaceIn } from "./access/ring/place.ts";
import { keyOfSecret } from "./access/secrets.ts";
import { credentialsKind, sealedRow } from "./flow/engines/credentials.ts";
import type { StoreReader } from "./store/port.ts";

interface KeyPlace {
  readonly data: string;
  /** The socket of the helper that holds the keys of secrets and signatures. */
  readonly helper?: string;
  /** The master key, where it is not in the data folder. */
  readonly master?: MasterPlace;
  /** The owner has declared the secrets lost. */
  readonly secretsLost: boolean;
}

/**
 * The keys of the data folder, made where they are missing. Refuses to go on with a key that opens none of the secrets
 * that the store holds: a new one would hide until a job needs them that they are lost.
 */
export async function keysFor(
  { data, helper, master, secretsLost }: KeyPlace,
  { reader, state }: { readonly reader: Pick<StoreReader, "privates" | "head">; readonly state: ReadonlyState },
  say: (text: string) => void,
): Promise<Keys> {
  const sealed = new Map(await reader.privates("secret"));
  for (const [engine, value] of await reader.privates(credentialsKind)) sealed.set(sealedRow(engine), value);
  const wanted: readonly KeyName[] | undefined = helper === undefined ? undefined : ["server.key", "webhook.key"];
  const missing = missingKeys(data).filter((name) => wanted?.includes(name) ?? true);
  const secretsFile = join(data, "keys", "secrets.key");
  const count = sealed.size === 1 ? "1 secret" : `${sealed.size} secrets`;
  const instead =
    "Put the keys folder back from where it was kept, or restore a backup, which holds the key. If it is gone for good, start once " +
    "with --secrets-lost: that deletes the values of all secrets and the credentials of engines, which must then be set again.";
  const ofOneKey = [...sealed.values()].filter((value) => keyOfSecret(value) === undefined).length;
  if (helper === undefined && !secretsLost) {
    if (ofOneKey > 0 && missing.includes("secrets.key"))
      throw new Error(`${secretsFile} is not there, and the store holds ${count} sealed with it. ${instead}`);
    if (sealed.size > ofOneKey && ringAt(ringPlaceIn(data, master)).list().length === 0)
      throw new Error(
        `${join(data, "keys", "data")} holds no data keys, and the store holds ${count} sealed with them. ${instead}`,
      );
  }
  const keys = helper === undefined ? loadKeys(data, master) : loadKeysBeside(helper, data);
  // A signing key that server.key leads to is the one that signed before, not another.
  const made = missing.filter((name) => name !== "signing.key" || missing.includes("server.key"));
  if (made.length > 0 && (await reader.head()).seq > 0)
    say(
      `${made.join(", ")} missing in ${join(data, "keys")}: made. ${made.map((name) => newKeyMeans[name]).join(". ")}`,
    );
  const unopened = await vaultOf(keys.held, state)
    .unopened(sealed)
    .catch((error) => {
      // Running work needs this server, and what is sealed opens as soon as the service is back.
      const isAway = error instanceof MasterAway && !(error instanceof OtherMaster) && typeof master === "object";
      if (!isAway) throw error;
      say(
        `${error.message}. Until then jobs that need secrets wait, and logs, files and secrets of before do not open`,
      );
      return [];
    });
  if (unopened.length === 0 || secretsLost) return keys;
  if (unopened.length === sealed.size)
    throw new Error(
      `${ofOneKey > 0 ? secretsFile : join(data, "keys")} is not the key with which the ${count} of this store were sealed. ${instead}`,
    );
  say(`secrets that cannot be opened any more, and must be set again: ${unopened.join(", ")}`);
  return keys;
}

const newKeyMeans: Readonly<Record<KeyName, string>> = {
  "server.key":
    "Open cursors and unanswered token requests become invalid (server.key), and people who logged in at an http:// " +
    "address must log out and in again",
  "secrets.key": "Secrets that are set from now on are sealed with secrets.key",
  "webhook.key": "Receivers of the webhook need the new webhook.key",
  "signing.key": "What is signed from now on is signed with signing.key",
  "backup.key":
    "Backups from now on need backup.key: keep a copy of it apart from them (tess admin backup-key export FILE)",
};
