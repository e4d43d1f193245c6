import { type AccountNo, rootAccount } from "../model/ids.ts";
import { accountOf, pathUp } from "../quota/accounts.ts";
import type { WaitingGroup } from "../state/indexes/waiting-group.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";

/** The groups that compete in a pass: those it began with, and those that a claim of another account wakes. */
export class Entrants {
  readonly #state: ReadonlyState;
  readonly #groups: Iterable<WaitingGroup>;
  /** Known only from the first claim on; most passes have none. */
  #entered: Set<WaitingGroup> | undefined;
  /** Accounts of which all groups have entered. */
  #woken: Set<AccountNo> | undefined;

  constructor(state: ReadonlyState, groups: Iterable<WaitingGroup>) {
    this.#state = state;
    this.#groups = groups;
  }

  /** Groups of an account and below that have not entered yet; they enter now. */
  *wakeBelow(account: AccountNo): Generator<WaitingGroup> {
    this.#woken ??= new Set();
    if (this.#woken.has(account)) return;
    this.#woken.add(account);
    this.#entered ??= new Set(this.#groups);
    for (const group of this.#state.waiting.ofAccount(account)) {
      if (this.#entered.has(group)) continue;
      this.#entered.add(group);
      yield group;
    }
    for (const child of accountOf(this.#state, account).children) yield* this.wakeBelow(child);
  }
}

/** The sides of some losers: for each, the highest account above it that is not above the claimant too. */
export function sidesOf(
  state: ReadonlyState,
  losers: readonly AccountNo[],
  claimant: AccountNo,
): ReadonlySet<AccountNo> {
  const winners = new Set(pathUp(state, claimant).map(({ no }) => no));
  const sides = new Set<AccountNo>();
  for (const loser of losers) {
    let side = loser;
    for (let at = loser; at !== rootAccount && !winners.has(at); at = accountOf(state, at).parent) side = at;
    if (!winners.has(side)) sides.add(side);
  }
  return sides;
}
