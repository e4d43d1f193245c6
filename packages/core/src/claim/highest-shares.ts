import { type AccountNo, noAccount } from "../model/ids.ts";
import { accountOf } from "../quota/accounts.ts";
import { stayingOf } from "../quota/held.ts";
import { compareShares, noShare, type Share, shareOf } from "../quota/share.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";

interface Highest {
  readonly version: number;
  readonly account: AccountNo;
  readonly share: Share;
  /** The highest share except that of `account`. */
  readonly second: Share;
}

/** The largest shares below each account, kept until some usage changes. */
export class HighestShares {
  readonly #state: ReadonlyState;
  readonly #below = new Map<AccountNo, Highest>();

  constructor(state: ReadonlyState) {
    this.#state = state;
  }

  /** The largest share of the accounts directly below `parent`, except one of them. */
  beside(parent: AccountNo, except: AccountNo): Share {
    let known = this.#below.get(parent);
    if (known === undefined || known.version !== this.#state.version) {
      known = highestBelow(this.#state, parent);
      this.#below.set(parent, known);
    }
    return known.account === except ? known.second : known.share;
  }
}

function highestBelow(state: ReadonlyState, parent: AccountNo): Highest {
  let [account, share, second] = [noAccount, noShare, noShare];
  for (const child of accountOf(state, parent).children) {
    const each = shareOf(state, accountOf(state, child), stayingOf(state, child));
    if (compareShares(each, share) > 0) [account, share, second] = [child, each, share];
    else if (compareShares(each, second) > 0) second = each;
  }
  return { version: state.version, account, share, second };
}
