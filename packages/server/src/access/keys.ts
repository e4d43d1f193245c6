import { hkdfSync, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../journal/digest.ts";
import { keyBytes, loadKey, putKey } from "./key-file.ts";
import { type MasterPlace, prepareMaster, type RingPlace, ringPlaceIn } from "./ring/place.ts";

/** Keys that live in files beside the store, never in it: a copy of the store alone opens nothing. */
export interface Keys {
  /** Seals cursors and ETags and derives tokens. */
  readonly serverKey: Buffer;
  /** Signs what a webhook is told. */
  readonly webhookKey: Buffer;
  /** The keys that a root helper keeps to itself, where there is one: then this is the socket of the helper. */
  readonly held: HeldKeys | { readonly helper: string };
}

/** Keys that protect what was kept, so that a process which answers requests can do without them. */
export interface HeldKeys {
  /** Where the data keys are that seal secrets, logs and content. */
  readonly ring: RingPlace;
  /** Opens secrets of the time before there were data keys. */
  readonly secretsKey: Buffer;
  /** The seed of the Ed25519 key that signs heads and extracts. */
  readonly signingKey: Buffer;
}

const names = ["server.key", "secrets.key", "webhook.key", "signing.key", "backup.key"] as const;
export type KeyName = (typeof names)[number];

/** Reads the key files of a data folder and makes those that are missing. */
export function loadKeys(dataFolder: string, master?: MasterPlace): Keys & { readonly held: HeldKeys } {
  const isOld = !missingKeys(dataFolder).includes("server.key");
  const files = loadFiles(dataFolder, names, ({ "server.key": serverKey }) =>
    // Before it had a file of its own, the signing key was derived from server.key: what it signed stays verifiable.
    isOld ? Buffer.from(hkdfSync("sha256", serverKey, "", "signature", keyBytes)) : randomBytes(keyBytes),
  );
  const ring = ringPlaceIn(dataFolder, master);
  prepareMaster(ring);
  const held = { ring, secretsKey: files["secrets.key"], signingKey: files["signing.key"] };
  return { serverKey: files["server.key"], webhookKey: files["webhook.key"], held };
}

/** The keys of a control plane whose helper holds the others. */
export function loadKeysBeside(helper: string, dataFolder: string): Keys {
  const files = loadFiles(dataFolder, ["server.key", "webhook.key"]);
  return { serverKey: files["server.key"], webhookKey: files["webhook.key"], held: { helper } };
}

/** The keys that a helper holds. */
export function loadHeldKeys(folder: string, master?: MasterPlace): HeldKeys {
  const files = loadFiles(folder, ["secrets.key", "signing.key", "backup.key"]);
  const ring = ringPlaceIn(folder, master);
  prepareMaster(ring);
  return { ring, secretsKey: files["secrets.key"], signingKey: files["signing.key"] };
}

function loadFiles<Name extends KeyName>(
  dataFolder: string,
  wanted: readonly Name[],
  makeSigningKey: (before: Record<Name, Buffer>) => Buffer = () => randomBytes(keyBytes),
): Record<Name, Buffer> {
  const folder = join(dataFolder, "keys");
  if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
  const made = missingKeys(dataFolder);
  const files = {} as Record<Name, Buffer>;
  for (const name of wanted) {
    const make = name === "signing.key" ? () => makeSigningKey(files) : undefined;
    files[name] = loadKey(join(folder, name), make);
  }
  checkSums(folder, made, files);
  return files;
}

/** The key that seals backups, where the data folder has one. */
export function findBackupKey(dataFolder: string): Buffer | undefined {
  const path = join(dataFolder, "keys", "backup.key");
  return existsSync(path) ? loadKey(path) : undefined;
}

/** Whether a key file is one that a helper holds, where there is one. */
export function isHeld(name: string): boolean {
  return ["secrets.key", "signing.key", "backup.key"].includes(name);
}

/** Not the master key: a backup would open what was shredded since. */
const keptInBackups = /^(?!backup\.|master\.)[a-z0-9.-]{1,60}\.key$/;

/** The texts of key files by name, without the one that seals backups and the one that wraps data keys. */
export function keyFilesOf(dataFolder: string): Record<string, string> {
  const folder = join(dataFolder, "keys");
  const names = readdirSync(folder).filter((name) => keptInBackups.test(name));
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

/** Puts key files where there are none; those that are there stay. */
export function putKeyFiles(dataFolder: string, files: Readonly<Record<string, string>>): void {
  const folder = join(dataFolder, "keys");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lacking = Object.entries(files).filter(([name]) => !existsSync(join(folder, name)));
  for (const [name, text] of lacking) {
    if (!/^[a-z0-9.-]{1,60}\.key$/.test(name)) throw new Error(`${name} is not the name of a key file`);
    putKey(join(folder, name), Buffer.from(text.trim(), "base64"));
  }
}

/** Where the next signing key waits until the journal names it. */
export function stagedSigningKey(dataFolder: string): string {
  return join(dataFolder, "keys", "signing.next.key");
}

/** Makes the next signing key beside the present one. */
export function stageSigningKey(dataFolder: string): Buffer {
  const path = stagedSigningKey(dataFolder);
  rmSync(path, { force: true });
  return putKey(path, randomBytes(keyBytes));
}

/** Puts the next signing key in the place of the present one, and its sum as well. */
export function commitSigningKey(dataFolder: string): void {
  const folder = join(dataFolder, "keys");
  const sums = join(folder, "sums");
  const others = readFileSync(sums, "latin1")
    .split("\n")
    .filter((line) => !line.startsWith("signing.key "));
  writeFileSync(`${sums}.new`, others.join("\n"), { mode: 0o600, flush: true });
  renameSync(`${sums}.new`, sums);
  renameSync(stagedSigningKey(dataFolder), join(folder, "signing.key"));
}

/** The key files that a data folder lacks. */
export function missingKeys(dataFolder: string): KeyName[] {
  return names.filter((name) => !existsSync(join(dataFolder, "keys", name)));
}

/**
 * A damaged key is still a key, only another one: it would open nothing, and what it seals could not be opened later.
 * So the sums of the keys are kept in a file of their own; a key that has none there yet gets one.
 */
function checkSums(folder: string, made: readonly KeyName[], keys: Readonly<Partial<Record<KeyName, Buffer>>>): void {
  const file = join(folder, "sums");
  const text = existsSync(file) ? readFileSync(file, "latin1") : "";
  const lines: string[] = [];
  for (const name of names) {
    const key = keys[name];
    if (key === undefined) continue;
    const line = `${name} ${sha256(key).toString("hex").slice(0, 32)}`;
    lines.push(line);
    const kept = text.split("\n").find((each) => each.startsWith(`${name} `));
    if (kept !== undefined && kept !== line && !made.includes(name)) {
      throw new Error(
        `${join(folder, name)} is damaged, or another key: it does not match its sum in ${file}. Put the right file ` +
          `back from a copy; if you replaced the key on purpose, remove the line "${name}" from ${file}`,
      );
    }
  }
  const wanted = `${lines.join("\n")}\n`;
  if (text === wanted) return;
  writeFileSync(`${file}.new`, wanted, { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
}
