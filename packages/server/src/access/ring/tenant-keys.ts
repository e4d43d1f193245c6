import type { ContentKeys, EngineKeys, JobKeys, SentKeys, WrappingKey } from "@tessera/content";
import { takenKeys } from "@tessera/content";
import type { RemoteCalls } from "@tessera/engine/remote";
import { KeyGone, type Ring } from "./ring.ts";

/** What engines seal logs and content with, from the data keys of tenants. */
export function engineKeysOf(ring: Ring): EngineKeys {
  return {
    async of(tenant) {
      const keys = await ring.allOf(tenant);
      return {
        content: keys.map((key) => ({ id: key.id, key: key.for("content"), nameKey: key.for("content-name") })),
        log: keys.map((key) => ({ id: key.id, key: key.for("log") })),
      };
    },
    async logKey(id) {
      try {
        return { id, key: (await ring.find(id)).for("log") };
      } catch (error) {
        if (error instanceof KeyGone) return undefined;
        throw error;
      }
    },
  };
}

/** A helper is asked again this much later: until then a key that was rotated there still seals. */
const askAgainMs = 1_000;

/** The same from a helper that holds the data keys: it gives out what logs and content need, and no key of secrets. */
export function engineKeysBeside(calls: RemoteCalls): EngineKeys {
  const known = new Map<string, { readonly at: number; readonly keys: Promise<JobKeys> }>();
  return {
    of(tenant) {
      const before = known.get(tenant);
      if (before !== undefined && Date.now() - before.at < askAgainMs) return before.keys;
      const keys = calls.ask<SentKeys>("tenantKeys", tenant).then(takenKeys);
      known.set(tenant, { at: Date.now(), keys });
      keys.catch(() => known.delete(tenant));
      return keys;
    },
    async logKey(id): Promise<WrappingKey | undefined> {
      const key = await calls.ask<string | null>("logKey", id);
      return key === null ? undefined : { id, key: Buffer.from(key, "base64") };
    },
  };
}

export function contentKeysOf(keys: EngineKeys): ContentKeys {
  return async (tenant) => (await keys.of(tenant)).content;
}
