import { sentKeys } from "@tessera/content";
import type { LeaseOrder } from "@tessera/engine";
import { type Extras, table, text } from "@tessera/engine-remote";
import { loadHeldKeys } from "./access/keys.ts";
import { JournalKeys } from "./access/ring/journal-keys.ts";
import { ringAt } from "./access/ring/place.ts";
import { engineKeysOf } from "./access/ring/tenant-keys.ts";
import { openSecret, sealSecret, unopenedSecrets } from "./access/secrets.ts";
import { Signature } from "./access/signature.ts";

const row = text(500);
const value = text(2 ** 20);
const owner = text(100);

/** What the helper does with the keys in its folder, none of which it ever gives away. */
export function helperKeys(state: string, master?: string) {
  const { ring: place, secretsKey, signingKey } = loadHeldKeys(state, master);
  const ring = ringAt(place);
  const keys = { ring, oneKey: secretsKey };
  const engineKeys = engineKeysOf(ring);
  const journalKeys = new JournalKeys(place);
  const signature = new Signature(signingKey);
  const calls: Extras = {
    sealSecret: {
      takes: [row, value, owner],
      act: async (key: string, clear: string, of: string) => {
        await ring.master.current();
        return Buffer.from(sealSecret(await ring.current(of), key, clear)).toString("base64");
      },
    },
    unopenedSecrets: {
      takes: [table(value, 100_000)],
      act: (sealed: Readonly<Record<string, string>>) =>
        unopenedSecrets(keys, new Map(Object.entries(sealed).map(([key, text]) => [key, bytesOf(text)]))),
    },
    openToken: {
      // A secret of an account is sealed for its job alone: it does not open here.
      takes: [
        (id, at) =>
          /^(?!acc_)[\w-]{1,100}(\/[\w.@-]{1,200})?$/.test(String(id))
            ? undefined
            : `${at} must name what the platform itself uses`,
        value,
      ],
      act: (id: string, sealed: string) => openSecret(keys, id, bytesOf(sealed)),
    },
    tenantKeys: { takes: [owner], act: async (tenant: string) => sentKeys(await engineKeys.of(tenant)) },
    logKey: {
      takes: [(id, at) => (/^[0-9a-f]{16}$/.test(String(id)) ? undefined : `${at} must be the id of a data key`)],
      act: async (id: string) => (await engineKeys.logKey(id))?.key.toString("base64") ?? null,
    },
    journalKeys: { takes: [], act: () => journalKeys.open() },
    publicKey: { takes: [], act: () => signature.publicKey },
    sign: { takes: [text(2 ** 22)], act: (line: string) => signature.of(line) },
  };
  /** Opens the secrets of an order; only the member that is started sees them. */
  const withSecrets = async ({ sealedSecrets = {}, ...order }: LeaseOrder): Promise<LeaseOrder> => {
    const opened = Object.entries(sealedSecrets).map(async ([name, { row: key, value: sealed }]) => [
      name,
      await openSecret(keys, key, bytesOf(sealed)),
    ]);
    return { ...order, secrets: { ...order.secrets, ...Object.fromEntries(await Promise.all(opened)) } };
  };
  return { calls, withSecrets, engineKeys };
}

function bytesOf(base64: string): Buffer {
  return Buffer.from(base64, "base64");
}
