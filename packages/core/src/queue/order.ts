import type { Account } from "../model/account.ts";
import { type AccountNo, noAccount, rootAccount } from "../model/ids.ts";
import { pastUnits } from "../state/history.ts";
import type { Rivals } from "../state/rivals.ts";
import { accountOf, pathUp, type State, upToDate } from "../state/state.ts";
import { stayingOf } from "../state/usage.ts";
import type { WaitingGroup } from "../state/waiting.ts";
import { Heap, type Placed } from "./heap.ts";
import { before } from "./in-account.ts";
import { coverFor, type Demand, isWithin } from "./quota.ts";
import { compareShares, noShare, type Share, shareOf, shareOfJob } from "./share.ts";

/** An account that has someone in the contest, itself or below: who is next there, and how it stands with that job added. */
interface Side extends Placed {
  next: WaitingGroup | undefined;
  burst: boolean;
  share: Share;
  readonly account: Account;
  readonly above: Side | undefined;
  /** Sides directly below that have someone. */
  readonly sides: Heap<Side>;
  /** Groups of the account itself. */
  readonly groups: Heap<WaitingGroup>;
  /** What the first of them asks for, where the floor of an account above would hold it. */
  inside: Inside | undefined;
}

interface Inside {
  readonly floor: AccountNo;
  readonly demand: Demand;
}

/**
 * Who is next. A job that a guarantee holds goes before one that would borrow [O1]. Down the tree, at each level goes
 * the side whose share is smallest with its next job added, then the one whose job was submitted first [O2]. Inside
 * one account O3 decides.
 */
export class Contest {
  readonly #state: State;
  readonly #sides = new Map<AccountNo, Side>();
  readonly #root: Side;
  readonly #groups: Iterable<WaitingGroup>;
  /** By floor: whom it would hold although it is not their own account's, by what they ask for. */
  readonly #sharers = new Map<AccountNo, Map<Demand, Set<Side>>>();
  /** Who has had a part in it; counted only from the first claim on. */
  #entered: Set<WaitingGroup> | undefined;
  /** Accounts whose groups all have a part in it since they lost something; nobody new comes to wait meanwhile. */
  readonly #woken = new Set<AccountNo>();
  readonly #no: number;
  /** Who is not asked any more. */
  readonly #told = new Set<WaitingGroup>();
  readonly #isOut: (group: WaitingGroup) => boolean;
  readonly #byOrder: (a: WaitingGroup, b: WaitingGroup) => boolean;

  /**
   * Between groups that are asked for all they could do, and others `forSeats` only. Of these those who are `out` leave
   * without being asked, as soon as it is found.
   */
  constructor(
    state: State,
    groups: Iterable<WaitingGroup>,
    forSeats: Iterable<Rivals> = [],
    isOut: (group: WaitingGroup) => boolean = () => false,
  ) {
    this.#state = state;
    this.#no = ++state.waiting.contests;
    this.#isOut = isOut;
    this.#byOrder = (a, b) => {
      if (a.order !== "age") return before(state, a.jobs[0]!, b.jobs[0]!, a.order);
      return a.priority !== b.priority ? a.priority > b.priority : a.no < b.no;
    };
    this.#root = this.#side(rootAccount);
    this.#groups = groups;
    for (const group of groups) this.#enter(group);
    for (const rivals of forSeats) {
      rivals.contest = this.#no;
      this.#enterFirst(rivals);
    }
    // A side is made after the one above it.
    for (const side of [...this.#sides.values()].reverse()) this.#settle(side);
  }

  next(): WaitingGroup | undefined {
    for (;;) {
      const group = this.#root.next;
      if (group === undefined || !this.#isOut(group)) return group;
      this.#settleUp(this.#sides.get(group.account)!);
    }
  }

  /** Nobody of this group can start in this pass. */
  close(group: WaitingGroup): void {
    const side = this.#sides.get(group.account)!;
    this.#leave(side, group);
    this.#settleUp(side);
  }

  #leave(side: Side, group: WaitingGroup): void {
    side.groups.delete(group);
    this.#told.add(group);
    this.#enterFirst(group.rivals);
  }

  /** The first of this group has started, which changes how its accounts stand. */
  started(group: WaitingGroup): void {
    const side = this.#sides.get(group.account)!;
    if (group.jobs.length === 0) side.groups.delete(group);
    else side.groups.update(group);
    this.#enterFirst(group.rivals);
    this.#settleUp(side);
    if (this.#sharers.size === 0) return;
    // A floor shared with others may have filled: who seemed to be inside is looked at again.
    for (const account of pathUp(this.#state, group.account))
      for (const sharer of this.#beyond(account)) this.#settleUp(sharer);
  }

  /** Those whom the floor of an account does not hold any more. */
  #beyond(account: Account): Side[] {
    const found: Side[] = [];
    for (const [demand, sides] of this.#sharers.get(account.no) ?? [])
      if (!isWithin(this.#state, account, this.#state.usage[account.no]!, demand)) found.push(...sides);
    return found;
  }

  /** These accounts lose something to a claimant: their sides stand lower, and those who sleep there compete again. */
  lost(losers: readonly AccountNo[], claimant: AccountNo): void {
    const winners = new Set(pathUp(this.#state, claimant).map(({ no }) => no));
    const sides = new Set<AccountNo>();
    for (const loser of losers) {
      let side = loser;
      for (let at = loser; at !== rootAccount && !winners.has(at); at = accountOf(this.#state, at).parent) side = at;
      if (!winners.has(side)) sides.add(side);
    }
    // Where very many wait, their turn comes later.
    if (!this.#state.waiting.isLong) for (const side of sides) this.#wakeBelow(side);
    for (const loser of losers) this.#changed(loser);
  }

  #wakeBelow(account: AccountNo): void {
    if (this.#woken.has(account)) return;
    this.#woken.add(account);
    this.#entered ??= new Set(this.#groups);
    for (const group of this.#state.waiting.ofAccount(account)) {
      if (this.#entered.has(group)) continue;
      this.#entered.add(group);
      this.#enter(group);
      this.#settleUp(this.#sides.get(account)!);
    }
    for (const child of accountOf(this.#state, account).children) this.#wakeBelow(child);
  }

  #changed(account: AccountNo): void {
    const side = this.#sides.get(account);
    if (side !== undefined) this.#settleUp(side);
    else if (account !== rootAccount) this.#changed(accountOf(this.#state, account).parent);
  }

  #enter(group: WaitingGroup): void {
    group.contest = this.#no;
    group.place = -1;
    this.#side(group.account).groups.update(group);
  }

  /** Of those who are asked for seats only, the first of an account speaks for the others that want the same. */
  #enterFirst(rivals: Rivals): void {
    if (rivals.contest !== this.#no) return;
    const group = rivals.first(this.#byOrder, this.#told);
    if (group === undefined || group.contest === this.#no) return;
    group.seatsOnly = true;
    group.delayed = false;
    this.#enter(group);
  }

  #side(account: AccountNo): Side {
    const known = this.#sides.get(account);
    if (known !== undefined) return known;
    const own = accountOf(this.#state, account);
    const above = own.parent === noAccount ? undefined : this.#side(own.parent);
    const side: Side = {
      place: -1,
      next: undefined,
      burst: false,
      share: noShare,
      account: own,
      above,
      sides: new Heap<Side>(goesFirst),
      groups: new Heap(this.#byOrder),
      inside: undefined,
    };
    this.#sides.set(account, side);
    return side;
  }

  #settleUp(side: Side): void {
    for (let at: Side | undefined = side; at !== undefined; at = at.above) this.#settle(at);
  }

  #settle(side: Side): void {
    const state = this.#state;
    const best = side.sides.first;
    let own = side.groups.first;
    for (; own !== undefined && this.#isOut(own); own = side.groups.first) this.#leave(side, own);
    let next = best?.next;
    let burst = best?.burst ?? false;
    let inside: Inside | undefined;
    if (own !== undefined) {
      const demand = this.#demandOf(own);
      const floor = coverFor(state, own.account, demand);
      const ownBurst = floor === noAccount;
      if (!ownBurst && floor !== own.account) inside = { floor, demand };
      // A job of the account itself is a side of its own beside the accounts below.
      if (best === undefined || isAhead(own, ownBurst, shareOfJob(state, demand), best)) {
        next = own;
        burst = ownBurst;
      }
    }
    this.#note(side, inside);
    side.next = next;
    if (next === undefined) {
      side.above?.sides.delete(side);
      return;
    }
    side.burst = burst;
    if (side.above === undefined) return; // nobody is beside the root
    const { account } = side;
    const past = pastUnits(state, account.no, state.clock);
    side.share = shareOf(state, account, stayingOf(state, account.no), this.#demandOf(next), past);
    side.above.sides.update(side);
  }

  #note(side: Side, inside: Inside | undefined): void {
    const { inside: before } = side;
    if (before?.floor === inside?.floor && before?.demand === inside?.demand) return;
    side.inside = inside;
    if (before !== undefined) this.#sharersOf(before).delete(side);
    if (inside !== undefined) this.#sharersOf(inside).add(side);
  }

  #sharersOf({ floor, demand }: Inside): Set<Side> {
    let byDemand = this.#sharers.get(floor);
    if (byDemand === undefined) {
      byDemand = new Map();
      this.#sharers.set(floor, byDemand);
    }
    let sides = byDemand.get(demand);
    if (sides === undefined) {
      sides = new Set();
      byDemand.set(demand, sides);
    }
    return sides;
  }

  #demandOf(group: WaitingGroup): Demand {
    return upToDate(this.#state, group.wish, group.jobs[0]!.spec).first;
  }
}

function goesFirst(a: Side, b: Side): boolean {
  return isAhead(a.next!, a.burst, a.share, b);
}

/** Whether a group that stands so goes before who is next on a side. */
function isAhead(group: WaitingGroup, burst: boolean, share: Share, side: Side): boolean {
  if (burst !== side.burst) return !burst;
  const shares = compareShares(share, side.share);
  if (shares !== 0) return shares < 0;
  // Numbers count submissions, those of one instant too.
  return group.jobs[0]!.no < side.next!.jobs[0]!.no;
}
