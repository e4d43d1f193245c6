import { sha256 } from "../journal/digest.ts";

const digestBytes = 8;

/**
 * What is kept beside a private row so that a damaged one is found: no chain covers these rows, since they can be
 * erased. Rows from before it was kept have none until they are written again.
 */
export function privateDigest(kind: string, key: string, value: Uint8Array): Uint8Array {
  return sha256(Buffer.concat([Buffer.from(`${kind}\n${key}\n`), value])).subarray(0, digestBytes);
}
