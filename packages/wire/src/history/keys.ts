import { isSigned, keyIdOf } from "./hashes.ts";

/** A signing key as a server tells it; each but the first is signed by the key before. */
export interface NamedKey {
  readonly publicKey: string;
  readonly signature?: string | undefined;
}

/** What the key before signs to name the next one. */
export function keyText(publicKey: string): string {
  return `tessera-key/1 ${publicKey}`;
}

/** The keys that a pinned key leads to, itself first: each is signed by the one before. Empty where it is not among them. */
export async function keysFrom(pinned: string, keys: readonly NamedKey[]): Promise<string[]> {
  const first = keys.findIndex(({ publicKey }) => publicKey === pinned);
  if (first === -1) return [];
  const led = [pinned];
  for (const { publicKey, signature } of keys.slice(first + 1)) {
    if (signature === undefined || !(await isSigned(keyText(publicKey), signature, led.at(-1)!))) break;
    led.push(publicKey);
  }
  return led;
}

/** The one of these keys with this id. */
export async function keyWithId(id: string, keys: readonly string[]): Promise<string | undefined> {
  for (const key of keys) if ((await keyIdOf(key)) === id) return key;
  return undefined;
}
