import { existsSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { ContentStore } from "@tessera/content";
import { engineKeysIn } from "./access/holder.ts";
import { readKeyFile } from "./access/key-file.ts";
import { findBackupKey, isHeld, keyFilesOf, loadKeys, missingKeys, putKeyFiles } from "./access/keys.ts";
import { JournalKeys } from "./access/ring/journal-keys.ts";
import { type MasterPlace, prepareMaster, ringPlaceIn } from "./access/ring/place.ts";
import { contentKeysOf } from "./access/ring/tenant-keys.ts";
import { BadCall, type ServerConfig } from "./config.ts";
import { writePrivately } from "./first-start.ts";
import { jobsWithoutSnapshot } from "./flow/content/snapshot.ts";
import { type Restored, restoreBackup } from "./flow/restore/restore.ts";
import { backup } from "./store/backup/backup.ts";
import { keyCopyOf, takeKeyCopy, writeKeyCopy } from "./store/backup/key-copy.ts";
import { withScratch } from "./store/backup/scratch.ts";
import { keyIdOf } from "./store/backup/sealed.ts";
import type { StoreConfig } from "./store/config.ts";
import type { StoreKey } from "./store/seal/keys.ts";
import { withStoreKeys } from "./store-keys.ts";

/** What is printed: as JSON, and in words. */
type Told = readonly [value: object, text: string];
type Place = Pick<ServerConfig, "data" | "store" | "master"> & {
  /** The folder of a root helper, which then holds some of the keys. */
  readonly state: string | undefined;
};

export async function writeBackup({ data, store, state, master }: Place, file: string): Promise<Told> {
  const key = ownKey({ data, state, master });
  const keyFiles = { ...keyFilesOf(data), ...(state !== undefined && keyFilesOf(state)) };
  const { seq: rows } = await backup(store, file, { scratchIn: state ?? data, key, keyFiles });
  const id = keyIdOf(key);
  const keyCopy = keyCopyOf(file);
  const dataKeys = await writeKeyCopy(ringPlaceIn(state ?? data, master), keyCopy, key);
  return [
    { file, rows, key: id, keyCopy, dataKeys },
    `${rows} rows written to ${file}, and ${dataKeys} data keys to ${keyCopy}, sealed with the key ${id}. Keep that key ` +
      "apart from the backups: tess admin backup-key export FILE. Remove the .keys files of earlier backups after you " +
      `shred a tenant. Files of jobs are not in it: copy ${data}/content.`,
  ];
}

export function backupKey(place: Omit<Place, "store">, [verb, file]: readonly string[]): Told {
  const { data, state } = place;
  const path = join(state ?? data, "keys", "backup.key");
  if (verb === "show") {
    const key = keyIdOf(ownKey(place));
    return [{ key, file: path }, `${key}  ${path}`];
  }
  if (verb !== "export" || file === undefined)
    throw new BadCall("usage: tess admin backup-key show | tess admin backup-key export FILE");
  if (existsSync(file)) throw new BadCall(`${file} is there already; name a file that is not`);
  const key = keyIdOf(ownKey(place));
  writePrivately(resolve(file), readFileSync(path, "utf8"));
  return [{ key, file }, `the key ${key} was written to ${file}. Who has it and a backup can read everything in it.`];
}

/** The key that seals backups. It is made for a data folder of an older version; a backup without the keys of its secrets is none. */
function ownKey({ data, state, master }: Omit<Place, "store">): Buffer {
  if (state !== undefined) return readKeyFile(join(state, "keys", "backup.key"));
  if (missingKeys(data).includes("secrets.key"))
    throw new Error(
      `${join(data, "keys")} does not hold the keys of this server: name its data folder with --data. If a root helper ` +
        "holds them, run this as root with --keys-in /var/lib/tessera-helper.",
    );
  loadKeys(data, master); // makes what is missing, and checks what is there
  return readKeyFile(join(data, "keys", "backup.key"));
}

interface RestoreFlags {
  readonly keyFile: string | undefined;
  readonly since: string | undefined;
  readonly unsealed: boolean;
}

export async function restoreInto(
  { data, store, state, master }: Place,
  file: string,
  flags: RestoreFlags,
): Promise<Told> {
  const given = flags.keyFile === undefined ? undefined : readKeyFile(flags.keyFile);
  const ring = ringPlaceIn(state ?? data, master);
  const keyCopy = keyCopyOf(file);
  const copyKey = given ?? findBackupKey(state ?? data);
  const copied = copyKey === undefined ? [] : await keysInCopy(keyCopy, state ?? data, master, copyKey);
  const keys = [...(await new JournalKeys(ring).open()), ...copied];
  const tokenFile = join(data, "owner.token");
  const restored = await restoreBackup({
    file,
    key: copyKey,
    keys,
    unsealed: flags.unsealed,
    into: { ...store, keys },
    scratchIn: state ?? data,
    ...(flags.since !== undefined && {
      since: await placeOf(flags.since, { data, store, ...(master !== undefined && { master }) }),
    }),
    keep: (keyFiles, ownerToken) => {
      const all = given === undefined ? keyFiles : { ...keyFiles, "backup.key": given.toString("base64") };
      const placed = (name: string) => (state !== undefined && isHeld(name) ? state : data);
      for (const [name, text] of Object.entries(all)) putKeyFiles(placed(name), { [name]: text });
      writePrivately(tokenFile, `${ownerToken}\n`);
    },
  });
  const key = given ?? findBackupKey(state ?? data);
  if (key !== undefined && existsSync(keyCopy)) await takeKeyCopy(keyCopy, ring, key);
  prepareMaster(ring);
  const withoutSnapshot = await jobsWithoutSnapshot(
    new ContentStore(join(data, "content"), 0, contentKeysOf(engineKeysIn({ ring }))),
    restored.state,
  );
  const { epoch, tokensEnded, passwordsEnded, secrets, backupSeq } = restored;
  return [
    { file, rows: backupSeq, epoch, tokensEnded, passwordsEnded, secrets, tokenFile, withoutSnapshot },
    [...sentences({ data, state }, file, restored, withoutSnapshot, flags), ...ownerAdvice(data)].join("\n"),
  ];
}

/** What root made in a folder of another user cannot be opened by that user's server. */
function ownerAdvice(data: string): string[] {
  const { uid } = statSync(data);
  return uid === process.geteuid?.()
    ? []
    : [`the folder belongs to user ${uid}: chown -R ${uid} ${data} before the start`];
}

function sentences(
  { data, state }: Omit<Place, "store">,
  file: string,
  { epoch, tokensEnded, passwordsEnded, secrets, madeAt, backupSeq }: Restored,
  withoutSnapshot: number,
  { since, unsealed }: RestoreFlags,
): string[] {
  const made = madeAt === undefined ? "" : ` of ${new Date(madeAt).toISOString()}`;
  const ended = `ended: tokens and sessions ${tokensEnded}, passwords ${passwordsEnded}`;
  const lines = [
    `restored from ${file}${made}, row ${backupSeq}; epoch ${epoch} begins`,
    since === undefined
      ? `${ended}. Nothing is known of what was revoked since the backup, so all ended: give users new ones.`
      : `${ended}: what was revoked or changed since the backup, and all sessions`,
    `a new token of a platform owner is in ${join(data, "owner.token")}`,
  ];
  if (secrets > 0 && !existsSync(join(state ?? data, "keys", "data")))
    lines.push(
      `it holds ${secrets} sealed secrets, and ${keyCopyOf(file)} with their data keys is not there: copy the keys folder ` +
        `to ${join(data, "keys")} before you start the server`,
    );
  if (unsealed) lines.push("the backup was plain: check people, roles and secrets before you let anyone in");
  if (withoutSnapshot > 0)
    lines.push(
      `${withoutSnapshot} live jobs have no snapshot in ${data}/content and will be refused: copy that folder too, or submit them again`,
    );
  return lines;
}

/** The journal keys that lie beside a backup. */
async function keysInCopy(
  copy: string,
  scratchIn: string,
  master: MasterPlace | undefined,
  key: Buffer,
): Promise<StoreKey[]> {
  if (!existsSync(copy)) return [];
  return withScratch(scratchIn, async (scratch) => {
    const place = ringPlaceIn(scratch, master);
    await takeKeyCopy(copy, place, key);
    return new JournalKeys(place).open();
  });
}

/** A database by its URL, else the store of a data folder, each with its keys. */
async function placeOf(since: string, own: Parameters<typeof withStoreKeys>[0]): Promise<StoreConfig> {
  const isUrl = /^postgres(ql)?:\/\//.test(since);
  const data = isUrl ? own.data : resolve(since);
  const place = isUrl ? { url: since } : { dir: join(data, "store") };
  return (await withStoreKeys({ ...own, data, store: place })).store;
}
