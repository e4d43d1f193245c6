import { type AccountNo, noAccount, rootAccount } from "../model/ids.ts";
import { borrowedOf, ceilingHit, coverFor, isNothing } from "../queue/quota.ts";
import { compareShares, type Share, shareOf } from "../queue/share.ts";
import { accountOf, type State } from "../state/state.ts";
import { addTo, type Held, minus, nothingHeld, stayingOf } from "../state/usage.ts";
import { type Claimant, isInside, type Rule } from "./takeable.ts";
import type { Victim } from "./victim.ts";

/** What a plan takes, added up for every account it is taken from and above. */
export class Tally {
  readonly #state: State;
  readonly #claimant: Claimant;
  readonly victims = new Map<Victim, Rule>();
  readonly #taken = new Map<AccountNo, Held>();

  constructor(state: State, claimant: Claimant) {
    this.#state = state;
    this.#claimant = claimant;
  }

  take(victim: Victim, rule: Rule): void {
    // Whoever leaves whole takes the members that were to leave before with it.
    if (!victim.extra) for (const other of [...this.victims.keys()]) if (other.job === victim.job) this.putBack(other);
    this.victims.set(victim, rule);
    this.#count(victim, 1);
  }

  putBack(victim: Victim): void {
    this.victims.delete(victim);
    this.#count(victim, -1);
  }

  #count(victim: Victim, sign: 1 | -1): void {
    for (let at = victim.job.account; at !== noAccount; at = accountOf(this.#state, at).parent) {
      let held = this.#taken.get(at);
      if (held === undefined) {
        held = nothingHeld();
        this.#taken.set(at, held);
      }
      for (const lease of victim.leases) addTo(held, this.#state.fleet, lease, sign);
    }
  }

  /** What an account would keep. */
  left(account: AccountNo): Held {
    const staying = stayingOf(this.#state, account);
    const taken = this.#taken.get(account);
    return taken === undefined ? staying : minus(staying, taken);
  }

  /** How an account would stand without the claimant. */
  shareLeft(account: AccountNo): Share {
    return shareOf(this.#state, accountOf(this.#state, account), this.left(account));
  }

  /** Whether everything that would lose with it, from the account up to its side, stays above its guarantee [T5]. */
  isSource(account: AccountNo): boolean {
    for (const at of this.#losing(account)) {
      if (isNothing(borrowedOf(this.#state, accountOf(this.#state, at), this.left(at)))) return false;
    }
    return true;
  }

  /** The account and those above it that do not hold the claimant too. */
  *#losing(account: AccountNo): Generator<AccountNo> {
    const { path } = this.#claimant;
    for (let at = account; at !== rootAccount && !path.has(at); at = accountOf(this.#state, at).parent) yield at;
  }

  /** The sides of claimant and account at their lowest common account. */
  sides(account: AccountNo): { readonly claimant: AccountNo; readonly other: AccountNo } {
    const { path, job } = this.#claimant;
    let other = account;
    let above = accountOf(this.#state, account).parent;
    while (!path.has(above) && above !== noAccount && accountOf(this.#state, above).parent !== noAccount) {
      other = above;
      above = accountOf(this.#state, above).parent;
    }
    let claimant = job.account;
    while (claimant !== above && accountOf(this.#state, claimant).parent !== above)
      claimant = accountOf(this.#state, claimant).parent;
    return { claimant, other };
  }

  /** T2 for one losing account: its side must not end below the claimant's. */
  isFair(account: AccountNo): boolean {
    const { claimant, other } = this.sides(account);
    const state = this.#state;
    const loser = this.shareLeft(other);
    const winner = shareOf(state, accountOf(state, claimant), this.left(claimant), this.#claimant.demand);
    const [losing, winning] = [accountOf(state, other), accountOf(state, claimant)];
    // A side without weight may lose all that it borrowed to one that has some.
    if (losing.terms.quota.weight === 0 && winning.terms.quota.weight > 0) return true;
    return compareShares(loser, winner) >= 0;
  }

  /** T2 for one more victim. */
  isFairWithout(victim: Victim): boolean {
    this.take(victim, "T2");
    const fair = this.isFair(victim.job.account);
    this.putBack(victim);
    return fair;
  }

  /** Whether the claimant's guarantee would hold it if the set as it is left. */
  covers(): boolean {
    const { job, demand, cover } = this.#claimant;
    const covered = coverFor(this.#state, job.account, demand, (account) => this.left(account.no));
    return covered !== noAccount && isInside(this.#state, covered, cover);
  }

  /** Whether some guarantee would hold the claimant if the set as it is left. */
  isCovered(): boolean {
    const { job, demand } = this.#claimant;
    return coverFor(this.#state, job.account, demand, (account) => this.left(account.no)) !== noAccount;
  }

  copy(): Tally {
    const copy = new Tally(this.#state, this.#claimant);
    for (const [victim, rule] of this.victims) copy.take(victim, rule);
    return copy;
  }

  /** Which of two accounts' sides stands higher, from the top down. */
  compareSides(a: AccountNo, b: AccountNo): number {
    const [pathA, pathB] = [this.#down(a), this.#down(b)];
    for (let level = 0; level < Math.min(pathA.length, pathB.length); level++) {
      if (pathA[level] === pathB[level]) continue;
      return compareShares(this.shareLeft(pathA[level]!), this.shareLeft(pathB[level]!));
    }
    return 0;
  }

  #down(account: AccountNo): AccountNo[] {
    const path: AccountNo[] = [];
    for (let at = account; at !== noAccount; at = accountOf(this.#state, at).parent) path.unshift(at);
    return path;
  }

  /** Whether every rule holds for the set as it is. */
  isLawful(): boolean {
    const state = this.#state;
    const { job, demand, cover } = this.#claimant;
    // Ceilings count what is still leaving; only what this plan takes will be gone when the claimant starts.
    const used = (account: AccountNo): Held => {
      const taken = this.#taken.get(account);
      return taken === undefined ? state.usage[account]! : minus(state.usage[account]!, taken);
    };
    if (ceilingHit(state, job.account, demand, (account) => used(account.no)) !== undefined) return false;
    if (cover !== noAccount && !this.covers()) return false;
    for (const [victim, rule] of this.victims) {
      if (rule === "T2" && !this.isFair(victim.job.account)) return false;
    }
    return this.#wereSources();
  }

  /** Whether each account that loses was above its guarantee until its last victim; which one that was is open. */
  #wereSources(): boolean {
    const fine = new Map<AccountNo, boolean>();
    for (const [victim, rule] of this.victims) {
      if (rule === "T3") continue;
      for (const at of this.#losing(victim.job.account)) fine.set(at, fine.get(at) || this.#isAboveWith(at, victim));
    }
    return ![...fine.values()].includes(false);
  }

  #isAboveWith(account: AccountNo, victim: Victim): boolean {
    const back = nothingHeld();
    for (const lease of victim.leases) addTo(back, this.#state.fleet, lease, -1);
    return !isNothing(borrowedOf(this.#state, accountOf(this.#state, account), minus(this.left(account), back)));
  }
}
