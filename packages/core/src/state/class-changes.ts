import type { AccountNo } from "../model/ids.ts";

/** Accounts in which something changed that may change the class of a job. */
export class ClassChanges {
  #changed: AccountNo[] = [];
  /** By account number: it is among them. */
  readonly #isNoted: boolean[] = [];

  note(account: AccountNo): void {
    while (this.#isNoted.length <= account) this.#isNoted.push(false);
    if (this.#isNoted[account]) return;
    this.#isNoted[account] = true;
    // Most often it is one alone.
    if (this.#changed.length === 0) this.#changed = [account];
    else this.#changed.push(account);
  }

  /** Each once, in the order in which they changed. */
  takeChanged(): readonly AccountNo[] {
    const changed = this.#changed;
    if (changed.length === 0) return changed;
    this.#changed = [];
    for (const account of changed) this.#isNoted[account] = false;
    return changed;
  }
}
