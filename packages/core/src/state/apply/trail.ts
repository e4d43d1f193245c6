import type { TrailEvent } from "../../journal/trail-event.ts";
import type { State } from "../state.ts";
import { comparedKinds, privateId } from "../trail.ts";

/** The part of `apply` that keeps signing keys, digests of private rows, anchors and witnessed heads. */
export function applyToTrail({ trail }: State, event: TrailEvent): void {
  const { at } = event;
  switch (event.kind) {
    case "signing-key-named": {
      const { publicKey, signature } = event;
      trail.keys.push({ publicKey, ...(signature !== undefined && { signature }), at });
      return;
    }
    case "privates-noted":
      for (const { kind, key, digest } of event.rows) {
        if (!comparedKinds.has(kind)) continue;
        if (digest === "") trail.privates.delete(privateId(kind, key));
        else trail.privates.set(privateId(kind, key), digest);
      }
      return;
    case "keys-noted":
      for (const { key, of, is } of event.changes) {
        if (is === "made") trail.held.set(key, of);
        else trail.held.delete(key);
      }
      return;
    case "anchor-changed":
      if (event.anchor === undefined) trail.anchors.delete(event.id);
      else trail.anchors.set(event.id, event.anchor);
      return;
    case "head-witnessed": {
      const { origin, publicKey, row, line } = event;
      trail.witnessed.set(origin, { publicKey, row, line, at });
      return;
    }
  }
}
