import { Heap, type Placed } from "../collections/heap.ts";
import { pastUnits } from "../learn/history.ts";
import type { Account } from "../model/account.ts";
import { type AccountNo, type JobNo, noAccount, rootAccount } from "../model/ids.ts";
import { accountOf, pathUp } from "../quota/accounts.ts";
import type { Demand } from "../quota/demand.ts";
import { coverFor, isWithin } from "../quota/guarantee.ts";
import { stayingOf } from "../quota/held.ts";
import { compareShares, noShare, type Share, shareOf, shareOfJob } from "../quota/share.ts";
import type { State } from "../state/state.ts";
import type { ShapeQueue, WaitingGroup } from "../state/indexes/waiting-group.ts";
import { upToDate } from "../state/wish-of.ts";
import { type Candidate, Candidates } from "./candidates.ts";
import { before } from "./in-account.ts";

/** An account in the contest: who is next there or below, and how it stands with that job added. */
interface Side extends Placed {
  next: Candidate | undefined;
  /** Its first job when it was last looked at. */
  no: JobNo;
  burst: boolean;
  share: Share;
  readonly account: Account;
  readonly above: Side | undefined;
  /** Sides directly below that have someone. */
  readonly sides: Heap<Side>;
  /** Groups of the account itself that are asked for all they could do. */
  groups: Heap<Candidate>;
  /** What the first of them asks for, where the floor of an account above would hold it. */
  inside: Inside | undefined;
  /** Who is first of the account itself. */
  first: Candidate | undefined;
  /** The changes of the account up to which this holds, and what must be looked at again all the same. */
  heldAt: number;
  firstAt: number;
  /** Since it was last looked at, a floor here or above has come to have room for someone below, or to have another. */
  floorMoved: boolean;
  stale: boolean;
  firstIsStale: boolean;
}

interface Inside {
  readonly floor: AccountNo;
  readonly demand: Demand;
}

/**
 * Who is next. A job that a guarantee holds goes before one that would borrow [O1]. Down the tree, at each level goes
 * the side whose share is smallest with its next job added, then the one whose job was submitted first [O2]. Inside
 * one account O3 decides. Some are asked for all they could do; whoever else wants one of some shapes, for seats only: of
 * them the first of an account and shape speaks for the others, until it has started or was told.
 */
export class Contest {
  readonly #state: State;
  readonly #candidates: Candidates;
  readonly #queues: ReadonlySet<ShapeQueue>;
  readonly #dependsOnTenant: (queue: ShapeQueue) => boolean;
  readonly #sides = new Map<AccountNo, Side>();
  readonly #root: Side;
  /** By floor: the sides that it would hold although it is not their own account's, by what they ask for. */
  readonly #sharers = new Map<AccountNo, Map<Demand, Set<Side>>>();
  #pass = 0;
  #groups: Iterable<WaitingGroup> = [];
  /** The groups that have entered the pass; counted only from the first claim on. */
  #entered: Set<WaitingGroup> | undefined;
  /** Accounts of which all groups have entered. */
  readonly #woken = new Set<AccountNo>();
  /** Groups that were tried and refused in this pass. */
  readonly #tried = new Set<WaitingGroup>();
  /** Sides whose standing depends on what was tried in this pass. */
  readonly #touched = new Set<Side>();
  #isOut: (candidate: Candidate) => boolean = () => false;
  readonly #goesFirst: (a: WaitingGroup, b: WaitingGroup) => boolean;
  readonly #byOrder: (a: Candidate, b: Candidate) => boolean;

  /**
   * For seats of some shapes. `dependsOnTenant` tells of a shape whether it finds seats for some tenants and not for
   * others, so that groups without any may leave at once.
   */
  constructor(
    state: State,
    candidates = new Candidates(),
    queues: Iterable<ShapeQueue> = [],
    dependsOnTenant: (queue: ShapeQueue) => boolean = () => false,
  ) {
    this.#state = state;
    this.#candidates = candidates;
    this.#queues = new Set(queues);
    this.#dependsOnTenant = dependsOnTenant;
    this.#goesFirst = (a, b) => {
      if (a.order !== "age") return before(state, a.jobs[0]!, b.jobs[0]!, a.order);
      return a.priority !== b.priority ? a.priority > b.priority : a.no < b.no;
    };
    this.#byOrder = (a, b) => this.#goesFirst(a.group, b.group);
    this.#root = this.#side(rootAccount);
    if (this.#queues.size > 0) for (const account of state.accounts) if (account !== undefined) this.#side(account.no);
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
    this.#groups = groups;
    this.#entered = undefined;
    this.#woken.clear();
    this.#tried.clear();
    for (const side of this.#touched) {
      side.groups = new Heap(this.#byOrder);
      this.#firstMayDiffer(side);
    }
    this.#touched.clear();
    for (const group of groups) this.#enter(group);
    if (this.#queues.size > 0)
      for (const group of tried) this.#noteTried(this.#side(group.account), this.#candidates.of(group));
    this.#catchUp();
    return this;
  }

  /** Looks again at sides that have changed, and at those that stand on a floor above, or now might. */
  #catchUp(): void {
    const { heldVersion, firstVersion } = this.#state.waiting;
    const sides = [...this.#sides.values()]; // each after the one above it
    for (const side of sides) {
      const { account, above, first, inside } = side;
      const heldAt = heldVersion[account.no] ?? 0;
      const firstAt = firstVersion[account.no] ?? 0;
      const holdsOther = side.heldAt !== heldAt;
      side.floorMoved = above !== undefined && (above.floorMoved || (holdsOther && this.#hasRoomOnFloor(account)));
      if (holdsOther || above?.floorMoved) side.stale = true;
      else if (inside !== undefined && this.#sides.get(inside.floor)!.stale) side.stale = true;
      // Under another order than by age, who is first may change with time alone.
      if (side.firstAt !== firstAt || (first !== undefined && first.group.order !== "age")) this.#firstMayDiffer(side);
      side.heldAt = heldAt;
      side.firstAt = firstAt;
    }
    for (const side of sides.reverse()) {
      if (!side.stale) continue;
      side.stale = false;
      this.#settle(side);
      if (side.above !== undefined) side.above.stale = true;
    }
  }

  #hasRoomOnFloor(account: Account): boolean {
    return isWithin(this.#state, account, this.#state.usage[account.no]!);
  }

  #firstMayDiffer(side: Side): void {
    side.stale = true;
    side.firstIsStale = true;
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

  #leavesUntried(candidate: Candidate): boolean {
    candidate.seatsOnly = candidate.pass !== this.#pass;
    return this.#isOut(candidate);
  }

  /** No job of this group can start in this pass. */
  close(candidate: Candidate): void {
    const side = this.#sides.get(candidate.group.account)!;
    this.#noteTried(side, candidate);
    this.#settleUp(side);
  }

  #noteTried(side: Side, candidate: Candidate): void {
    if (candidate.pass === this.#pass) side.groups.delete(candidate);
    this.#tried.add(candidate.group);
    this.#touched.add(side);
    this.#firstMayDiffer(side);
  }

  /** The first of this group has started, which changes how its accounts stand. */
  started(candidate: Candidate): void {
    const { group } = candidate;
    const side = this.#sides.get(group.account)!;
    if (candidate.pass === this.#pass) {
      if (group.jobs.length === 0) side.groups.delete(candidate);
      else side.groups.update(candidate);
    }
    this.#firstMayDiffer(side);
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
    // Where very many groups wait, their turn comes later [B6].
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
    const side = this.#side(group.account);
    const candidate = this.#candidates.of(group);
    candidate.pass = this.#pass;
    candidate.place = -1;
    side.groups.update(candidate);
    this.#touched.add(side);
    this.#firstMayDiffer(side);
  }

  #side(account: AccountNo): Side {
    const known = this.#sides.get(account);
    if (known !== undefined) return known;
    const own = accountOf(this.#state, account);
    const above = own.parent === noAccount ? undefined : this.#side(own.parent);
    const side: Side = {
      place: -1,
      next: undefined,
      no: 0 as JobNo,
      burst: false,
      share: noShare,
      account: own,
      above,
      sides: own.children.length === 0 ? noSides : new Heap<Side>(goesFirst),
      groups: new Heap(this.#byOrder),
      inside: undefined,
      first: undefined,
      heldAt: -1,
      firstAt: -1,
      floorMoved: false,
      stale: true,
      firstIsStale: true,
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
    if (side.firstIsStale) side.first = this.#firstOf(side);
    side.firstIsStale = false;
    const own = side.first;
    let next = best?.next;
    let burst = best?.burst ?? false;
    let above = noAccount;
    if (own !== undefined) {
      const demand = this.#demandOf(own);
      const { account: ownAccount, no } = own.group;
      const floor = coverFor(state, ownAccount, demand);
      const ownBurst = floor === noAccount;
      if (floor !== ownAccount) above = floor;
      // A job of the account itself is a side of its own beside the accounts below.
      if (best === undefined || isAhead(no, ownBurst, shareOfJob(state, demand), best)) {
        next = own;
        burst = ownBurst;
      }
    }
    this.#note(side, above, own);
    side.next = next;
    if (next === undefined) {
      side.above?.sides.delete(side);
      return;
    }
    side.no = next.group.no;
    side.burst = burst;
    if (side.above === undefined) return; // nobody is beside the root
    const { account } = side;
    const past = pastUnits(state, account.no, state.clock);
    side.share = shareOf(state, account, stayingOf(state, account.no), this.#demandOf(next), past);
    side.above.sides.update(side);
  }

  #firstOf(side: Side): Candidate | undefined {
    let first = side.groups.first;
    for (const queue of this.#queues) {
      const rivals = queue.byAccount[side.account.no];
      if (rivals === undefined) continue;
      const order = this.#candidates.orderOf(rivals);
      let rival = order.first(this.#goesFirst, this.#tried, this.#pass);
      if (this.#dependsOnTenant(queue)) {
        for (; rival !== undefined; rival = order.first(this.#goesFirst, this.#tried, this.#pass)) {
          const candidate = this.#candidates.of(rival);
          if (!this.#leavesUntried(candidate)) break;
          this.#noteTried(side, candidate);
        }
      }
      if (rival === undefined || rival === first?.group) continue;
      if (first === undefined || this.#goesFirst(rival, first.group)) first = this.#candidates.of(rival);
    }
    return first;
  }

  /** The floor of an account above holds the first of a side's own groups; `noAccount` = none does. */
  #note(side: Side, floor: AccountNo, own: Candidate | undefined): void {
    const { inside: before } = side;
    if (floor === noAccount || own === undefined) {
      if (before !== undefined) this.#sharersOf(before).delete(side);
      side.inside = undefined;
      return;
    }
    const demand = this.#demandOf(own);
    if (before?.floor === floor && before.demand === demand) return;
    if (before !== undefined) this.#sharersOf(before).delete(side);
    side.inside = { floor, demand };
    this.#sharersOf(side.inside).add(side);
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

  #demandOf({ group }: Candidate): Demand {
    return upToDate(this.#state, group.wish, group.jobs[0]!.spec).first;
  }
}

/** Of an account without others below it. */
const noSides = new Heap<Side>(() => false);

function goesFirst(a: Side, b: Side): boolean {
  return isAhead(a.no, a.burst, a.share, b);
}

/** Whether a job that stands so goes before the one that is next on a side. */
function isAhead(no: JobNo, burst: boolean, share: Share, side: Side): boolean {
  if (burst !== side.burst) return !burst;
  const shares = compareShares(share, side.share);
  if (shares !== 0) return shares < 0;
  // Numbers count submissions, those of one instant too.
  return no < side.no;
}
