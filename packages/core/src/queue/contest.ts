import { Heap } from "../collections/heap.ts";
import { pastUnits } from "../learn/history.ts";
import type { Account } from "../model/account.ts";
import { type AccountNo, noAccount, rootAccount } from "../model/ids.ts";
import { accountOf, pathUp } from "../quota/accounts.ts";
import type { Demand } from "../quota/demand.ts";
import { coverFor, isWithin } from "../quota/guarantee.ts";
import { stayingOf } from "../quota/held.ts";
import { shareOf, shareOfJob } from "../quota/share.ts";
import type { ShapeQueue, WaitingGroup } from "../state/indexes/waiting-group.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import { upToDate } from "../state/wish-of.ts";
import { type Candidate, Candidates } from "./candidates.ts";
import { type Contestant, isAhead, newContestant } from "./contestant.ts";
import { Entrants, sidesOf } from "./entrants.ts";
import { FloorSharers } from "./floor-sharers.ts";
import { before } from "./in-account.ts";

/**
 * Which job is next. Down the tree of accounts, `isAhead` compares the accounts of each level [O1, O2]; inside one
 * account O3 decides.
 *
 * Two kinds of groups compete. Those that the pass begins with are tried for free seats and for claims. All other groups
 * that want seats of some shapes are tried for free seats only; of these the first of an account and shape stands for
 * its rivals until it has started or was refused.
 *
 * A contest can serve many passes. It remembers for which versions of an account its standing holds, and a pass settles
 * only the accounts that have changed.
 */
export class Contest {
  readonly #state: ReadonlyState;
  readonly #candidates: Candidates;
  readonly #queues: ReadonlySet<ShapeQueue>;
  readonly #contestants = new Map<AccountNo, Contestant>();
  readonly #root: Contestant;
  readonly #sharers = new FloorSharers();
  #pass = 0;
  #entrants: Entrants;
  /** Groups that were tried and refused in this pass. */
  readonly #tried = new Set<WaitingGroup>();
  /** Contestants whose standing depends on what was tried in this pass. */
  readonly #touched = new Set<Contestant>();
  #isOut: (candidate: Candidate) => boolean = () => false;
  readonly #goesFirst: (a: WaitingGroup, b: WaitingGroup) => boolean;
  readonly #byOrder: (a: Candidate, b: Candidate) => boolean;

  /** Between the groups that each pass begins with, and all others that wait for seats of some shapes. */
  constructor(state: ReadonlyState, candidates = new Candidates(), queues: Iterable<ShapeQueue> = []) {
    this.#state = state;
    this.#candidates = candidates;
    this.#queues = new Set(queues);
    this.#entrants = new Entrants(state, []);
    this.#goesFirst = (a, b) => {
      if (a.order !== "age") return before(state, a.jobs[0]!, b.jobs[0]!, a.order);
      return a.priority !== b.priority ? a.priority > b.priority : a.no < b.no;
    };
    this.#byOrder = (a, b) => this.#goesFirst(a.group, b.group);
    this.#root = this.#contestantOf(rootAccount);
    if (this.#queues.size > 0)
      for (const account of state.accounts) if (account !== undefined) this.#contestantOf(account.no);
  }

  isFor(queues: readonly ShapeQueue[]): boolean {
    return queues.length === this.#queues.size && queues.every((queue) => this.#queues.has(queue));
  }

  /** Begins a pass. Groups that were `tried` before are skipped, and candidates that are `out` leave when found. */
  begin(
    groups: Iterable<WaitingGroup>,
    tried: Iterable<WaitingGroup> = [],
    isOut: (candidate: Candidate) => boolean = () => false,
  ): this {
    this.#pass = this.#candidates.nextPass();
    this.#isOut = isOut;
    this.#entrants = new Entrants(this.#state, groups);
    this.#tried.clear();
    for (const contestant of this.#touched) {
      contestant.groups = new Heap(this.#byOrder);
      this.#firstMayDiffer(contestant);
    }
    this.#touched.clear();
    for (const group of groups) this.#enter(group);
    if (this.#queues.size > 0)
      for (const group of tried) this.#noteTried(this.#contestantOf(group.account), this.#candidates.of(group));
    this.#catchUp();
    return this;
  }

  next(): Candidate | undefined {
    for (;;) {
      const candidate = this.#root.next;
      if (candidate === undefined) return undefined;
      if (!this.#leavesUntried(candidate)) {
        if (candidate.seatsOnly) candidate.delayed = false;
        return candidate;
      }
      this.close(candidate);
    }
  }

  /** No job of this group can start in this pass. */
  close(candidate: Candidate): void {
    const contestant = this.#knownContestant(candidate.group.account);
    this.#noteTried(contestant, candidate);
    this.#settleUp(contestant);
  }

  /** The first job of this group has started, which changes the shares of its accounts. */
  started(candidate: Candidate): void {
    const { group } = candidate;
    const contestant = this.#knownContestant(group.account);
    if (candidate.pass === this.#pass) {
      if (group.jobs.length === 0) contestant.groups.delete(candidate);
      else contestant.groups.update(candidate);
    }
    this.#firstMayDiffer(contestant);
    this.#settleUp(contestant);
    if (this.#sharers.isEmpty) return;
    for (const account of pathUp(this.#state, group.account))
      for (const sharer of this.#sharers.beyond(this.#state, account)) this.#settleUp(sharer);
  }

  /** These accounts lose something to a claimant: their shares fall, and their other groups compete again. */
  lost(losers: readonly AccountNo[], claimant: AccountNo): void {
    // Where very many groups wait, their turn comes later [B6].
    if (!this.#state.waiting.isLong)
      for (const side of sidesOf(this.#state, losers, claimant))
        for (const group of this.#entrants.wakeBelow(side)) {
          this.#enter(group);
          this.#settleUp(this.#knownContestant(group.account));
        }
    for (const loser of losers) this.#changed(loser);
  }

  /** Settles contestants that have changed since the last pass, and those whose floor above has. */
  #catchUp(): void {
    const { heldVersion, firstVersion } = this.#state.waiting;
    const contestants = [...this.#contestants.values()]; // each after the one above it
    for (const contestant of contestants) {
      const { account, above, first, inside } = contestant;
      const heldAt = heldVersion[account.no] ?? 0;
      const firstAt = firstVersion[account.no] ?? 0;
      const holdsOther = contestant.heldAt !== heldAt;
      contestant.floorMoved =
        above !== undefined && (above.floorMoved || (holdsOther && this.#hasRoomOnFloor(account)));
      if (holdsOther || above?.floorMoved) contestant.stale = true;
      else if (inside !== undefined && this.#knownContestant(inside.floor).stale) contestant.stale = true;
      // Under an order other than by age, time alone may change which group is first.
      if (contestant.firstAt !== firstAt || (first !== undefined && first.group.order !== "age"))
        this.#firstMayDiffer(contestant);
      contestant.heldAt = heldAt;
      contestant.firstAt = firstAt;
    }
    for (const contestant of contestants.reverse()) {
      if (!contestant.stale) continue;
      contestant.stale = false;
      this.#settle(contestant);
      if (contestant.above !== undefined) contestant.above.stale = true;
    }
  }

  #hasRoomOnFloor(account: Account): boolean {
    return isWithin(this.#state, account, this.#state.usage[account.no]!);
  }

  #firstMayDiffer(contestant: Contestant): void {
    contestant.stale = true;
    contestant.firstIsStale = true;
  }

  #leavesUntried(candidate: Candidate): boolean {
    candidate.seatsOnly = candidate.pass !== this.#pass;
    return this.#isOut(candidate);
  }

  #noteTried(contestant: Contestant, candidate: Candidate): void {
    if (candidate.pass === this.#pass) contestant.groups.delete(candidate);
    this.#tried.add(candidate.group);
    this.#touched.add(contestant);
    this.#firstMayDiffer(contestant);
  }

  #changed(account: AccountNo): void {
    const contestant = this.#contestants.get(account);
    if (contestant !== undefined) this.#settleUp(contestant);
    else if (account !== rootAccount) this.#changed(accountOf(this.#state, account).parent);
  }

  #enter(group: WaitingGroup): void {
    const contestant = this.#contestantOf(group.account);
    const candidate = this.#candidates.of(group);
    candidate.pass = this.#pass;
    candidate.place = -1;
    contestant.groups.update(candidate);
    this.#touched.add(contestant);
    this.#firstMayDiffer(contestant);
  }

  #contestantOf(no: AccountNo): Contestant {
    const known = this.#contestants.get(no);
    if (known !== undefined) return known;
    const account = accountOf(this.#state, no);
    const above = account.parent === noAccount ? undefined : this.#contestantOf(account.parent);
    const contestant = newContestant(account, above, new Heap(this.#byOrder));
    this.#contestants.set(no, contestant);
    return contestant;
  }

  #knownContestant(no: AccountNo): Contestant {
    const contestant = this.#contestants.get(no);
    if (contestant === undefined) throw new Error(`account ${no} does not compete`);
    return contestant;
  }

  #settleUp(contestant: Contestant): void {
    for (let at: Contestant | undefined = contestant; at !== undefined; at = at.above) this.#settle(at);
  }

  /** Finds the next candidate of an account again, and with it the account's place among those beside it. */
  #settle(contestant: Contestant): void {
    const state = this.#state;
    const best = contestant.below.first;
    if (contestant.firstIsStale) contestant.first = this.#firstOf(contestant);
    contestant.firstIsStale = false;
    const own = contestant.first;
    let next = best?.next;
    let burst = best?.burst ?? false;
    let floorAbove = noAccount;
    if (own !== undefined) {
      const demand = this.#demandOf(own);
      const { account: ownAccount, no } = own.group;
      const floor = coverFor(state, ownAccount, demand);
      const ownBurst = floor === noAccount;
      if (floor !== ownAccount) floorAbove = floor;
      // A job of the account itself competes with the accounts below as if it were one of them.
      if (best === undefined || isAhead(no, ownBurst, shareOfJob(state, demand), best)) {
        next = own;
        burst = ownBurst;
      }
    }
    this.#noteFloor(contestant, floorAbove, own);
    contestant.next = next;
    if (next === undefined) {
      contestant.above?.below.delete(contestant);
      return;
    }
    contestant.no = next.group.no;
    contestant.burst = burst;
    if (contestant.above === undefined) return; // nothing competes with the root
    const { account } = contestant;
    const past = pastUnits(state, account.no, state.clock);
    contestant.share = shareOf(state, account, stayingOf(state, account.no), this.#demandOf(next), past);
    contestant.above.below.update(contestant);
  }

  #noteFloor(contestant: Contestant, floor: AccountNo, own: Candidate | undefined): void {
    const isShared = floor !== noAccount && own !== undefined;
    if (!isShared && contestant.inside === undefined) return;
    this.#sharers.note(contestant, isShared ? { floor, demand: this.#demandOf(own) } : undefined);
  }

  #firstOf({ groups, account }: Contestant): Candidate | undefined {
    let first = groups.first;
    for (const queue of this.#queues) {
      const rival = this.#firstRival(queue, account.no);
      if (rival === undefined || rival === first?.group) continue;
      if (first === undefined || this.#goesFirst(rival, first.group)) first = this.#candidates.of(rival);
    }
    return first;
  }

  /** The first group of an account that wants seats of one shape and has not been tried. */
  #firstRival(queue: ShapeQueue, account: AccountNo): WaitingGroup | undefined {
    const rivals = queue.byAccount[account];
    if (rivals === undefined) return undefined;
    return this.#candidates.orderOf(rivals).first(this.#goesFirst, this.#tried, this.#pass);
  }

  #demandOf({ group }: Candidate): Demand {
    return upToDate(this.#state, group.wish, group.jobs[0]!.spec).first;
  }
}
