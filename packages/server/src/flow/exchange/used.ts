import { createHash } from "node:crypto";
import type { Instant } from "@tessera/core";
import type { PrivateWrite, StoreReader } from "../../store/port.ts";

const kind = "exchange-use";
/** Beyond, none is taken until some have expired: one that is still good is never forgotten. */
const usedMax = 50_000;

/** Tokens of other systems that were exchanged, until they expire: also over a restart, each is taken once. */
export class UsedTokens {
  /** When each expires, by a digest of issuer and id. */
  readonly #until = new Map<string, Instant>();

  static async load(reader: Pick<StoreReader, "privates">): Promise<UsedTokens> {
    const used = new UsedTokens();
    for (const [key, value] of await reader.privates(kind)) used.#until.set(key, Number(Buffer.from(value).toString()));
    return used;
  }

  isFull(): boolean {
    return this.#until.size >= usedMax;
  }

  /** Remembers it; false where it was used already. */
  take(issuer: string, id: string, until: Instant): boolean {
    const key = keyOf(issuer, id);
    if (this.#until.has(key)) return false;
    this.#until.set(key, until);
    return true;
  }

  /** It came to nothing after all. */
  giveBack(issuer: string, id: string): void {
    this.#until.delete(keyOf(issuer, id));
  }

  /** Written in the same commit as the token that it was exchanged for. */
  rowOf(issuer: string, id: string, until: Instant): PrivateWrite {
    return { kind, key: keyOf(issuer, id), value: Buffer.from(String(until)) };
  }

  /** Forgets those that have expired; the rows to remove. */
  sweep(now: Instant): PrivateWrite[] {
    const over = [...this.#until].filter(([, until]) => until < now).map(([key]) => key);
    for (const key of over) this.#until.delete(key);
    return over.map((key) => ({ kind, key, value: null }));
  }
}

function keyOf(issuer: string, id: string): string {
  return createHash("sha256")
    .update(JSON.stringify([issuer, id]))
    .digest("base64url");
}
