import type { LeaseOrder } from "@tessera/engine";
import { type Extras, table, text } from "@tessera/engine-remote";
import { loadHeldKeys } from "./access/keys.ts";
import { decryptSecret, encryptSecret, unopenedSecrets } from "./access/secrets.ts";
import { Signature } from "./access/signature.ts";

const row = text(500);
const value = text(2 ** 20);

/** What the helper does with the keys in its folder, none of which it ever gives away. */
export function helperKeys(state: string) {
  const { secretsKey, signingKey } = loadHeldKeys(state);
  const signature = new Signature(signingKey);
  const calls: Extras = {
    sealSecret: {
      takes: [row, value],
      act: (key: string, clear: string) => Buffer.from(encryptSecret(secretsKey, key, clear)).toString("base64"),
    },
    unopenedSecrets: {
      takes: [table(value, 100_000)],
      act: (sealed: Readonly<Record<string, string>>) =>
        unopenedSecrets(secretsKey, new Map(Object.entries(sealed).map(([key, text]) => [key, bytesOf(text)]))),
    },
    openToken: {
      // A secret of an account is bound to a row that begins with the account's id and a slash: it does not open here.
      takes: [
        (id, at) =>
          /^(factor\/)?[\w-]{1,100}$/.test(String(id)) ? undefined : `${at} must name an anchor, an engine or a factor`,
        value,
      ],
      act: (id: string, sealed: string) => decryptSecret(secretsKey, id, bytesOf(sealed)),
    },
    publicKey: { takes: [], act: () => signature.publicKey },
    sign: { takes: [text(2 ** 22)], act: (line: string) => signature.of(line) },
  };
  /** Opens the secrets of an order; only the member that is started sees them. */
  const withSecrets = ({ sealedSecrets = {}, ...order }: LeaseOrder): LeaseOrder => {
    const opened = Object.entries(sealedSecrets).map(([name, { row: key, value: sealed }]) => [
      name,
      decryptSecret(secretsKey, key, bytesOf(sealed)),
    ]);
    return { ...order, secrets: { ...order.secrets, ...Object.fromEntries(opened) } };
  };
  return { calls, withSecrets };
}

function bytesOf(base64: string): Buffer {
  return Buffer.from(base64, "base64");
}
