import type { LeaseOrder } from "@tessera/engine";
import type { RemoteCalls } from "@tessera/engine/remote";
import { decryptSecret, encryptSecret, type SealedSecrets, unopenedSecrets } from "./secrets.ts";

/** Seals secrets and has them opened, wherever their key is. */
export interface Vault {
  seal(row: string, value: string): Promise<Uint8Array>;
  /** The rows that the key does not open. */
  unopened(sealed: ReadonlyMap<string, Uint8Array>): Promise<string[]>;
  /** What this process itself shows elsewhere: the token of an anchor, the credentials of an engine. */
  openToken(row: string, sealed: Uint8Array): Promise<string>;
  /** The secrets of a job, as its orders carry them. Throws when one does not open. */
  forOrder(sealed: SealedSecrets): Pick<LeaseOrder, "secrets" | "sealedSecrets">;
}

/** With the key in this process. */
export class KeyVault implements Vault {
  readonly #key: Buffer;

  constructor(key: Buffer) {
    this.#key = key;
  }

  async seal(row: string, value: string): Promise<Uint8Array> {
    return encryptSecret(this.#key, row, value);
  }

  async unopened(sealed: ReadonlyMap<string, Uint8Array>): Promise<string[]> {
    return unopenedSecrets(this.#key, sealed);
  }

  async openToken(row: string, sealed: Uint8Array): Promise<string> {
    return decryptSecret(this.#key, row, sealed);
  }

  forOrder(sealed: SealedSecrets): Pick<LeaseOrder, "secrets"> {
    const clear = [...sealed].map(([name, { row, value }]) => [name, decryptSecret(this.#key, row, value)]);
    return { secrets: Object.fromEntries(clear) };
  }
}

/** With the key in the helper, which opens secrets only for the members that it starts. */
export class HelperVault implements Vault {
  readonly #calls: RemoteCalls;

  constructor(calls: RemoteCalls) {
    this.#calls = calls;
  }

  async seal(row: string, value: string): Promise<Uint8Array> {
    return Buffer.from(await this.#calls.ask<string>("sealSecret", row, value), "base64");
  }

  unopened(sealed: ReadonlyMap<string, Uint8Array>): Promise<string[]> {
    const rows = [...sealed].map(([row, value]) => [row, Buffer.from(value).toString("base64")]);
    return this.#calls.ask("unopenedSecrets", Object.fromEntries(rows));
  }

  openToken(row: string, sealed: Uint8Array): Promise<string> {
    return this.#calls.ask("openToken", row, Buffer.from(sealed).toString("base64"));
  }

  forOrder(sealed: SealedSecrets): Pick<LeaseOrder, "secrets" | "sealedSecrets"> {
    const rows = [...sealed].map(([name, { row, value }]) => [
      name,
      { row, value: Buffer.from(value).toString("base64") },
    ]);
    return { secrets: {}, sealedSecrets: Object.fromEntries(rows) };
  }
}
