import { createCipheriv, randomBytes } from "node:crypto";

/** A secret as versions before data keys sealed it. */
export function sealedByOneKey(key: Buffer, row: string, value: string): Uint8Array {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(row));
  const text = Buffer.concat([cipher.update(value, "utf8"), cipher.final()]);
  return Buffer.concat([Buffer.from([1]), nonce, cipher.getAuthTag(), text]);
}
