import { hash } from "node:crypto";

/** SHA-256 in one call; several times faster than a Hash object for the short messages of the journal. */
export function sha256(message: Uint8Array): Buffer {
  const digest = Buffer.allocUnsafe(digestBytes);
  sha256Into(digest, 0, message);
  return digest;
}

export const digestBytes = 32;

/**
 * Writes the SHA-256 of `message` to `at` in `target`. It comes out as text and is written as bytes: a short string
 * costs a quarter of what a buffer does, which would be more than the hash itself.
 */
export function sha256Into(target: Buffer, at: number, message: Uint8Array): void {
  target.write(hash("sha256", message, "binary"), at, digestBytes, "latin1");
}
