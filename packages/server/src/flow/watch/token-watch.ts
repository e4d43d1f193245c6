import type { Instant } from "@tessera/core";
import type { Clock } from "@tessera/engine";
import { isExpiring } from "../../access/token-expiry.ts";
import type { Asker, ControlPlane } from "../control.ts";
import { Lookout } from "./lookout.ts";

/** Lives of tokens are counted in days, and told of days before. */
export const tokenWatchMs = 10 * 60_000;
const system: Asker = { actor: { user: "system" }, request: "token-watch" };

/** Tells the core of each token that will expire soon, once: webhooks and the audit say it on. */
export class TokenWatch extends Lookout {
  readonly #control: Pick<ControlPlane, "state" | "now" | "ask">;

  constructor(control: Pick<ControlPlane, "state" | "now" | "ask">, clock: Clock) {
    super(clock, tokenWatchMs);
    this.#control = control;
  }

  async look(): Promise<Instant> {
    const now = this.#control.now();
    const due = [...this.#control.state.tokens.values()].filter((token) => !token.warned && isExpiring(token, now));
    for (const { id } of due) await this.#control.ask({ kind: "token.expiring", token: id }, system);
    return now + tokenWatchMs;
  }
}
