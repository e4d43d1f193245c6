import type { Instant, ReadonlyState, TokenId } from "@tessera/core";
import type { PrivateWrite, StoreReader } from "../store/port.ts";

const flushEveryMs = 60_000;

/** When each token was last used: in memory at once, in the store at most once a minute per token. */
export class TokenUse {
  readonly #usedAt = new Map<TokenId, Instant>();
  readonly #written = new Map<TokenId, Instant>();
  readonly #write: ((writes: readonly PrivateWrite[]) => void) | undefined;

  constructor(write: ((writes: readonly PrivateWrite[]) => void) | undefined) {
    this.#write = write;
  }

  static async load(
    reader: StoreReader,
    write: ((writes: readonly PrivateWrite[]) => void) | undefined,
  ): Promise<TokenUse> {
    const use = new TokenUse(write);
    for (const [id, value] of await reader.privates("token-use")) {
      const at = Number(Buffer.from(value).toString("utf8"));
      use.#usedAt.set(id as TokenId, at);
      use.#written.set(id as TokenId, at);
    }
    return use;
  }

  note(id: TokenId, now: Instant): void {
    this.#usedAt.set(id, now);
  }

  lastUsedAt(id: TokenId): Instant | undefined {
    return this.#usedAt.get(id);
  }

  /** Hands what changed since a minute to the store, and forgets tokens that are gone. Called now and then. */
  flush(state: ReadonlyState, now: Instant): void {
    const writes: PrivateWrite[] = [];
    const scim = new Set([...state.providers.values()].flatMap(({ scim = [] }) => scim.map(({ id }) => id)));
    for (const [id, at] of this.#usedAt) {
      if (!state.tokens.has(id) && !scim.has(id)) {
        this.#usedAt.delete(id);
        if (this.#written.delete(id)) writes.push({ kind: "token-use", key: id, value: null });
      } else if (at !== this.#written.get(id) && now - (this.#written.get(id) ?? 0) >= flushEveryMs) {
        this.#written.set(id, at);
        writes.push({ kind: "token-use", key: id, value: Buffer.from(String(at)) });
      }
    }
    if (writes.length > 0) this.#write?.(writes);
  }
}
