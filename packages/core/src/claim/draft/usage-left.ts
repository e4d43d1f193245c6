import { type AccountNo, type NodeNo, noAccount } from "../../model/ids.ts";
import type { Lease } from "../../model/lease.ts";
import { accountOf } from "../../quota/accounts.ts";
import { addTo, type Held, minus, nothingHeld, stayingOf } from "../../quota/held.ts";
import { type Share, shareOf } from "../../quota/share.ts";
import type { ReadonlyState } from "../../state/readonly-state.ts";
import type { Claimant } from "../rules/claimant.ts";
import { type WinningSide, winningSide } from "../rules/fairness.ts";
import type { Remaining } from "../rules/remaining.ts";
import { RestTaken } from "./rest-taken.ts";
import type { Victim } from "./victim.ts";

/** What the victims of a draft hold, added up for their accounts and the accounts above, and what those keep. */
export class UsageLeft implements Remaining {
  readonly #state: ReadonlyState;
  readonly #claimant: Claimant;
  readonly #taken = new Map<AccountNo, Held>();
  readonly #rest: RestTaken;
  // Memos, dropped for an account when more or less is taken from it.
  readonly #left = new Map<AccountNo, Held>();
  readonly #shares = new Map<AccountNo, Share>();
  readonly #winners = new Map<AccountNo, WinningSide>();

  constructor(state: ReadonlyState, claimant: Claimant) {
    this.#state = state;
    this.#claimant = claimant;
    this.#rest = new RestTaken(state);
  }

  count(victim: Victim, sign: 1 | -1): void {
    for (let at = victim.job.account; at !== noAccount; at = accountOf(this.#state, at).parent) {
      const held = this.#takenFrom(at);
      for (const lease of victim.leases) addTo(held, this.#state.fleet, lease, sign);
    }
    if (this.#state.dedicated.size === 0) return;
    this.#rest.count(victim, sign, (account) => this.#takenFrom(account));
  }

  /** What is taken from an account so far, to be changed. */
  #takenFrom(account: AccountNo): Held {
    this.#left.delete(account);
    this.#shares.delete(account);
    this.#winners.delete(account);
    let held = this.#taken.get(account);
    if (held === undefined) {
      held = nothingHeld();
      this.#taken.set(account, held);
    }
    return held;
  }

  left(account: AccountNo): Held {
    let left = this.#left.get(account);
    if (left === undefined) {
      const staying = stayingOf(this.#state, account);
      const taken = this.#taken.get(account);
      left = taken === undefined ? staying : minus(staying, taken);
      this.#left.set(account, left);
    }
    return left;
  }

  /** What an account keeps if it also keeps some leases that were taken. */
  leftWith(account: AccountNo, leases: readonly Lease[]): Held {
    const back = nothingHeld();
    for (const lease of leases) addTo(back, this.#state.fleet, lease, -1);
    return minus(this.left(account), back);
  }

  share(account: AccountNo): Share {
    let share = this.#shares.get(account);
    if (share === undefined) {
      share = shareOf(this.#state, accountOf(this.#state, account), this.left(account));
      this.#shares.set(account, share);
    }
    return share;
  }

  winner(side: AccountNo | undefined): WinningSide {
    const { demand } = this.#claimant;
    if (side === undefined) return winningSide(this.#state, side, demand, this);
    let winner = this.#winners.get(side);
    if (winner === undefined) {
      winner = winningSide(this.#state, side, demand, this);
      this.#winners.set(side, winner);
    }
    return winner;
  }

  /** Whether the tenant that has a node to itself would have no seat left there [U3]. */
  empties(node: NodeNo): boolean {
    return this.#rest.empties(node);
  }
}
