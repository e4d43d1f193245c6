import { type Instant, pathUp, rootAccount, type Token, type TokenId, type User } from "@tessera/core";
import type { Route } from "@tessera/wire";
import type { Factors } from "../../access/factors.ts";
import type { Principal } from "../../access/principal.ts";
import { isSession } from "../../access/session.ts";
import type { ControlPlane } from "../../flow/control.ts";
import { type Denial, deny } from "../answer/problem.ts";

/** For so long a factor that was shown counts for dangerous acts. */
export const stepUpMs = 5 * 60_000;

interface Ground {
  readonly control: ControlPlane;
  readonly factors: Factors;
  /** Whether only this machine can connect. */
  readonly local: boolean;
}

/**
 * Who needs a second factor, and when it was shown last. What a session showed is remembered here, by its token: after a
 * restart it is asked for again.
 */
export class SecondFactors {
  readonly #ground: Ground;
  readonly #shownAt = new Map<TokenId, Instant>();

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
    if (!isOfPerson(token) || this.factorAt(token) !== undefined || !this.needs(user)) return undefined;
    return this.#ground.factors.has(user.id) ? "show" : "enrol";
  }

  /** Whether a person has to show a factor before this. */
  stepUp(
    principal: Principal,
    route: Pick<Route, "stepUp">,
    body?: Readonly<Record<string, unknown>>,
  ): Denial | undefined {
    if (route.stepUp === undefined || (route.stepUp === "force" && body?.force !== true)) return undefined;
    return this.tooOld(principal);
  }

  /** Undefined where a factor was shown a moment ago, or there is none to show. */
  tooOld({ user, token }: Principal): Denial | undefined {
    // Who comes in by break-glass has lost what could be shown; that session is short and told to everyone.
    if (!isOfPerson(token) || token.signIn?.by === "break-glass") return undefined;
    const { control, factors } = this.#ground;
    const at = this.factorAt(token);
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
    for (const id of this.#shownAt.keys()) if (!state.tokens.has(id)) this.#shownAt.delete(id);
  }

  /** When this session showed a factor last, or its provider said so. */
  factorAt(token: Token): Instant | undefined {
    const [here, before] = [this.#shownAt.get(token.id), token.signIn?.factorAt];
    return here === undefined || before === undefined ? (here ?? before) : Math.max(here, before);
  }
}

/** A session, or a token that a person made by signing in. Tokens of programs show no factor. */
export function isOfPerson(token: Token): boolean {
  return isSession(token) || (token.signIn !== undefined && token.signIn.by !== "workload");
}
