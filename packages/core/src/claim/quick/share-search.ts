import { type AccountNo, type NodeNo, rootAccount } from "../../model/ids.ts";
import type { Instant } from "../../model/units.ts";
import { accountOf } from "../../quota/accounts.ts";
import { compareShares, type Share } from "../../quota/share.ts";
import type { VictimClass } from "../../state/indexes/victim-classes.ts";
import type { ReadonlyState } from "../../state/readonly-state.ts";
import { leavesFirst, type Victim, whole } from "../draft/victim.ts";
import type { Claimant } from "../rules/claimant.ts";
import { isCoveredAgainst, isReplacedAsLow } from "../rules/cover.ts";
import { mayLose, type WinningSide, winningSide } from "../rules/fairness.ts";
import { mayRebalance, mayRebalanceSome } from "../rules/protection.ts";
import { NothingTaken, OneLoss } from "../rules/remaining.ts";
import { ownSideIn } from "../rules/sides.ts";
import { isAbove } from "../rules/source.ts";
import { type ClaimNeed, Site } from "../seats/site.ts";
import { JointRoom } from "./joint-room.ts";

/** A victim and a node on which it leaves room. */
interface VictimAt {
  readonly victim: Victim;
  readonly site: Site;
}

/** The side that would lose, and the claimant's side, to which it would lose. */
interface Contest {
  readonly side: AccountNo;
  readonly winner: WinningSide;
}

/** Searches the tree for the one victim that T2 and T5 would take. */
export class ShareSearch {
  readonly #state: ReadonlyState;
  readonly #claimant: Claimant;
  readonly #need: ClaimNeed;
  readonly #now: Instant;
  readonly #noVictims: NothingTaken;
  readonly #room: JointRoom;
  /** Accounts, classes and jobs that were examined. */
  examined = 0;
  /** There are candidates that need the full search. */
  isOpen = false;

  constructor(state: ReadonlyState, claimant: Claimant, need: ClaimNeed, now: Instant) {
    this.#state = state;
    this.#claimant = claimant;
    this.#need = need;
    this.#now = now;
    this.#noVictims = new NothingTaken(state);
    this.#room = new JointRoom(state.fleet, need);
  }

  run(): VictimAt | undefined {
    return this.#besideOwn(rootAccount);
  }

  /** The first nodes on which several victims that make no room alone might together. */
  get nodes(): ReadonlySet<NodeNo> {
    return this.#room.nodes;
  }

  /** A victim of the sides below an account that contains the claimant. */
  #besideOwn(common: AccountNo): VictimAt | undefined {
    const state = this.#state;
    const { job, demand } = this.#claimant;
    const own = ownSideIn(state, this.#claimant, common);
    // Jobs of an account that also has accounts below are sides of their own.
    if (state.victimClasses.of(state, common).size > 0 && common !== job.account) this.isOpen = true;
    const winner = winningSide(state, own, demand, this.#noVictims);
    // A side that may lose nothing while it loses nothing may lose nothing at all, nor may sides with smaller shares [T11].
    let mayLoseMore = true;
    return this.#ofLargest(common, (side) => {
      if (side === own) return this.#besideOwn(side);
      mayLoseMore &&= mayLose(state, side, winner, this.#noVictims);
      return mayLoseMore ? this.#below(side, { side, winner }) : undefined;
    });
  }

  /** A victim of an account that does not contain the claimant, or below it. */
  #below(account: AccountNo, contest: Contest): VictimAt | undefined {
    const state = this.#state;
    const loser = accountOf(state, account);
    if (!isAbove(state, loser, this.#noVictims.left(account))) return undefined; // no source [T5]
    if (loser.children.length === 0) return this.#of(account, contest);
    if (state.victimClasses.of(state, account).size > 0) this.isOpen = true;
    return this.#ofLargest(account, (side) => this.#below(side, contest));
  }

  /** The victim in the side with the largest share that has one; of equal sides the victim that leaves first. */
  #ofLargest(above: AccountNo, find: (side: AccountNo) => VictimAt | undefined): VictimAt | undefined {
    const sides = accountOf(this.#state, above).children.map((side) => ({ side, share: this.#noVictims.share(side) }));
    this.examined += sides.length;
    let best: VictimAt | undefined;
    let largest: Share | undefined;
    for (const { side, share } of sides.sort((a, b) => compareShares(b.share, a.share))) {
      if (this.isOpen || (largest !== undefined && compareShares(share, largest) < 0)) break;
      const found = find(side);
      if (found === undefined) continue;
      if (best === undefined || leavesFirst(found.victim, best.victim, this.#now) < 0) best = found;
      largest = share;
    }
    return best;
  }

  #of(account: AccountNo, contest: Contest): VictimAt | undefined {
    const victims = this.#candidatesOf(account, contest);
    while (victims.length > 0) {
      const at = this.#indexOfFirst(victims);
      const victim = victims[at]!;
      const site = this.#siteLeftBy(victim);
      if (site !== undefined) return { victim, site };
      this.#room.add(victim);
      victims[at] = victims.at(-1)!;
      victims.pop();
    }
    return undefined;
  }

  /** The jobs of an account that the rules let the claimant take and that might make room alone. */
  #candidatesOf(account: AccountNo, contest: Contest): Victim[] {
    const state = this.#state;
    const victims: Victim[] = [];
    for (const each of state.victimClasses.of(state, account).values()) {
      this.examined++;
      if (!this.#mayTakeSome(each, account, contest)) continue;
      for (const job of each.jobs) {
        const victim = whole(job);
        if (!mayRebalance(state, victim, this.#now)) continue;
        this.examined++;
        if (this.#room.mayMakeRoom(victim)) victims.push(victim);
        else this.#room.add(victim);
      }
    }
    return victims;
  }

  /** The rulebook on all jobs of a class at once: they are covered and held alike. */
  #mayTakeSome(victims: VictimClass, account: AccountNo, { side, winner }: Contest): boolean {
    const state = this.#state;
    if (!mayRebalanceSome(state, victims, this.#now) || isCoveredAgainst(this.#claimant, victims.cover)) return false;
    const after = new OneLoss(state, account, victims.held);
    if (!mayLose(state, side, winner, after)) return false;
    return isReplacedAsLow(state, this.#claimant, after, victims.cover);
  }

  #indexOfFirst(victims: readonly Victim[]): number {
    let first = 0;
    for (let at = 1; at < victims.length; at++)
      if (leavesFirst(victims[at]!, victims[first]!, this.#now) < 0) first = at;
    return first;
  }

  /** The lowest-numbered node of a victim on which it leaves room. */
  #siteLeftBy(victim: Victim): Site | undefined {
    const { fleet } = this.#state;
    let best: Site | undefined;
    for (const { node } of victim.leases) {
      if (fleet.nodes[node]?.mode !== "up" || (best !== undefined && best.node.no < node)) continue;
      const site = new Site(fleet, fleet.node(node), this.#need);
      if (site.fits([victim]) > 0) best = site;
    }
    return best;
  }
}
