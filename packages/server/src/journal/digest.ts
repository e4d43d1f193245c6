import { hash } from "node:crypto";

/** SHA-256 in one call; several times faster than a Hash object for the short messages of the journal. */
export function sha256(message: Uint8Array): Buffer {
  return hash("sha256", message, "buffer");
}
