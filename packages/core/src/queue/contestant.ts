import { Heap, type Placed } from "../collections/heap.ts";
import type { Account } from "../model/account.ts";
import type { AccountNo, JobNo } from "../model/ids.ts";
import type { Demand } from "../quota/demand.ts";
import { compareShares, noShare, type Share } from "../quota/share.ts";
import type { Candidate } from "./candidates.ts";

/** An account in a contest: the next candidate in it or below it, and its share with that candidate's job added. */
export interface Contestant extends Placed {
  next: Candidate | undefined;
  /** The first job of `next` when the contestant was last settled. */
  no: JobNo;
  burst: boolean;
  share: Share;
  readonly account: Account;
  readonly above: Contestant | undefined;
  /** Contestants directly below that have a candidate. */
  readonly below: Heap<Contestant>;
  /** Groups of the account itself that are tried for free seats and for claims. */
  groups: Heap<Candidate>;
  /** The first candidate of the account itself. */
  first: Candidate | undefined;
  /** The floor of an account above that would hold `first`, and its demand. */
  inside: SharedFloor | undefined;
  /** The versions of the account for which all this holds; see `Waiting.heldVersion` and `firstVersion`. */
  heldAt: number;
  firstAt: number;
  /** Since the last pass, the room on a floor here or above has changed. */
  floorMoved: boolean;
  /** It must be settled again, and `first` found again, before the next pass. */
  stale: boolean;
  firstIsStale: boolean;
}

/** A floor, not of the account itself, and the demand that it would hold. */
export interface SharedFloor {
  readonly floor: AccountNo;
  readonly demand: Demand;
}

export function newContestant(account: Account, above: Contestant | undefined, groups: Heap<Candidate>): Contestant {
  return {
    place: -1,
    next: undefined,
    no: 0 as JobNo,
    burst: false,
    share: noShare,
    account,
    above,
    below: account.children.length === 0 ? noneBelow : new Heap<Contestant>(goesFirst),
    groups,
    first: undefined,
    inside: undefined,
    heldAt: -1,
    firstAt: -1,
    floorMoved: false,
    stale: true,
    firstIsStale: true,
  };
}

const noneBelow = new Heap<Contestant>(() => false);

function goesFirst(a: Contestant, b: Contestant): boolean {
  return isAhead(a.no, a.burst, a.share, b);
}

/**
 * Whether a job with this class and share goes before the next job of `other`: one that a guarantee covers before one
 * that would borrow [O1], then the smaller share, then the job submitted first [O2].
 */
export function isAhead(no: JobNo, burst: boolean, share: Share, other: Contestant): boolean {
  if (burst !== other.burst) return !burst;
  const shares = compareShares(share, other.share);
  if (shares !== 0) return shares < 0;
  // Numbers count submissions, also those of one instant.
  return no < other.no;
}
