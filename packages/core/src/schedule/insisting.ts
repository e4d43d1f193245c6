import { mayInsist } from "../claim/prospects.ts";
import type { AccountNo } from "../model/ids.ts";
import { pathUp } from "../quota/accounts.ts";
import type { WaitingGroup } from "../state/indexes/waiting-group.ts";
import type { State } from "../state/state.ts";
import { upToDate } from "../state/wish-of.ts";

interface OfAccount {
  /** The sum of the versions on the account's path for which `groups` holds. */
  readonly version: number;
  readonly groups: readonly WaitingGroup[];
}

/**
 * The groups that may claim by a guarantee, or preempt lesser work of their own account [T1, T3]. Known by account until
 * what an account on its path holds, or the first job of a group, changes. Saves the check of each group after each
 * change.
 */
export class InsistingGroups {
  readonly #byAccount: (OfAccount | undefined)[] = [];

  *of(state: State): Generator<WaitingGroup> {
    for (const account of state.accounts) if (account !== undefined) yield* this.#groupsOf(state, account.no);
  }

  /** Terms or nodes changed, which no version counts. */
  forget(): void {
    this.#byAccount.length = 0;
  }

  #groupsOf(state: State, account: AccountNo): readonly WaitingGroup[] {
    const version = versionOf(state, account);
    let known = this.#byAccount[account];
    if (known?.version !== version) {
      known = { version, groups: insistingIn(state, account) };
      this.#byAccount[account] = known;
    }
    return known.groups;
  }
}

function versionOf(state: State, account: AccountNo): number {
  const { heldVersion, firstVersion } = state.waiting;
  let version = firstVersion[account] ?? 0;
  for (const { no } of pathUp(state, account)) version += heldVersion[no] ?? 0;
  return version;
}

function insistingIn(state: State, account: AccountNo): WaitingGroup[] {
  const insisting: WaitingGroup[] = [];
  for (const group of state.waiting.ofAccount(account)) {
    const job = group.jobs[0]!;
    if (mayInsist(state, job, upToDate(state, group.wish, job.spec))) insisting.push(group);
  }
  return insisting;
}
