import { sha256 } from "../journal/digest.ts";

const digestBytes = 8;

/** What the journal says about a private row. */
export function privateHash(kind: string, key: string, value: Uint8Array): Uint8Array {
  return sha256(Buffer.concat([Buffer.from(`${kind}\n${key}\n`), value]));
}

/**
 * What is kept beside a private row so that a damaged one is found without reading the journal. Rows from before it was
 * kept have none until they are written again.
 */
export function privateDigest(kind: string, key: string, value: Uint8Array): Uint8Array {
  return privateHash(kind, key, value).subarray(0, digestBytes);
}
