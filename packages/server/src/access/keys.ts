import { randomBytes } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";

/** Keys that live in files beside the store, never in it: a copy of the store alone opens nothing. */
export interface Keys {
  /** Seals cursors and ETags and derives tokens. */
  readonly serverKey: Buffer;
  /** Encrypts secret values. */
  readonly secretsKey: Buffer;
  /** Signs what a webhook is told. */
  readonly webhookKey: Buffer;
}

const keyBytes = 32;

/** Reads the key files of a data folder and makes those that are missing. */
export function loadKeys(dataFolder: string): Keys {
  const folder = join(dataFolder, "keys");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return {
    serverKey: loadKey(join(folder, "server.key")),
    secretsKey: loadKey(join(folder, "secrets.key")),
    webhookKey: loadKey(join(folder, "webhook.key")),
  };
}

function loadKey(path: string): Buffer {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw new Error(`cannot read ${path}`, { cause });
    return makeKey(path);
  }
  if ((statSync(path).mode & 0o077) !== 0) {
    throw new Error(`${path} can be read by others; make it private: chmod 600 ${path}`);
  }
  const key = Buffer.from(text.trim(), "base64");
  if (key.length !== keyBytes)
    throw new Error(`${path} does not hold a key of ${keyBytes} bytes; restore it from a backup`);
  return key;
}

/** Writes the whole key beside its place and links it there: half a key is never seen, and of two makers one wins. */
function makeKey(path: string): Buffer {
  const key = randomBytes(keyBytes);
  const draft = `${path}.${process.pid}.new`;
  const file = openSync(draft, "wx", 0o600);
  try {
    writeSync(file, `${key.toString("base64")}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  try {
    linkSync(draft, path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw new Error(`cannot write ${path}`, { cause });
    return loadKey(path);
  } finally {
    unlinkSync(draft);
  }
  return key;
}
