import { type Instant, isRefusal, pathUp, rootAccount, type Token, type TokenId, type User } from "@tessera/core";
import type { FactorShow, PasskeyMade, PasskeyShown, Route } from "@tessera/wire";
import {
  type Factor,
  type Factors,
  factorRow,
  newRecoveryCodes,
  type PasskeyFactor,
  recoveryHash,
  recoveryId,
  sealedTotp,
  totpRow,
} from "../../access/factors.ts";
import { challengePasskeys, offerPasskey, passkeyMade, passkeyName, passkeyShown } from "../../access/passkeys.ts";
import type { People } from "../../access/people.ts";
import type { Principal } from "../../access/principal.ts";
import { soundPrivates } from "../../access/private-rows.ts";
import { isSession } from "../../access/session.ts";
import { SignInAttempts } from "../../access/session-attempts.ts";
import { newTotpSecret, totpStepOf, totpUri } from "../../access/totp.ts";
import type { Vault } from "../../access/vault.ts";
import type { Asker, ControlPlane } from "../../flow/control.ts";
import { newId } from "../../flow/ids.ts";
import type { Notices } from "../../flow/notice/notices.ts";
import { accountOfUser } from "../../flow/project/audit.ts";
import { type Denial, deny } from "../answer/problem.ts";

/** For so long a factor that was shown counts for dangerous acts. */
export const stepUpMs = 5 * 60_000;
const offerMs = 10 * 60_000;
const factorsPerUserMax = 10;

interface Ground {
  readonly control: ControlPlane;
  readonly people: People;
  readonly factors: Factors;
  readonly vault: Vault;
  readonly notices: Notices;
  /** Whether only this machine can connect. */
  readonly local: boolean;
}

interface Caller {
  readonly principal: Principal;
  readonly address: string;
  readonly requestId: string;
  /** Host and port that the browser talks to. */
  readonly host: string;
}

/** What was begun and is not done: the secret of an app, or what a passkey must sign. */
interface Pending {
  readonly secret?: string;
  readonly challenge?: string;
  readonly expiresAt: Instant;
}

/**
 * Who needs a second factor, and when it was shown last. What a session showed is remembered here, by its token: after a
 * restart it is asked for again.
 */
export class SecondFactors {
  readonly #ground: Ground;
  readonly #attempts = new SignInAttempts();
  readonly #shownAt = new Map<TokenId, Instant>();
  readonly #pending = new Map<TokenId, Pending>();

  constructor(ground: Ground) {
    this.#ground = ground;
  }

  /** Whether the user cannot work without one: they have one, or their roles or accounts ask for it. */
  needs(user: User): boolean {
    const { control, factors, local } = this.#ground;
    if (factors.has(user.id)) return true;
    const { state } = control;
    const { factorRoles } = state.policy;
    return user.bindings.some(
      ({ role, account }) =>
        (factorRoles === undefined ? !local && account === rootAccount : factorRoles.includes(role)) ||
        [...pathUp(state, account)].some(({ terms }) => terms.factor),
    );
  }

  /** What must come before anything else; undefined where nothing must. */
  missing({ user, token }: Principal): "show" | "enrol" | undefined {
    if (!isOfPerson(token) || this.#factorAt(token) !== undefined || !this.needs(user)) return undefined;
    return this.#ground.factors.has(user.id) ? "show" : "enrol";
  }

  /** Whether a person has to show a factor before this. */
  stepUp({ user, token }: Principal, route: Pick<Route, "stepUp">, body?: Readonly<Record<string, unknown>>) {
    if (route.stepUp === undefined || !isOfPerson(token)) return undefined;
    if (route.stepUp === "force" && body?.force !== true) return undefined;
    const { control, factors } = this.#ground;
    const at = this.#factorAt(token);
    if (!factors.has(user.id) && at === undefined) return undefined;
    if (at !== undefined && control.now() - at <= stepUpMs) return undefined;
    const hint = factors.has(user.id)
      ? "Show your second factor in the console, and repeat the request."
      : "Sign in again with your provider, and repeat the request.";
    return deny("step-up-required", "This needs a second factor that was shown within the last 5 minutes.", hint);
  }

  noteShown(token: Token): void {
    this.#shownAt.set(token.id, this.#ground.control.now());
  }

  /** Forgets sessions that are gone. Called now and then. */
  sweep(): void {
    const { state } = this.#ground.control;
    for (const kept of [this.#shownAt, this.#pending])
      for (const id of kept.keys()) if (!state.tokens.has(id)) kept.delete(id);
  }

  async offer({ principal: { user, token }, host }: Caller, kind: "totp" | "passkey") {
    const { control, factors, people } = this.#ground;
    const expiresAt = control.now() + offerMs;
    if (kind === "totp") {
      const secret = newTotpSecret();
      this.#pending.set(token.id, { secret, expiresAt });
      return { secret, uri: totpUri(secret, people.nameOf(user.id), host) };
    }
    const name = passkeyName(host);
    if (name === undefined) return noPasskeys(host);
    const known = passkeysOf(factors, user).map(([, passkey]) => passkey);
    const options = await offerPasskey(name, user.id, people.nameOf(user.id), known);
    this.#pending.set(token.id, { challenge: options.challenge, expiresAt });
    return { options: { ...options } };
  }

  /** Adds what was offered once it is shown to work. The first one comes with recovery codes. */
  async add(
    caller: Caller,
    by: Asker,
    { label, code, passkey }: { label?: string; code?: string; passkey?: PasskeyMade },
  ): Promise<{ id: string; codes?: string[] } | Denial> {
    const { principal } = caller;
    const { user, token } = principal;
    const { control, factors } = this.#ground;
    const pending = this.#pending.get(token.id);
    if (pending === undefined || pending.expiresAt < control.now())
      return deny("conflict", "No second factor was offered, or too long ago.", "Begin again.");
    if (factors.of(user.id).size >= factorsPerUserMax)
      return deny("conflict", `You have ${factorsPerUserMax} factors, which is the most.`, "Remove one first.");
    const tooSoon = this.#tooSoon(caller);
    if (tooSoon !== undefined) return tooSoon;
    const id = newId("fac_");
    const named = { label: label ?? "", createdAt: control.now() };
    const factor =
      passkey === undefined
        ? await this.#totp(id, user, named, pending.secret, code)
        : await madeFor(caller.host, pending.challenge, named, passkey);
    if (factor === undefined) return this.#wrong(caller, "The code or passkey is not the one that was offered.");
    this.#attempts.succeeded(this.#attemptOf(caller));
    const done = await this.#write(user, id, factor, by);
    if (done !== undefined) return done;
    this.#pending.delete(token.id);
    this.noteShown(token);
    if (factors.of(user.id).has(recoveryId)) return { id };
    const codes = await this.renewCodes(user, by);
    return "refused" in codes ? codes : { id, codes };
  }

  async #totp(
    id: string,
    user: User,
    named: { label: string; createdAt: Instant },
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

  async renewCodes(user: User, by: Asker): Promise<string[] | Denial> {
    const codes = newRecoveryCodes();
    const createdAt = this.#ground.control.now();
    const factor: Factor = { kind: "recovery", label: "", createdAt, hashes: codes.map(recoveryHash) };
    return (await this.#write(user, recoveryId, factor, by)) ?? codes;
  }

  async #write(user: User, id: string, factor: Factor, by: Asker): Promise<Denial | undefined> {
    const { control, factors } = this.#ground;
    const command = { kind: "factor.set", user: user.id, factor: id, what: factor.kind } as const;
    const done = await control.ask(command, by, [factorRow(user.id, id, factor)]);
    if (isRefusal(done)) return done;
    factors.set(user.id, id, factor);
    return undefined;
  }

  /** Removes a factor; with the last one the recovery codes go, since there is nothing to recover. */
  async remove(user: User, id: string, by: Asker): Promise<Denial | undefined> {
    const { control, factors } = this.#ground;
    const last = [...factors.of(user.id).keys()].every((each) => each === id || each === recoveryId);
    for (const each of last ? [id, recoveryId] : [id]) {
      if (!factors.of(user.id).has(each)) continue;
      const rows = ["factor", "factor-use"].map((kind) => ({ kind, key: `${user.id}/${each}`, value: null }));
      const done = await control.ask({ kind: "factor.remove", user: user.id, factor: each }, by, rows);
      if (isRefusal(done)) return done;
      factors.remove(user.id, each);
    }
    return undefined;
  }

  async challenge({ principal: { user, token }, host }: Caller) {
    const { control, factors } = this.#ground;
    const passkeys = passkeysOf(factors, user);
    const kinds = [...new Set([...factors.of(user.id).values()].map(({ kind }) => kind))].filter(
      (kind) => kind !== "recovery",
    );
    const name = passkeyName(host);
    if (passkeys.length === 0 || name === undefined) return { kinds };
    const options = await challengePasskeys(
      name,
      passkeys.map(([, passkey]) => passkey),
    );
    this.#pending.set(token.id, { challenge: options.challenge, expiresAt: control.now() + offerMs });
    return { kinds, options: { ...options } };
  }

  /** Undefined once the factor is right. Counted and slowed down as passwords are. */
  async show(caller: Caller, by: Asker, { code, passkey }: FactorShow): Promise<Denial | undefined> {
    const tooSoon = this.#tooSoon(caller);
    if (tooSoon !== undefined) return tooSoon;
    const { user } = caller.principal;
    const right =
      passkey === undefined
        ? await this.#codeIsRight(user, (code ?? "").trim(), by)
        : await this.#passkeyIsRight(caller, passkey);
    if (!right) return this.#wrong(caller, "The second factor is not right, or was used before.");
    this.#attempts.succeeded(this.#attemptOf(caller));
    return undefined;
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
      return (await this.#write(user, id, left, by)) === undefined;
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

  async #passkeyIsRight({ principal: { user, token }, host }: Caller, shown: PasskeyShown): Promise<boolean> {
    const { control, factors } = this.#ground;
    const pending = this.#pending.get(token.id);
    this.#pending.delete(token.id);
    const own = passkeysOf(factors, user).find(([, { credential }]) => credential === shown.id);
    if (own === undefined || pending?.challenge === undefined || pending.expiresAt < control.now()) return false;
    const [id, passkey] = own;
    const newest = { ...passkey, counter: factors.use(user.id, id)?.counter ?? passkey.counter };
    const counter = await passkeyShown(host, pending.challenge, newest, shown);
    if (counter === undefined) return false;
    control.notePrivate([factors.noteUse(user.id, id, { at: control.now(), counter })]);
    return true;
  }

  /** When this session showed a factor last, or its provider said so. */
  #factorAt(token: Token): Instant | undefined {
    const [here, before] = [this.#shownAt.get(token.id), token.signIn?.factorAt];
    return here === undefined || before === undefined ? (here ?? before) : Math.max(here, before);
  }

  #attemptOf({ principal: { user, token }, address }: Caller) {
    return { name: user.id, address, device: token.id };
  }

  #tooSoon(caller: Caller): Denial | undefined {
    const attempt = this.#attemptOf(caller);
    const waitMs = this.#attempts.waitMs(attempt, performance.now());
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1000);
      const denial = deny("rate-limited", "There were too many wrong codes.", `Retry in ${seconds} s.`);
      return { ...denial, retryAfterSeconds: seconds };
    }
    // Counted before it is checked, so that many at once are not all free.
    this.#attempts.failed(attempt, performance.now());
    return undefined;
  }

  #wrong(caller: Caller, detail: string): Denial {
    const { control, notices } = this.#ground;
    const { user, token } = caller.principal;
    this.#attempts.answered(this.#attemptOf(caller), performance.now());
    notices.add({
      ...{ kind: "factor.fail", user: user.id, token: token.id, address: caller.address, request: caller.requestId },
      account: accountOfUser(control.state, user.id),
      target: user.id,
      outcome: "failed",
      detail: "wrong second factor",
    });
    return deny("forbidden", detail, "Wait for the next code, or use another factor or a recovery code.", "code");
  }
}

/** A session, or a token that a person made by signing in. Tokens of programs show no factor. */
export function isOfPerson(token: Token): boolean {
  return isSession(token) || (token.signIn !== undefined && token.signIn.by !== "workload");
}

function passkeysOf(factors: Factors, user: User): [string, PasskeyFactor][] {
  return [...factors.of(user.id)].flatMap(([id, factor]) => (factor.kind === "passkey" ? [[id, factor]] : []));
}

/** What the vault binds the secret of an app to. */
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
