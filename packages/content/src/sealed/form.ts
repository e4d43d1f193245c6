import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from "node:crypto";

/**
 * A sealed file: a header, then frames. A random key of the file alone encrypts its frames (AES-256-GCM); the header holds
 * that key and a label, wrapped by a key of the tenant. Rotating the tenant's key rewrites headers and nothing else. The
 * header has two places for the same: while one is written the other is whole, whatever happens to the machine.
 */
const magic = Buffer.from("TSL1");
const idBytes = 8;
const nonceBytes = 12;
const tagBytes = 16;
const keyBytes = 32;
const labelBytes = 32;
const slotBytes = idBytes + nonceBytes + keyBytes + labelBytes + tagBytes;

export const headerBytes = magic.length + 2 * slotBytes;
/** What a frame takes beside what it holds. */
export const frameMore = nonceBytes + tagBytes;

/** A key that wraps the keys of files, and its id of 16 hexadecimal digits. */
export interface WrappingKey {
  readonly id: string;
  readonly key: Buffer;
}

/** What is needed to read and write one file. */
export interface FileKey {
  readonly key: Buffer;
  /** 32 bytes: what the file is. */
  readonly label: Buffer;
}

/** What is sealed is not what was written. */
export class SealBroken extends Error {}

/** The key of a sealed file is not among those that are known: it was destroyed, or is newer than what is known here. */
export class KeyUnknown extends Error {}

export function newFileKey(label: Buffer): FileKey {
  return { key: randomBytes(keyBytes), label };
}

export function headerOf(file: FileKey, by: WrappingKey): Buffer {
  const slot = slotOf(file, by);
  return Buffer.concat([magic, slot, slot]);
}

export function isSealed(start: Buffer): boolean {
  return start.subarray(0, magic.length).equals(magic);
}

/** The ids of the keys that wrap this file. */
export function wrappingIdsOf(header: Buffer): string[] {
  const at = [magic.length, magic.length + slotBytes];
  return [...new Set(at.map((from) => header.toString("hex", from, from + idBytes)))];
}

/** The key of a file. Throws KeyUnknown where none of the keys that are known wraps it. */
export function openHeader(header: Buffer, known: readonly WrappingKey[]): FileKey {
  let isKnown = false;
  for (const from of [magic.length, magic.length + slotBytes]) {
    const slot = header.subarray(from, from + slotBytes);
    const id = slot.toString("hex", 0, idBytes);
    const by = known.find((each) => each.id === id);
    isKnown ||= by !== undefined;
    const opened = by && open(by.key, Buffer.from(id), slot.subarray(idBytes));
    if (opened !== undefined) return { key: opened.subarray(0, keyBytes), label: opened.subarray(keyBytes) };
  }
  if (isKnown || header.length < headerBytes) throw new SealBroken("its beginning is not what was written");
  throw new KeyUnknown(`its data key ${wrappingIdsOf(header).join(", ")} was destroyed`);
}

/** Where in the file each of the two places is, and what stands there under another key: written one after the other. */
export function slotsUnder(file: FileKey, by: WrappingKey): readonly { readonly at: number; readonly bytes: Buffer }[] {
  const bytes = slotOf(file, by);
  return [magic.length + slotBytes, magic.length].map((at) => ({ at, bytes }));
}

/** A frame for this place in the file: moved elsewhere it does not open. */
export function sealFrame({ key }: FileKey, at: number, plain: Uint8Array): Buffer {
  return seal(key, placeOf(at), plain);
}

/** What a frame holds. Throws SealBroken where it was changed or moved. */
export function openFrame({ key }: FileKey, at: number, frame: Uint8Array): Buffer {
  const opened = open(key, placeOf(at), frame);
  if (opened === undefined) throw new SealBroken(`what stands from byte ${at} on is not what was written`);
  return opened;
}

function slotOf({ key, label }: FileKey, by: WrappingKey): Buffer {
  return Buffer.concat([Buffer.from(by.id, "hex"), seal(by.key, Buffer.from(by.id), Buffer.concat([key, label]))]);
}

function placeOf(at: number): Buffer {
  const place = Buffer.alloc(8);
  place.writeUIntBE(at, 2, 6);
  return place;
}

/** Imported once: a line of a log takes a third of the time then. */
const imported = new WeakMap<Buffer, KeyObject>();

function objectOf(key: Buffer): KeyObject {
  const known = imported.get(key) ?? createSecretKey(key);
  imported.set(key, known);
  return known;
}

function seal(key: Buffer, bound: Buffer, plain: Uint8Array): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", objectOf(key), nonce).setAAD(bound);
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function open(key: Buffer, bound: Buffer, sealed: Uint8Array): Buffer | undefined {
  if (sealed.length < frameMore) return undefined;
  const end = sealed.length - tagBytes;
  const decipher = createDecipheriv("aes-256-gcm", objectOf(key), sealed.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  });
  decipher.setAAD(bound).setAuthTag(sealed.subarray(end));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, end)), decipher.final()]);
  } catch {
    return undefined;
  }
}
