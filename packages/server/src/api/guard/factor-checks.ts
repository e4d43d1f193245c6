import type { Instant, TokenId, User } from "@tessera/core";
import type { FactorShow, PasskeyShown } from "@tessera/wire";
import { type Factors, passkeysOf, recoveryHash, sealedTotp, totpRow } from "../../access/factors.ts";
import { challengePasskeys, passkeyName, passkeyShown } from "../../access/passkeys.ts";
import { soundPrivates } from "../../access/private-rows.ts";
import { totpStepOf } from "../../access/totp.ts";
import type { Vault } from "../../access/vault.ts";
import type { Asker, ControlPlane } from "../../flow/control.ts";
import { writeFactor } from "../../flow/people/factors.ts";
import type { Denial } from "../answer/problem.ts";
import type { FactorCaller, FactorTries } from "./factor-tries.ts";

/** So long may a passkey take to sign. */
export const challengeMs = 10 * 60_000;

interface Ground {
  readonly control: ControlPlane;
  readonly factors: Factors;
  readonly vault: Vault;
  readonly tries: FactorTries;
}

/** Checks the second factors that people show. */
export class FactorChecks {
  readonly #ground: Ground;
  /** What a passkey of the session must sign. */
  readonly #challenges = new Map<TokenId, { readonly challenge: string; readonly expiresAt: Instant }>();

  constructor(ground: Ground) {
    this.#ground = ground;
  }

  async challenge({ principal: { user, token }, host }: FactorCaller) {
    const { control, factors } = this.#ground;
    const passkeys = passkeysOf(factors, user.id).map(([, passkey]) => passkey);
    const kinds = [...new Set([...factors.of(user.id).values()].map(({ kind }) => kind))].filter(
      (kind) => kind !== "recovery",
    );
    const name = passkeyName(host);
    if (passkeys.length === 0 || name === undefined) return { kinds };
    const options = await challengePasskeys(name, passkeys);
    this.#challenges.set(token.id, { challenge: options.challenge, expiresAt: control.now() + challengeMs });
    return { kinds, options: { ...options } };
  }

  /** Undefined once the factor is right. */
  async show(caller: FactorCaller, by: Asker, { code, passkey }: FactorShow): Promise<Denial | undefined> {
    const { tries } = this.#ground;
    const tooSoon = tries.begin(caller);
    if (tooSoon !== undefined) return tooSoon;
    const { user } = caller.principal;
    const right =
      passkey === undefined
        ? await this.#codeIsRight(user, (code ?? "").trim(), by)
        : await this.#passkeyIsRight(caller, passkey);
    if (!right) return tries.wrong(caller, "The second factor is not right, or was used before.");
    tries.right(caller);
    return undefined;
  }

  /** Forgets sessions that are gone. Called now and then. */
  sweep(): void {
    const { state } = this.#ground.control;
    for (const id of this.#challenges.keys()) if (!state.tokens.has(id)) this.#challenges.delete(id);
  }

  async #codeIsRight(user: User, code: string, by: Asker): Promise<boolean> {
    const { control, factors, vault } = this.#ground;
    for (const [id, factor] of factors.of(user.id)) {
      if (factor.kind === "totp" && /^\d{6}$/.test(code)) {
        const sealed = await this.#sealedTotp(user, id);
        if (sealed === undefined) continue;
        const secret = await vault.openToken(totpRow(id), sealed);
        const step = totpStepOf(secret, code, control.now(), factors.use(user.id, id)?.step);
        if (step === undefined) continue;
        control.notePrivate([factors.noteUse(user.id, id, { at: control.now(), step })]);
        return true;
      }
      if (factor.kind !== "recovery" || !factor.hashes.includes(recoveryHash(code))) continue;
      const left = { ...factor, hashes: factor.hashes.filter((hash) => hash !== recoveryHash(code)) };
      // Taken out of memory first: the same code must not be good twice while it is written.
      factors.set(user.id, id, left);
      return (await writeFactor(control, factors, user, id, left, by)) === undefined;
    }
    return false;
  }

  /** As it is kept now: another key may have sealed it since it was read into memory. */
  async #sealedTotp(user: User, id: string): Promise<Uint8Array | undefined> {
    const { reader, state } = this.#ground.control;
    const key = `${user.id}/${id}`;
    const row = (await soundPrivates(reader, state, "factor", [key])).get(key);
    return row && sealedTotp(row);
  }

  async #passkeyIsRight({ principal: { user, token }, host }: FactorCaller, shown: PasskeyShown): Promise<boolean> {
    const { control, factors } = this.#ground;
    const asked = this.#challenges.get(token.id);
    this.#challenges.delete(token.id);
    const own = passkeysOf(factors, user.id).find(([, { credential }]) => credential === shown.id);
    if (own === undefined || asked === undefined || asked.expiresAt < control.now()) return false;
    const [id, passkey] = own;
    const newest = { ...passkey, counter: factors.use(user.id, id)?.counter ?? passkey.counter };
    const counter = await passkeyShown(host, asked.challenge, newest, shown);
    if (counter === undefined) return false;
    control.notePrivate([factors.noteUse(user.id, id, { at: control.now(), counter })]);
    return true;
  }
}
