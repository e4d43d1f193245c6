import { createHash, createPublicKey, verify } from "node:crypto";

/** First bytes of what is hashed, so that one thing cannot be passed off as another. */
export const tag = { event: 0, pair: 1, cover: 2, row: 3, entry: 4, leaf: 5, inner: 6 } as const;

export function sha256(...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
}

export function tagged(first: number, ...parts: readonly Uint8Array[]): Buffer {
  return sha256(Uint8Array.of(first), ...parts);
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

export function unhex(text: string): Buffer {
  return Buffer.from(text, "hex");
}

/** Whether the holder of the Ed25519 key (SPKI, base64) signed the text. */
export function isSigned(text: string, signature: string, publicKey: string): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey, "base64"), format: "der", type: "spki" });
    return (
      key.asymmetricKeyType === "ed25519" && verify(null, Buffer.from(text), key, Buffer.from(signature, "base64"))
    );
  } catch {
    return false;
  }
}

/** A short name of a public key: the first 16 hexadecimal digits of its SHA-256. */
export function keyIdOf(publicKey: string): string {
  return hex(sha256(Buffer.from(publicKey, "base64"))).slice(0, 16);
}
