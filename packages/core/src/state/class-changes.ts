import type { AccountNo } from "../model/ids.ts";

/** Accounts in which something changed that may change the class of a job. */
export class ClassChanges {
  #changed = new Set<AccountNo>();

  note(account: AccountNo): void {
    this.#changed.add(account);
  }

  takeChanged(): Set<AccountNo> {
    const changed = this.#changed;
    if (changed.size > 0) this.#changed = new Set();
    return changed;
  }
}
