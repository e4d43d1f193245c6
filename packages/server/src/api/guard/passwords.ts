import type { User, UserId } from "@tessera/core";
import { Devices } from "../../access/device.ts";
import { arePasswordsOff } from "../../access/passwords.ts";
import type { People } from "../../access/people.ts";
import type { Principal } from "../../access/principal.ts";
import { isSession } from "../../access/session.ts";
import { type Attempt, CheckQueue, SignInAttempts } from "../../access/session-attempts.ts";
import type { ControlPlane } from "../../flow/control.ts";
import type { Notices } from "../../flow/notice/notices.ts";
import { userWithPassword } from "../../flow/people/session.ts";
import { accountOfUser } from "../../flow/project/audit.ts";
import { type Denial, deny, isDenied } from "../answer/problem.ts";
import { isOfPerson } from "./second-factors.ts";

/** For so long a sign-in with a provider counts as having shown who one is. */
export const signedInMs = 15 * 60_000;

/** What checking passwords takes. */
interface Ground {
  readonly control: ControlPlane;
  readonly people: People;
  readonly notices: Notices;
  readonly hasFactor: (user: UserId) => boolean;
}

/** Who asks, and from where. */
interface Caller {
  readonly principal: Principal;
  readonly address: string;
  readonly requestId: string;
}

/** Checks names and passwords of people who sign in or prove that it is still them, and says how often one may try. */
export class Passwords {
  readonly devices: Devices;
  readonly #ground: Ground;
  readonly #attempts = new SignInAttempts();
  readonly #checks = new CheckQueue();

  constructor(ground: Ground, serverKey: Buffer, secure: boolean) {
    this.#ground = ground;
    this.devices = new Devices(serverKey, secure);
  }

  /** The user with this name and password. */
  async check(attempt: Attempt, password: string, request: string): Promise<User | Denial> {
    const { control, people } = this.#ground;
    const waitMs = this.#attempts.waitMs(attempt, performance.now());
    if (waitMs > 0) return this.#tooSoon(attempt, request, waitMs);
    // Counted before it is checked, so that many at once are not all free.
    this.#attempts.failed(attempt, performance.now());
    const checked = await this.#checks.run(attempt, async () => ({
      user: await userWithPassword(control, people, attempt.name, password),
    }));
    if (checked === undefined) return this.#tooSoon(attempt, request, 5_000);
    if (checked.user !== undefined) {
      this.#attempts.succeeded(attempt);
      return checked.user;
    }
    this.#attempts.answered(attempt, performance.now());
    this.noteFailure(attempt.address, request, people.idOf(attempt.name), "wrong name or password");
    return deny(
      "unauthenticated",
      "The name and the password do not match.",
      "Try again, or ask an administrator to set a new password.",
    );
  }

  /**
   * Someone may sit at a browser that its user left open, or have copied the token of `tess login`: a credential of one's
   * own is made only with the password, or just after signing in with a provider. A program without scopes has shown its
   * whole credential already.
   */
  async prove({ principal, address, requestId }: Caller, password: string | undefined): Promise<Denial | undefined> {
    const { user, token } = principal;
    const { control, people } = this.#ground;
    if (!isOfPerson(token) || token.signIn?.by === "break-glass") return undefined;
    if (!people.hasPassword(user.id) || arePasswordsOff(control.state)) return this.#signedInAgain(principal);
    const hint = "Give the password that you sign in with.";
    if (password === undefined) return proofDenied("is missing: credentials are changed only with the password", hint);
    const attempt = { name: people.nameOf(user.id), address, device: token.id };
    const checked = await this.check(attempt, password, requestId);
    if (!isDenied(checked)) return undefined;
    return checked.refused === "unauthenticated" ? proofDenied("is not your password", hint) : checked;
  }

  /** A provider knows the person; a factor of one's own is asked for as a step-up. */
  #signedInAgain({ user, token }: Principal): Denial | undefined {
    const { control, hasFactor } = this.#ground;
    if (token.signIn?.by !== "sso" || hasFactor(user.id) || control.now() - token.createdAt <= signedInMs)
      return undefined;
    return deny(
      "forbidden",
      "Credentials are changed only within 15 minutes of signing in.",
      isSession(token) ? "Sign out, and sign in with your provider again." : "Log in again: tess login URL.",
    );
  }

  /** The name that was typed is not kept: it may be a password in the wrong field. */
  noteFailure(address: string, request: string, about: UserId | undefined, detail: string): void {
    const { notices, control } = this.#ground;
    notices.add({
      kind: "session.fail",
      address,
      ...(about !== undefined && { about }),
      request,
      account: about === undefined ? "" : accountOfUser(control.state, about),
      target: about ?? "",
      outcome: "failed",
      detail,
    });
  }

  #tooSoon({ name, address }: Attempt, request: string, waitMs: number): Denial {
    this.noteFailure(address, request, this.#ground.people.idOf(name), "too many attempts");
    const seconds = Math.ceil(waitMs / 1000);
    const denial = deny("rate-limited", "There were too many attempts to sign in.", `Retry in ${seconds} s.`);
    return { ...denial, retryAfterSeconds: seconds };
  }
}

function proofDenied(detail: string, hint: string): Denial {
  return deny("forbidden", detail, hint, "currentPassword");
}
