import { day, type Instant } from "@tessera/core";
import type { PrivateWrite, StoreReader } from "../store/port.ts";

const kind = "revoked-token";
/** How long the holder of a revoked token is told that it was revoked; after that it is unknown. */
const keptMs = 90 * day;

/** Tokens that were taken back, by the hash of their secret: only its holder can ask for one. */
export class RevokedTokens {
  readonly #revokedAt = new Map<string, Instant>();

  static async load(reader: StoreReader): Promise<RevokedTokens> {
    const revoked = new RevokedTokens();
    for (const [hash, value] of await reader.privates(kind))
      revoked.#revokedAt.set(hash, Number(Buffer.from(value).toString("utf8")));
    return revoked;
  }

  revokedAt(hash: string): Instant | undefined {
    return this.#revokedAt.get(hash);
  }

  /** What is written together with the revocation; entries that are old enough go. */
  note(hash: string, now: Instant): PrivateWrite[] {
    this.#revokedAt.set(hash, now);
    const writes: PrivateWrite[] = [{ kind, key: hash, value: Buffer.from(String(now)) }];
    for (const [old, at] of this.#revokedAt) {
      if (now - at <= keptMs) continue;
      this.#revokedAt.delete(old);
      writes.push({ kind, key: old, value: null });
    }
    return writes;
  }
}
