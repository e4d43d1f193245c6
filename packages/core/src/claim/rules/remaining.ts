import type { AccountNo } from "../../model/ids.ts";
import { accountOf, isInside } from "../../quota/accounts.ts";
import type { QuotaFacts } from "../../quota/facts.ts";
import { type Held, minus, stayingOf } from "../../quota/held.ts";
import { type Share, shareOf } from "../../quota/share.ts";

/** What accounts hold once the evictions that a rule judges have happened. Work that is stopping already is left out. */
export interface Remaining {
  left(account: AccountNo): Held;
  /** The account's share of the surplus with that. */
  share(account: AccountNo): Share;
}

/** No evictions. */
export class NothingTaken implements Remaining {
  readonly #quotas: QuotaFacts;

  constructor(quotas: QuotaFacts) {
    this.#quotas = quotas;
  }

  left(account: AccountNo): Held {
    return stayingOf(this.#quotas, account);
  }

  share(account: AccountNo): Share {
    return shareOf(this.#quotas, accountOf(this.#quotas, account), this.left(account));
  }
}

/** One loss, of an account that loses `held`. */
export class OneLoss implements Remaining {
  readonly #quotas: QuotaFacts;
  readonly #loser: AccountNo;
  readonly #held: Held;

  constructor(quotas: QuotaFacts, loser: AccountNo, held: Held) {
    this.#quotas = quotas;
    this.#loser = loser;
    this.#held = held;
  }

  left(account: AccountNo): Held {
    const staying = stayingOf(this.#quotas, account);
    return isInside(this.#quotas, this.#loser, account) ? minus(staying, this.#held) : staying;
  }

  share(account: AccountNo): Share {
    return shareOf(this.#quotas, accountOf(this.#quotas, account), this.left(account));
  }
}
