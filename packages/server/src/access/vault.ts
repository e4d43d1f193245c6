import type { LeaseOrder } from "@tessera/engine";
import type { RemoteCalls } from "@tessera/engine/remote";
import type { HeldKeys } from "./keys.ts";
import { ringAt } from "./ring/place.ts";
import type { Ring } from "./ring/ring.ts";
import { openSecret, type SealedSecrets, sealSecret, unopenedSecrets } from "./secrets.ts";

/** Seals secrets and has them opened, wherever their key is. */
export interface Vault {
  seal(row: string, value: string): Promise<Uint8Array>;
  /** The rows that the key does not open. */
  unopened(sealed: ReadonlyMap<string, Uint8Array>): Promise<string[]>;
  /** What this process itself shows elsewhere: the token of an anchor, the credentials of an engine. */
  openToken(row: string, sealed: Uint8Array): Promise<string>;
  /** The secrets of a job, as its orders carry them. Throws when one does not open. */
  forOrder(sealed: SealedSecrets): Promise<Pick<LeaseOrder, "secrets" | "sealedSecrets">>;
}

/** With the keys in this process. `ownerOf` says whose data key seals a row. */
export class KeyVault implements Vault {
  readonly #keys: { readonly ring: Ring; readonly oneKey: Buffer };
  readonly #ownerOf: (row: string) => string;

  constructor({ ring, secretsKey }: Pick<HeldKeys, "ring" | "secretsKey">, ownerOf: (row: string) => string) {
    this.#keys = { ring: ringAt(ring), oneKey: secretsKey };
    this.#ownerOf = ownerOf;
  }

  async seal(row: string, value: string): Promise<Uint8Array> {
    const { ring } = this.#keys;
    await ring.master.current(); // what is set while the master key is away might never be opened again
    return sealSecret(await ring.current(this.#ownerOf(row)), row, value);
  }

  async unopened(sealed: ReadonlyMap<string, Uint8Array>): Promise<string[]> {
    return unopenedSecrets(this.#keys, sealed);
  }

  async openToken(row: string, sealed: Uint8Array): Promise<string> {
    return openSecret(this.#keys, row, sealed);
  }

  async forOrder(sealed: SealedSecrets): Promise<Pick<LeaseOrder, "secrets">> {
    const clear = [...sealed].map(async ([name, { row, value }]) => [name, await openSecret(this.#keys, row, value)]);
    return { secrets: Object.fromEntries(await Promise.all(clear)) as Record<string, string> };
  }
}

/** With the key in the helper, which opens secrets only for the members that it starts. */
export class HelperVault implements Vault {
  readonly #calls: RemoteCalls;
  readonly #ownerOf: (row: string) => string;

  constructor(calls: RemoteCalls, ownerOf: (row: string) => string) {
    this.#calls = calls;
    this.#ownerOf = ownerOf;
  }

  async seal(row: string, value: string): Promise<Uint8Array> {
    return Buffer.from(await this.#calls.ask<string>("sealSecret", row, value, this.#ownerOf(row)), "base64");
  }

  unopened(sealed: ReadonlyMap<string, Uint8Array>): Promise<string[]> {
    const rows = [...sealed].map(([row, value]) => [row, Buffer.from(value).toString("base64")]);
    return this.#calls.ask("unopenedSecrets", Object.fromEntries(rows));
  }

  openToken(row: string, sealed: Uint8Array): Promise<string> {
    return this.#calls.ask("openToken", row, Buffer.from(sealed).toString("base64"));
  }

  async forOrder(sealed: SealedSecrets): Promise<Pick<LeaseOrder, "secrets" | "sealedSecrets">> {
    const rows = [...sealed].map(([name, { row, value }]) => [
      name,
      { row, value: Buffer.from(value).toString("base64") },
    ]);
    return { secrets: {}, sealedSecrets: Object.fromEntries(rows) };
  }
}
