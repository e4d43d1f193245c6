import { createHash, randomBytes } from "node:crypto";
import type { Instant } from "@tessera/core";

/** How long a person may take at the provider. */
export const pendingMsMax = 10 * 60_000;
const pendingMax = 10_000;
const perAddressMax = 100;

/** A sign-in that has begun: the browser is at the provider. */
export interface Pending {
  readonly provider: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly redirectUri: string;
  /** Hash of the cookie of the browser that began. */
  readonly browser: string;
  readonly address: string;
  readonly expiresAt: Instant;
}

export function browserHash(cookie: string): string {
  return createHash("sha256").update(cookie).digest("base64url");
}

/** Sign-ins that have begun, by `state`. In memory: a restart ends them. Each is taken once, whatever comes of it. */
export class PendingSignIns {
  readonly #byState = new Map<string, Pending>();

  add(pending: Omit<Pending, "expiresAt">, now: Instant): string {
    for (const [state, { expiresAt }] of this.#byState) {
      if (expiresAt > now) break;
      this.#byState.delete(state);
    }
    const near = [...this.#byState].filter(([, { address }]) => address === pending.address);
    if (near.length >= perAddressMax) this.#byState.delete(near[0]![0]);
    if (this.#byState.size >= pendingMax) this.#byState.delete(this.#byState.keys().next().value ?? "");
    const state = randomBytes(32).toString("base64url");
    this.#byState.set(state, { ...pending, expiresAt: now + pendingMsMax });
    return state;
  }

  take(state: string, now: Instant): Pending | undefined {
    const pending = this.#byState.get(state);
    this.#byState.delete(state);
    return pending !== undefined && pending.expiresAt > now ? pending : undefined;
  }
}
