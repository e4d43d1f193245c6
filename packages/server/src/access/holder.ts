import type { EngineKeys } from "@tessera/content";
import { RemoteCalls } from "@tessera/engine/remote";
import type { HeldKeys, Keys } from "./keys.ts";
import { ringAt } from "./ring/place.ts";
import { engineKeysBeside, engineKeysOf } from "./ring/tenant-keys.ts";
import { ownerOfRow } from "./secrets.ts";
import { keyIdOf, Signature, type Signer } from "./signature.ts";
import { HelperVault, KeyVault, type Vault } from "./vault.ts";

/** What uses the keys of secrets, here or in the helper that holds them. */
export function vaultOf(held: Keys["held"], state: Parameters<typeof ownerOfRow>[0]): Vault {
  const ownerOf = (row: string) => ownerOfRow(state, row);
  return "helper" in held ? new HelperVault(new RemoteCalls(held.helper), ownerOf) : new KeyVault(held, ownerOf);
}

/** What seals logs and content, from data keys here or in the helper that holds them. */
export function engineKeysIn(held: Pick<HeldKeys, "ring"> | { readonly helper: string }): EngineKeys {
  return "helper" in held ? engineKeysBeside(new RemoteCalls(held.helper)) : engineKeysOf(ringAt(held.ring));
}

/** What signs, here or in the helper that holds the key. */
export async function signerOf(held: Keys["held"]): Promise<Signer> {
  if (!("helper" in held)) return new Signature(held.signingKey);
  const calls = new RemoteCalls(held.helper);
  const publicKey = await calls.ask<string>("publicKey");
  return { publicKey, keyId: keyIdOf(publicKey), of: (text) => calls.ask<string>("sign", text) };
}
