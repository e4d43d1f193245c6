import type { Instant, TokenId, User } from "@tessera/core";
import type { PasskeyMade } from "@tessera/wire";
import {
  type Factor,
  type Factors,
  newRecoveryCodes,
  type PasskeyFactor,
  passkeysOf,
  recoveryHash,
  recoveryId,
  totpRow,
} from "../../access/factors.ts";
import { offerPasskey, passkeyMade, passkeyName } from "../../access/passkeys.ts";
import type { People } from "../../access/people.ts";
import { newTotpSecret, totpStepOf, totpUri } from "../../access/totp.ts";
import type { Vault } from "../../access/vault.ts";
import type { Asker, ControlPlane } from "../../flow/control.ts";
import { newId } from "../../flow/ids.ts";
import { removeFactor, writeFactor } from "../../flow/people/factors.ts";
import { type Denial, deny } from "../answer/problem.ts";
import { challengeMs } from "./factor-checks.ts";
import type { FactorCaller, FactorTries } from "./factor-tries.ts";

const factorsPerUserMax = 10;

interface Ground {
  readonly control: ControlPlane;
  readonly people: People;
  readonly factors: Factors;
  readonly vault: Vault;
  readonly tries: FactorTries;
}

/** What was offered and is not added yet: the secret of an app, or what a passkey must sign. */
interface Offer {
  readonly secret?: string;
  readonly challenge?: string;
  readonly expiresAt: Instant;
}

/** Adds and removes second factors. */
export class FactorChanges {
  readonly #ground: Ground;
  readonly #offers = new Map<TokenId, Offer>();

  constructor(ground: Ground) {
    this.#ground = ground;
  }

  async offer({ principal: { user, token }, host }: FactorCaller, kind: "totp" | "passkey") {
    const { control, factors, people } = this.#ground;
    const expiresAt = control.now() + challengeMs;
    if (kind === "totp") {
      const secret = newTotpSecret();
      this.#offers.set(token.id, { secret, expiresAt });
      return { secret, uri: totpUri(secret, people.nameOf(user.id), host) };
    }
    const name = passkeyName(host);
    if (name === undefined) return noPasskeys(host);
    const known = passkeysOf(factors, user.id).map(([, passkey]) => passkey);
    const options = await offerPasskey(name, user.id, people.nameOf(user.id), known);
    this.#offers.set(token.id, { challenge: options.challenge, expiresAt });
    return { options: { ...options } };
  }

  /** Adds what was offered once it is shown to work. The first one comes with recovery codes. */
  async add(
    caller: FactorCaller,
    by: Asker,
    { label, code, passkey }: { label?: string; code?: string; passkey?: PasskeyMade },
  ): Promise<{ id: string; codes?: string[] } | Denial> {
    const { user, token } = caller.principal;
    const { control, factors, tries } = this.#ground;
    const offer = this.#offers.get(token.id);
    if (offer === undefined || offer.expiresAt < control.now())
      return deny("conflict", "No second factor was offered, or too long ago.", "Begin again.");
    if (factors.of(user.id).size >= factorsPerUserMax)
      return deny("conflict", `You have ${factorsPerUserMax} factors, which is the most.`, "Remove one first.");
    const tooSoon = tries.begin(caller);
    if (tooSoon !== undefined) return tooSoon;
    const id = newId("fac_");
    const named = { label: label ?? "", createdAt: control.now() };
    const factor =
      passkey === undefined
        ? await this.#totp(id, user, named, offer.secret, code)
        : await madeFor(caller.host, offer.challenge, named, passkey);
    if (factor === undefined) return tries.wrong(caller, "The code or passkey is not the one that was offered.");
    tries.right(caller);
    const done = await writeFactor(control, factors, user, id, factor, by);
    if (done !== undefined) return done;
    this.#offers.delete(token.id);
    if (factors.of(user.id).has(recoveryId)) return { id };
    const codes = await this.renewCodes(user, by);
    return "refused" in codes ? codes : { id, codes };
  }

  async renewCodes(user: User, by: Asker): Promise<string[] | Denial> {
    const { control, factors } = this.#ground;
    const codes = newRecoveryCodes();
    const hashes = codes.map(recoveryHash);
    const factor: Factor = { kind: "recovery", label: "", createdAt: control.now(), hashes };
    return (await writeFactor(control, factors, user, recoveryId, factor, by)) ?? codes;
  }

  /** Removes a factor; with the last one the recovery codes go, since there is nothing to recover. */
  async remove(user: User, id: string, by: Asker): Promise<Denial | undefined> {
    const { control, factors } = this.#ground;
    const last = [...factors.of(user.id).keys()].every((each) => each === id || each === recoveryId);
    for (const each of last ? [id, recoveryId] : [id]) {
      const refused = await removeFactor(control, factors, user, each, by);
      if (refused !== undefined) return refused;
    }
    return undefined;
  }

  /** Forgets sessions that are gone. Called now and then. */
  sweep(): void {
    const { state } = this.#ground.control;
    for (const id of this.#offers.keys()) if (!state.tokens.has(id)) this.#offers.delete(id);
  }

  async #totp(
    id: string,
    user: User,
    named: { readonly label: string; readonly createdAt: Instant },
    secret: string | undefined,
    code: string | undefined,
  ): Promise<Factor | undefined> {
    const { control, factors, vault } = this.#ground;
    const step = secret === undefined ? undefined : totpStepOf(secret, code ?? "", control.now());
    if (secret === undefined || step === undefined) return undefined;
    control.notePrivate([factors.noteUse(user.id, id, { at: control.now(), step })]);
    const sealed = Buffer.from(await vault.seal(totpRow(id), secret)).toString("base64");
    return { kind: "totp", ...named, sealed };
  }
}

async function madeFor(
  host: string,
  challenge: string | undefined,
  named: { readonly label: string; readonly createdAt: Instant },
  made: PasskeyMade,
): Promise<PasskeyFactor | undefined> {
  const passkey = challenge === undefined ? undefined : await passkeyMade(host, challenge, made);
  return passkey && { kind: "passkey", ...named, ...passkey };
}

function noPasskeys(host: string): Denial {
  const port = /:\d+$/.exec(host)?.[0] ?? "";
  return deny(
    "unsupported",
    `Browsers make no passkeys for ${host}: it is not a name.`,
    `Open the console by a name, on this machine http://localhost${port}, or use an authenticator app.`,
  );
}
