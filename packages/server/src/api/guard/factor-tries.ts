import type { Principal } from "../../access/principal.ts";
import { SignInAttempts } from "../../access/session-attempts.ts";
import type { ControlPlane } from "../../flow/control.ts";
import type { Notices } from "../../flow/notice/notices.ts";
import { accountOfUser } from "../../flow/project/audit.ts";
import { type Denial, deny } from "../answer/problem.ts";

/** Who shows or adds a factor, and from where. */
export interface FactorCaller {
  readonly principal: Principal;
  readonly address: string;
  readonly requestId: string;
  /** Host and port that the browser talks to. */
  readonly host: string;
}

/** Counts wrong factors and slows them down, as passwords are. */
export class FactorTries {
  readonly #control: ControlPlane;
  readonly #notices: Notices;
  readonly #attempts = new SignInAttempts();

  constructor(control: ControlPlane, notices: Notices) {
    this.#control = control;
    this.#notices = notices;
  }

  /** Undefined where one may try. */
  begin(caller: FactorCaller): Denial | undefined {
    const attempt = attemptOf(caller);
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

  right(caller: FactorCaller): void {
    this.#attempts.succeeded(attemptOf(caller));
  }

  wrong(caller: FactorCaller, detail: string): Denial {
    const { user, token } = caller.principal;
    this.#attempts.answered(attemptOf(caller), performance.now());
    this.#notices.add({
      ...{ kind: "factor.fail", user: user.id, token: token.id, address: caller.address, request: caller.requestId },
      account: accountOfUser(this.#control.state, user.id),
      target: user.id,
      outcome: "failed",
      detail: "wrong second factor",
    });
    return deny("forbidden", detail, "Wait for the next code, or use another factor or a recovery code.", "code");
  }
}

function attemptOf({ principal: { user, token }, address }: FactorCaller) {
  return { name: user.id, address, device: token.id };
}
