import type { AccountNo } from "../model/ids.ts";

/** Accounts to look at, each once, in the order in which they were added. A set with less garbage in the hot path. */
export class AccountSet {
  #added: AccountNo[] = [];
  /** By account number. */
  readonly #has: boolean[] = [];

  add(account: AccountNo): void {
    while (this.#has.length <= account) this.#has.push(false);
    if (this.#has[account]) return;
    this.#has[account] = true;
    // Most often it is a single one.
    if (this.#added.length === 0) this.#added = [account];
    else this.#added.push(account);
  }

  /** Removes and returns all of them. */
  takeAll(): readonly AccountNo[] {
    const added = this.#added;
    if (added.length === 0) return added;
    this.#added = [];
    for (const account of added) this.#has[account] = false;
    return added;
  }
}
