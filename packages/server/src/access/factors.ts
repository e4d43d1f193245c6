import { randomBytes } from "node:crypto";
import type { Instant, ReadonlyState, UserId } from "@tessera/core";
import type { PrivateWrite, StoreReader } from "../store/port.ts";
import { soundPrivates } from "./private-rows.ts";
import { tokenHash } from "./tokens.ts";
import { base32 } from "./totp.ts";

interface Named {
  readonly label: string;
  readonly createdAt: Instant;
}
export interface TotpFactor extends Named {
  readonly kind: "totp";
  /** Base64 of the secret as the vault seals it. */
  readonly sealed: string;
}
export interface PasskeyFactor extends Named {
  readonly kind: "passkey";
  readonly credential: string;
  /** Base64url of the COSE key. */
  readonly publicKey: string;
  readonly counter: number;
  readonly transports: readonly string[];
}
/** Codes for when the device is lost; each is used once. */
export interface RecoveryFactor extends Named {
  readonly kind: "recovery";
  readonly hashes: readonly string[];
}
export type Factor = TotpFactor | PasskeyFactor | RecoveryFactor;

/** How far a factor has been used: an earlier step or counter is a replay. */
interface Use {
  readonly at: Instant;
  readonly step?: number;
  readonly counter?: number;
}

/** One recovery row for each user. */
export const recoveryId = "recovery";
const codesMade = 10;

/** What users can show besides a password, in memory. Only the API writes these rows. */
export class Factors {
  readonly #byUser = new Map<UserId, Map<string, Factor>>();
  readonly #uses = new Map<string, Use>();
  readonly #byCredential = new Map<string, readonly [UserId, string]>();

  static async load(reader: StoreReader, state: ReadonlyState): Promise<Factors> {
    const factors = new Factors();
    for (const [key, value] of await soundPrivates(reader, state, "factor")) {
      const [user, id] = key.split("/") as [UserId, string];
      factors.set(user, id, JSON.parse(Buffer.from(value).toString("utf8")) as Factor);
    }
    for (const [key, value] of await reader.privates("factor-use"))
      factors.#uses.set(key, JSON.parse(Buffer.from(value).toString("utf8")) as Use);
    return factors;
  }

  of(user: UserId): ReadonlyMap<string, Factor> {
    return this.#byUser.get(user) ?? new Map();
  }

  /** Whether the user has a factor; recovery codes alone are none. */
  has(user: UserId): boolean {
    return [...this.of(user).values()].some(({ kind }) => kind !== "recovery");
  }

  /** Whose passkey it is, and which. */
  passkey(
    credential: string,
  ): { readonly user: UserId; readonly id: string; readonly passkey: PasskeyFactor } | undefined {
    const [user, id] = this.#byCredential.get(credential) ?? [];
    const passkey = user === undefined || id === undefined ? undefined : this.of(user).get(id);
    if (user === undefined || id === undefined || passkey?.kind !== "passkey") return undefined;
    return { user, id, passkey };
  }

  set(user: UserId, id: string, factor: Factor): void {
    const own = this.#byUser.get(user) ?? new Map<string, Factor>();
    this.#byUser.set(user, own.set(id, factor));
    if (factor.kind === "passkey") this.#byCredential.set(factor.credential, [user, id]);
  }

  remove(user: UserId, id: string): void {
    const factor = this.#byUser.get(user)?.get(id);
    if (factor?.kind === "passkey") this.#byCredential.delete(factor.credential);
    this.#byUser.get(user)?.delete(id);
    this.#uses.delete(`${user}/${id}`);
  }

  use(user: UserId, id: string): Use | undefined {
    return this.#uses.get(`${user}/${id}`);
  }

  /** What is written of a use; a restart must not make the same code good again. */
  noteUse(user: UserId, id: string, use: Use): PrivateWrite {
    const key = `${user}/${id}`;
    this.#uses.set(key, use);
    return { kind: "factor-use", key, value: Buffer.from(JSON.stringify(use)) };
  }

  /** All rows of a user, to be erased. */
  eraseRows(user: UserId): PrivateWrite[] {
    return [...this.of(user).keys()].flatMap((id) => [
      { kind: "factor", key: `${user}/${id}`, value: null },
      { kind: "factor-use", key: `${user}/${id}`, value: null },
    ]);
  }

  forget(user: UserId): void {
    for (const id of [...this.of(user).keys()]) this.remove(user, id);
    this.#byUser.delete(user);
  }
}

/** The passkeys of a user, by their ids. */
export function passkeysOf(factors: Factors, user: UserId): [string, PasskeyFactor][] {
  return [...factors.of(user)].flatMap(([id, factor]) => (factor.kind === "passkey" ? [[id, factor]] : []));
}

/** What the secret of a TOTP factor is bound to. */
export function totpRow(id: string): string {
  return `factor/${id}`;
}

/** The sealed secret in the row of a factor; undefined where it holds none. */
export function sealedTotp(row: Uint8Array): Uint8Array | undefined {
  const factor = JSON.parse(Buffer.from(row).toString("utf8")) as Factor;
  return factor.kind === "totp" ? Buffer.from(factor.sealed, "base64") : undefined;
}

/** The row with its secret sealed by another key. */
export function withTotp(row: Uint8Array, sealed: Uint8Array): Uint8Array {
  const factor = JSON.parse(Buffer.from(row).toString("utf8")) as TotpFactor;
  return Buffer.from(JSON.stringify({ ...factor, sealed: Buffer.from(sealed).toString("base64") }));
}

/** With a salt: the journal keeps a digest of the row. */
export function factorRow(user: UserId, id: string, factor: Factor): PrivateWrite {
  const salt = randomBytes(16).toString("base64url");
  return { kind: "factor", key: `${user}/${id}`, value: Buffer.from(JSON.stringify({ ...factor, salt })) };
}

/** 80 random bits each: too many to be tried, so that a plain hash is enough. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: codesMade }, () =>
    base32(randomBytes(10))
      .toLowerCase()
      .replaceAll(/.{4}(?=.)/g, "$&-"),
  );
}

/** As it was typed: with or without dashes, in either case. */
export function recoveryHash(code: string): string {
  return tokenHash(`recovery ${code.toLowerCase().replaceAll(/[\s-]/g, "")}`);
}
