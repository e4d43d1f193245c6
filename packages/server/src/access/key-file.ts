import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  statSync,
  unlinkSync,
  writeSync,
} from "node:fs";

export const keyBytes = 32;

/** One key from a file outside a data folder. */
export function readKeyFile(path: string): Buffer {
  if (!existsSync(path)) throw new Error(`there is no key file ${path}`);
  return loadKey(path);
}

/** Makes a key file where there is none, and returns its key. */
export function makeKeyFile(path: string): Buffer {
  return putKey(path, randomBytes(keyBytes));
}

/** The key in a file, which is made where it is missing. */
export function loadKey(path: string, make: () => Buffer = () => randomBytes(keyBytes)): Buffer {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw new Error(`cannot read ${path}`, { cause });
    return putKey(path, make());
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
export function putKey(path: string, key: Buffer): Buffer {
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
