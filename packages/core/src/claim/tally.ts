import { type AccountNo, type NodeNo, noAccount, rootAccount } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import type { Lease } from "../model/lease.ts";
import { accountOf, isInside, pathUp } from "../quota/accounts.ts";
import { type CeilingHit, ceilingHit } from "../quota/ceiling.ts";
import { coverFor, isWithin } from "../quota/guarantee.ts";
import { addTo, type Held, minus, nothingHeld, stayingOf } from "../quota/held.ts";
import { compareShares, isFairLoss, noShare, type Share, shareOf, shareOfJob } from "../quota/share.ts";
import type { State } from "../state/state.ts";
import { RestTaken } from "./rest-taken.ts";
import { type Claimant, isOwn, keepsFloor, type Rule } from "./takeable.ts";
import type { Victim } from "./victim.ts";

/** What a plan takes, added up for every account it is taken from and above. */
export class Tally {
  readonly #state: State;
  readonly #claimant: Claimant;
  readonly victims = new Map<Victim, Rule>();
  readonly #taken = new Map<AccountNo, Held>();
  /** What accounts would keep, as long as nothing more is taken from them. */
  readonly #left = new Map<AccountNo, Held>();
  readonly #shares = new Map<AccountNo, Share>();
  /** How sides of the claimant would stand with it, as long as nothing more is taken from them. */
  readonly #winners = new Map<AccountNo, Share>();
  readonly #on = new Map<NodeNo, Victim[]>();
  readonly #whole = new Set<Job>();
  /** The first that was taken, even if it was put back since. */
  first: Victim | undefined;
  readonly #rest: RestTaken;

  constructor(state: State, claimant: Claimant) {
    this.#state = state;
    this.#claimant = claimant;
    this.#rest = new RestTaken(state);
  }

  take(victim: Victim, rule: Rule): void {
    // Whoever leaves whole takes the members that were to leave before with it.
    if (!victim.extra && victim.job.leases.some((lease) => lease.extra)) {
      for (const other of [...this.victims.keys()]) if (other.job === victim.job) this.putBack(other);
    }
    this.first ??= victim;
    this.victims.set(victim, rule);
    if (!victim.extra) this.#whole.add(victim.job);
    for (const { node } of victim.leases) {
      const here = this.#on.get(node);
      if (here === undefined) this.#on.set(node, [victim]);
      else if (!here.includes(victim)) here.push(victim);
    }
    this.#count(victim, 1);
  }

  putBack(victim: Victim): void {
    this.victims.delete(victim);
    if (!victim.extra) this.#whole.delete(victim.job);
    for (const { node } of victim.leases) {
      const here = this.#on.get(node)!;
      if (here.includes(victim)) here.splice(here.indexOf(victim), 1);
    }
    this.#count(victim, -1);
  }

  /** Taken already, by itself or with its whole job. */
  isGone(victim: Victim): boolean {
    return this.#whole.has(victim.job) || this.victims.has(victim);
  }

  /** Those of the victims who hold something on a node. */
  on(node: NodeNo): readonly Victim[] {
    return this.#on.get(node) ?? none;
  }

  #count(victim: Victim, sign: 1 | -1): void {
    for (let at = victim.job.account; at !== noAccount; at = accountOf(this.#state, at).parent) {
      const held = this.#takenFrom(at);
      this.#forget(at);
      for (const lease of victim.leases) addTo(held, this.#state.fleet, lease, sign);
    }
    if (this.#state.dedicated.size === 0) return;
    this.#rest.count(victim, sign, (account) => {
      this.#forget(account);
      return this.#takenFrom(account);
    });
  }

  #forget(account: AccountNo): void {
    this.#left.delete(account);
    this.#shares.delete(account);
    this.#winners.delete(account);
  }

  #takenFrom(account: AccountNo): Held {
    let held = this.#taken.get(account);
    if (held === undefined) {
      held = nothingHeld();
      this.#taken.set(account, held);
    }
    return held;
  }

  /** What an account would keep. */
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

  /** Whether the tenant that has a node to itself would have no seat left there [U3]. */
  empties(node: NodeNo): boolean {
    return this.#rest.empties(node);
  }

  /** How an account would stand without the claimant. */
  shareLeft(account: AccountNo): Share {
    let share = this.#shares.get(account);
    if (share === undefined) {
      share = shareOf(this.#state, accountOf(this.#state, account), this.left(account));
      this.#shares.set(account, share);
    }
    return share;
  }

  /** Whether everything that would lose with it, from the account up to its side, stays above its guarantee [T5]. */
  isSource(account: AccountNo): boolean {
    const { path } = this.#claimant;
    for (let at = account; at !== rootAccount && !path.has(at); at = accountOf(this.#state, at).parent) {
      if (isWithin(this.#state, accountOf(this.#state, at), this.left(at))) return false;
    }
    return true;
  }

  /**
   * Whether an account may lose one more although it would by then have no more than its guarantee: it may if another of
   * its victims is taken as the last one, since which goes when is open.
   */
  isSourceFor(victim: Victim): boolean {
    if (this.isSource(victim.job.account)) return true;
    if (this.victims.size === 0) return false;
    return this.#ifTaken(victim, () => {
      for (const at of this.#losing(victim.job.account)) if (!this.#wasSource(at)) return false;
      return true;
    });
  }

  /** The account and those above it that do not hold the claimant too. */
  *#losing(account: AccountNo): Generator<AccountNo> {
    const { path } = this.#claimant;
    for (let at = account; at !== rootAccount && !path.has(at); at = accountOf(this.#state, at).parent) yield at;
  }

  /**
   * The sides of claimant and account at their lowest common account; undefined for one that is that account: its jobs
   * are sides of their own.
   */
  #sides(account: AccountNo): { readonly claimant: AccountNo | undefined; readonly other: AccountNo | undefined } {
    const { path, job } = this.#claimant;
    let common = account;
    let other: AccountNo | undefined;
    while (common !== rootAccount && !path.has(common)) {
      other = common;
      common = accountOf(this.#state, common).parent;
    }
    let claimant: AccountNo | undefined;
    for (let at = job.account; at !== common; at = accountOf(this.#state, at).parent) claimant = at;
    return { claimant, other };
  }

  /** T2 for one losing account: its side must not end below the claimant's. */
  isFair(account: AccountNo): boolean {
    const { claimant, other } = this.#sides(account);
    return this.isFairTo(claimant, other);
  }

  /**
   * Whether one side does not stand below the claimant's, be it with so much less; undefined for a job that is a
   * side of its own.
   */
  isFairTo(claimant: AccountNo | undefined, other: AccountNo | undefined, but?: Held): boolean {
    const state = this.#state;
    // A job that is a side of its own has nothing left once it is gone.
    const loser = other === undefined ? noShare : but === undefined ? this.shareLeft(other) : this.#without(other, but);
    const winner = this.#winner(claimant);
    const weight = (side: AccountNo | undefined) =>
      side === undefined ? 1 : accountOf(state, side).terms.quota.weight;
    // A side without weight may lose all that it borrowed to one that has some, and no more.
    const left = other === undefined ? 0 : this.left(other).units - (but?.units ?? 0);
    if (other !== undefined && weight(other) === 0 && weight(claimant) > 0 && keepsFloor(state, other, left))
      return true;
    if (other === undefined) return compareShares(loser, winner) >= 0;
    return isFairLoss(loser, winner, () => shareOf(state, accountOf(state, other), stayingOf(state, other)));
  }

  #winner(side: AccountNo | undefined): Share {
    const { demand } = this.#claimant;
    if (side === undefined) return shareOfJob(this.#state, demand);
    let share = this.#winners.get(side);
    if (share === undefined) {
      share = shareOf(this.#state, accountOf(this.#state, side), this.left(side), demand);
      this.#winners.set(side, share);
    }
    return share;
  }

  #without(side: AccountNo, held: Held): Share {
    return shareOf(this.#state, accountOf(this.#state, side), minus(this.left(side), held));
  }

  /** T2 for one more victim; `last` where nobody else is to follow. */
  isFairWithout(victim: Victim, last: boolean): boolean {
    return this.#ifTaken(victim, () => this.isFair(victim.job.account) && (!last || this.#isCoveredAsLow(victim)));
  }

  /** What leaves an account's usage with one more victim: nothing on a node that its confidential tenant keeps [U3, T12]. */
  lossOf(account: AccountNo, victim: Victim): Held {
    const left = this.left(account);
    return this.#ifTaken(victim, () => minus(left, this.left(account)));
  }

  /** What is so if one more is taken; it is not. */
  #ifTaken<Answer>(victim: Victim, look: () => Answer): Answer {
    const { first } = this;
    // Members that were to leave before go with the whole job, and are there again without it.
    const shrinks = !victim.extra && victim.leases.some((lease) => lease.extra);
    const beside = shrinks ? [...this.victims].filter(([other]) => other.job === victim.job) : [];
    this.take(victim, "T2");
    const answer = look();
    this.putBack(victim);
    for (const [other, rule] of beside) this.take(other, rule);
    this.first = first;
    return answer;
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

  /** The ceiling that would still be broken. What leaves anyway will be gone before the claimant starts. */
  ceilingHit(): CeilingHit | undefined {
    const { job, demand } = this.#claimant;
    return ceilingHit(this.#state, job.account, demand, (account) => this.left(account.no));
  }

  /** Units that the victims leave free on nodes that take work. */
  unitsFreed(name = "*"): number {
    let units = 0;
    for (const victim of this.victims.keys()) units += unitsFreedBy(this.#state, victim, name);
    return units;
  }

  copy(): Tally {
    const copy = new Tally(this.#state, this.#claimant);
    for (const [victim, rule] of this.victims) copy.take(victim, rule);
    return copy;
  }

  /** Down the tree, at each level into the side with the largest share; of equal sides, whose victim goes first. */
  ofLargestSide(victims: readonly Victim[], compare: (a: Victim, b: Victim) => number, level = 1): Victim {
    if (victims.length === 1) return victims[0]!;
    const sides = new Map<AccountNo | undefined, Victim[]>();
    for (const victim of victims) {
      const side = this.#sideAt(victim.job.account, level);
      const known = sides.get(side);
      if (known === undefined) sides.set(side, [victim]);
      else known.push(victim);
    }
    let best: { readonly victim: Victim; readonly share: Share } | undefined;
    for (const [side, those] of sides) {
      const victim = side === undefined ? [...those].sort(compare)[0]! : this.ofLargestSide(those, compare, level + 1);
      const share = this.#sideShare(side, victim);
      const order = best === undefined ? 1 : compareShares(share, best.share) || compare(best.victim, victim);
      if (order > 0) best = { victim, share };
    }
    return best!.victim;
  }

  /** The share of a side; a job of the account above is a side of its own. */
  #sideShare(account: AccountNo | undefined, victim: Victim): Share {
    if (account !== undefined) return this.shareLeft(account);
    const held = nothingHeld();
    for (const lease of victim.leases) addTo(held, this.#state.fleet, lease, 1);
    return shareOfJob(this.#state, { ...held, model: -1 });
  }

  /** The account at a level of the path down from the root; undefined below the account itself. */
  #sideAt(account: AccountNo, level: number): AccountNo | undefined {
    const path = pathUp(this.#state, account);
    return path[path.length - level]?.no;
  }

  /** Whether every rule holds for the set as it is. */
  isLawful(): boolean {
    for (const [victim, rule] of this.victims) if (rule === "T2" && !this.isFair(victim.job.account)) return false;
    return this.isLawfulButForFairness();
  }

  /** Whether every rule holds, not counting the fairness of T2. */
  isLawfulButForFairness(): boolean {
    const { cover } = this.#claimant;
    if (this.ceilingHit() !== undefined) return false;
    if (cover !== noAccount && this.#standsOnFloor() && !this.covers()) return false;
    for (const [victim, rule] of this.victims) if (rule !== "T1" && !this.#isCoveredAsLow(victim)) return false;
    return this.#wereSources();
  }

  /** A floor is claimed from others, or by what must not be preempted: it must then really hold the claimant. */
  #standsOnFloor(): boolean {
    return !this.#claimant.job.spec.preemptible || [...this.victims.values()].includes("T1");
  }

  /** Covered work only for work that is covered at least as low once it runs; else it would claim its floor back. */
  #isCoveredAsLow(victim: Victim): boolean {
    if (victim.cover === noAccount) return true;
    const { job, demand } = this.#claimant;
    const cover = coverFor(this.#state, job.account, demand, (account) => this.left(account.no));
    return cover !== noAccount && isInside(this.#state, cover, victim.cover);
  }

  /** Whether each account that loses was above its guarantee until its last victim; which one that was is open. */
  #wereSources(): boolean {
    const fine = new Map<AccountNo, boolean>();
    for (const [victim, rule] of this.victims) {
      if (isOwn(rule)) continue;
      for (const at of this.#losing(victim.job.account)) fine.set(at, fine.get(at) || this.#isAboveWith(at, victim));
    }
    return ![...fine.values()].includes(false);
  }

  #wasSource(account: AccountNo): boolean {
    for (const [victim, rule] of this.victims)
      if (!isOwn(rule) && isInside(this.#state, victim.job.account, account) && this.#isAboveWith(account, victim))
        return true;
    return false;
  }

  /** With one victim back; of an elastic job its members beyond the minimum, which go first, are victims for themselves. */
  #isAboveWith(account: AccountNo, victim: Victim): boolean {
    const { leases, extra } = victim;
    if (this.#state.dedicated.size > 0 && !extra) {
      // With the last of a confidential tenant on a node the rest of that goes too [U3].
      this.#count(victim, -1);
      const isAbove = !isWithin(this.#state, accountOf(this.#state, account), this.left(account));
      this.#count(victim, 1);
      return isAbove;
    }
    if (extra || !leases.some((lease) => lease.extra)) return this.#isAboveWithLeases(account, leases);
    const least = leases.filter((lease) => !lease.extra);
    return this.#isAboveWithLeases(account, least) || this.#isAboveWithLeases(account, leases.slice(-1));
  }

  #isAboveWithLeases(account: AccountNo, leases: readonly Lease[]): boolean {
    const back = nothingHeld();
    for (const lease of leases) addTo(back, this.#state.fleet, lease, -1);
    return !isWithin(this.#state, accountOf(this.#state, account), minus(this.left(account), back));
  }
}

/** Units that one leaves free on nodes that take work; nobody else comes to a GPU that is kept for someone [P3]. */
export function unitsFreedBy({ fleet }: State, { leases }: Victim, name = "*"): number {
  let units = 0;
  for (const { node, gpus, unitsEach } of leases) {
    if (fleet.node(node).mode !== "up") continue;
    for (const gpu of gpus) if (fleet.gpuHeldFor[gpu] === 0 && fleet.isOf(gpu, name)) units += unitsEach;
  }
  return units;
}

const none: readonly Victim[] = [];
