import { createHash } from "node:crypto";
import { sha256 } from "../../journal/digest.ts";
import type { Snapshot } from "../../store/port.ts";

/** Covers the place in the journal too: the right state at the wrong row would have events applied twice or not at all. */
export function snapshotDigest({ seq, schema, bytes }: Omit<Snapshot, "hash">): Buffer {
  return createHash("sha256").update(`snapshot ${seq} ${schema}\n`).update(bytes).digest();
}

/** Whether the snapshot is what was written. Those of older versions have a digest of their bytes alone. */
export function isIntact(snapshot: Snapshot): boolean {
  return [snapshotDigest(snapshot), sha256(snapshot.bytes)].some((digest) => digest.equals(snapshot.hash));
}
