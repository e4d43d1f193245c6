import { isSigned, keyIdOf } from "./hash.ts";

/** A signing key as a journal or an extract names it; each but the first is signed by the key before. */
export interface NamedKey {
  readonly publicKey: string;
  readonly signature?: string;
}

/** The keys that the pinned key leads to, itself first. */
export class Keys {
  readonly #keys: string[];

  constructor(pinned: string) {
    this.#keys = [pinned];
  }

  /** Takes the next key; false where the key before did not sign it. The keys up to the pinned one are passed over. */
  follow({ publicKey, signature }: NamedKey): boolean {
    if (this.#keys.includes(publicKey)) return true;
    if (signature === undefined || !isSigned(`tessera-key/1 ${publicKey}`, signature, this.#keys.at(-1)!)) return false;
    this.#keys.push(publicKey);
    return true;
  }

  /** All keys of a list from the pinned one on; false where one was not signed, or the pinned one is not there. */
  followAll(keys: readonly NamedKey[]): boolean {
    const first = keys.findIndex(({ publicKey }) => publicKey === this.#keys[0]);
    return first !== -1 && keys.slice(first + 1).every((key) => this.follow(key));
  }

  has(publicKey: string): boolean {
    return this.#keys.includes(publicKey);
  }

  withId(id: string): string | undefined {
    return this.#keys.find((key) => keyIdOf(key) === id);
  }
}
