import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { ContentStore } from "@tessera/content";
import { findBackupKey, keyFilesOf, loadKeys, putKeyFiles, readKeyFile } from "./access/keys.ts";
import { BadCall, type ServerConfig } from "./config.ts";
import { writePrivately } from "./first-start.ts";
import { jobsWithoutSnapshot } from "./flow/content/snapshot.ts";
import { type Restored, restoreBackup } from "./flow/restore/restore.ts";
import { backup } from "./store/backup/backup.ts";
import { keyIdOf } from "./store/backup/sealed.ts";
import type { StoreConfig } from "./store/config.ts";

/** What is printed: as JSON, and in words. */
type Told = readonly [value: object, text: string];
type Place = Pick<ServerConfig, "data" | "store">;

export async function writeBackup({ data, store }: Place, file: string, keyFile: string | undefined): Promise<Told> {
  const key = keyFile === undefined ? ownKey(data) : readKeyFile(keyFile);
  const { seq: rows } = await backup(store, file, { data, key, keyFiles: keyFilesOf(data) });
  const id = keyIdOf(key);
  return [
    { file, rows, key: id },
    `${rows} rows written to ${file}, sealed with the key ${id}. Keep that key apart from the backups: tess admin ` +
      `backup-key export FILE. Files of jobs are not in it: copy ${data}/content.`,
  ];
}

export function backupKey(data: string, [verb, file]: readonly string[]): Told {
  const path = join(data, "keys", "backup.key");
  if (verb === "show") {
    const key = keyIdOf(ownKey(data));
    return [{ key, file: path }, `${key}  ${path}`];
  }
  if (verb !== "export" || file === undefined)
    throw new BadCall("usage: tess admin backup-key show | tess admin backup-key export FILE");
  if (existsSync(file)) throw new BadCall(`${file} is there already; name a file that is not`);
  const key = keyIdOf(ownKey(data));
  writePrivately(resolve(file), readFileSync(path, "utf8"));
  return [{ key, file }, `the key ${key} was written to ${file}. Who has it and a backup can read everything in it.`];
}

function ownKey(data: string): Buffer {
  loadKeys(data); // makes what is missing, and checks what is there
  return readKeyFile(join(data, "keys", "backup.key"));
}

interface RestoreFlags {
  readonly keyFile: string | undefined;
  readonly since: string | undefined;
  readonly unsealed: boolean;
}

export async function restoreInto({ data, store }: Place, file: string, flags: RestoreFlags): Promise<Told> {
  const given = flags.keyFile === undefined ? undefined : readKeyFile(flags.keyFile);
  const tokenFile = join(data, "owner.token");
  const restored = await restoreBackup({
    file,
    key: given ?? findBackupKey(data),
    unsealed: flags.unsealed,
    into: store,
    data,
    ...(flags.since !== undefined && { since: placeOf(flags.since) }),
    keep: (keyFiles, ownerToken) => {
      putKeyFiles(data, given === undefined ? keyFiles : { ...keyFiles, "backup.key": given.toString("base64") });
      writePrivately(tokenFile, `${ownerToken}\n`);
    },
  });
  const withoutSnapshot = await jobsWithoutSnapshot(new ContentStore(join(data, "content")), restored.state);
  const { epoch, tokensEnded, passwordsEnded, secrets, backupSeq } = restored;
  return [
    { file, rows: backupSeq, epoch, tokensEnded, passwordsEnded, secrets, tokenFile, withoutSnapshot },
    sentences(data, file, restored, withoutSnapshot, flags).join("\n"),
  ];
}

function sentences(
  data: string,
  file: string,
  { epoch, tokensEnded, passwordsEnded, secrets, madeAt, backupSeq }: Restored,
  withoutSnapshot: number,
  { since, unsealed }: RestoreFlags,
): string[] {
  const made = madeAt === undefined ? "" : ` of ${new Date(madeAt).toISOString()}`;
  const ended = `${tokensEnded} tokens and sessions and ${passwordsEnded} passwords ended`;
  const lines = [
    `restored from ${file}${made}, row ${backupSeq}; epoch ${epoch} begins`,
    since === undefined
      ? `${ended}: nothing is known of what was revoked since the backup. Give users new tokens or passwords.`
      : `${ended}, which ended after the backup or were sessions.`,
    `a new token of a platform owner is in ${join(data, "owner.token")}`,
  ];
  if (secrets > 0 && !existsSync(join(data, "keys", "secrets.key")))
    lines.push(
      `it holds ${secrets} sealed secrets: copy the keys folder to ${join(data, "keys")} before you start the server`,
    );
  if (unsealed) lines.push("the backup was plain: check people, roles and secrets before you let anyone in");
  if (withoutSnapshot > 0)
    lines.push(
      `${withoutSnapshot} live jobs have no snapshot in ${data}/content and will be refused: copy that folder too, or submit them again`,
    );
  return lines;
}

/** A database by its URL, else the store of a data folder. */
function placeOf(since: string): StoreConfig {
  return /^postgres(ql)?:\/\//.test(since) ? { url: since } : { dir: join(resolve(since), "store") };
}
