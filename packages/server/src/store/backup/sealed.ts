import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { open } from "node:fs/promises";
import { sha256 } from "../../journal/digest.ts";
import { StoreDamaged } from "../port.ts";

/**
 * A file that only the holder of the key can read, and no one else can change unnoticed. One line of JSON names the form,
 * the key and a salt; the contents follow in parts of 64 KiB, each encrypted with AES-256-GCM under a key of this file
 * alone. The nonce of a part is its number and whether it is the last, so parts cannot be moved, left out or appended;
 * the key of the file is derived from the first line too, so that line cannot be changed either.
 */
const form = "tessera-backup";
const version = 1;
const partBytes = 64 * 1024;
const tagBytes = 16;
const headerBytesMax = 512;
/** What a file of SQLite begins with: backups were such files before they were sealed. */
const plainStart = "SQLite format 3\0";

interface Header {
  readonly form: string;
  readonly version: number;
  /** Which key opens it. */
  readonly key: string;
  readonly salt: string;
}

/** By this a key is recognised without being shown. */
export function keyIdOf(key: Buffer): string {
  return sha256(Buffer.concat([Buffer.from("tessera backup key\n"), key]))
    .toString("hex")
    .slice(0, 16);
}

/** Writes the contents sealed with `key`. The caller syncs the file. */
export async function writeSealed(
  file: FileHandle,
  contents: AsyncIterable<Buffer> | Iterable<Buffer>,
  key: Buffer,
): Promise<void> {
  const header: Header = { form, version, key: keyIdOf(key), salt: randomBytes(32).toString("base64") };
  const line = Buffer.from(`${JSON.stringify(header)}\n`);
  const fileKey = fileKeyOf(key, header, line);
  await file.appendFile(line);
  let number = 0;
  let held = Buffer.alloc(0);
  for await (const piece of contents) {
    held = Buffer.concat([held, piece]);
    // A full part is written only when more follows: the last one must be known as such.
    while (held.length > partBytes) {
      await file.appendFile(sealPart(fileKey, number++, false, held.subarray(0, partBytes)));
      held = held.subarray(partBytes);
    }
  }
  await file.appendFile(sealPart(fileKey, number, true, held));
}

/** Whether the file is a backup of the time before they were sealed. */
export async function isPlain(path: string): Promise<boolean> {
  const file = await open(path, "r");
  try {
    const start = Buffer.alloc(plainStart.length);
    await file.read(start, 0, start.length, 0);
    return start.toString("latin1") === plainStart;
  } finally {
    await file.close();
  }
}

/** The contents, part by part, each checked; throws StoreDamaged at the first that is not what was written. */
export async function* readSealed(path: string, key: Buffer): AsyncGenerator<Buffer> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const { header, line } = await headerOf(file, path);
    if (header.key !== keyIdOf(key))
      throw new Error(
        `${path} is sealed with the key ${header.key}, and the key given is ${keyIdOf(key)}. Name the right one with --key-file.`,
      );
    const fileKey = fileKeyOf(key, header, line);
    const sealedBytes = partBytes + tagBytes;
    for (let at = line.length, number = 0; ; at += sealedBytes, number++) {
      const sealed = Buffer.alloc(Math.max(0, Math.min(sealedBytes, size - at)));
      await file.read(sealed, 0, sealed.length, at);
      const last = at + sealedBytes >= size;
      const part = openPart(fileKey, number, last, sealed);
      if (part === undefined) throw new StoreDamaged(faultOf(path, at, number, last, sealed, fileKey));
      yield part;
      if (last) return;
    }
  } finally {
    await file.close();
  }
}

function faultOf(path: string, at: number, number: number, last: boolean, sealed: Buffer, fileKey: Buffer): string {
  const otherwise = openPart(fileKey, number, !last, sealed) !== undefined;
  const what = !otherwise
    ? `what stands from byte ${at} on is not what was written: it was changed, moved, cut off or replaced`
    : last
      ? `it is cut off after byte ${at + sealed.length}`
      : `something was appended after byte ${at + sealed.length}`;
  return `The backup ${path} is damaged: ${what}. Nothing was restored; take another backup.`;
}

async function headerOf(file: FileHandle, path: string): Promise<{ header: Header; line: Buffer }> {
  const start = Buffer.alloc(headerBytesMax);
  const { bytesRead } = await file.read(start, 0, start.length, 0);
  const end = start.subarray(0, bytesRead).indexOf("\n");
  const line = start.subarray(0, end + 1);
  const header = end === -1 ? undefined : parseHeader(line.toString("latin1"));
  if (header === undefined) throw new Error(`${path} is not a backup of Tessera, or its beginning is damaged.`);
  if (header.version !== version)
    throw new Error(`${path} is a backup of version ${header.version}; this Tessera reads version ${version}.`);
  return { header, line };
}

function parseHeader(text: string): Header | undefined {
  try {
    const found = JSON.parse(text) as Partial<Header>;
    const { form: name, version: number, key, salt } = found;
    if (name !== form || typeof number !== "number" || typeof key !== "string" || typeof salt !== "string")
      return undefined;
    return { form: name, version: number, key, salt };
  } catch {
    return undefined;
  }
}

function fileKeyOf(key: Buffer, { salt }: Header, line: Buffer): Buffer {
  return Buffer.from(hkdfSync("sha256", key, Buffer.from(salt, "base64"), line, 32));
}

/** Twelve bytes: eleven for the number of the part, one for whether it is the last. */
function nonceOf(number: number, last: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUIntBE(number, 5, 6);
  nonce[11] = last ? 1 : 0;
  return nonce;
}

function sealPart(fileKey: Buffer, number: number, last: boolean, part: Buffer): Buffer {
  const cipher = createCipheriv("aes-256-gcm", fileKey, nonceOf(number, last));
  return Buffer.concat([cipher.update(part), cipher.final(), cipher.getAuthTag()]);
}

function openPart(fileKey: Buffer, number: number, last: boolean, sealed: Buffer): Buffer | undefined {
  if (sealed.length < tagBytes) return undefined;
  const decipher = createDecipheriv("aes-256-gcm", fileKey, nonceOf(number, last), { authTagLength: tagBytes });
  decipher.setAuthTag(sealed.subarray(sealed.length - tagBytes));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(0, sealed.length - tagBytes)), decipher.final()]);
  } catch {
    return undefined;
  }
}
