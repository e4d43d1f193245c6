import { Heap, type Placed } from "../../collections/heap.ts";
import { type AccountNo, noAccount } from "../../model/ids.ts";
import type { Job } from "../../model/job.ts";
import type { Instant } from "../../model/units.ts";
import { accountOf } from "../../quota/accounts.ts";
import { addTo, nothingHeld, stayingOf } from "../../quota/held.ts";
import { compareShares, noShare, type Share, shareOf, shareOfJob } from "../../quota/share.ts";
import type { Holders } from "./holders.ts";

/** A job that may be taken. */
interface Entry extends Placed {
  readonly job: Job;
  /** Fields of the job, copied because many entries are compared. */
  readonly no: number;
  readonly priority: number;
  readonly gpus: number;
  /** The instant up to which its work is saved: it would lose what it did since. */
  safeAt: Instant;
}

/** When a job next saves its work. */
interface NextCheckpoint extends Placed {
  readonly entry: Entry;
  at: Instant;
}

/** The first job to leave of a side, and the side's share. */
interface FirstToLeave {
  first: Entry | undefined;
  share: Share;
}

/** An account that has burst work, itself or below. */
interface BurstAccount extends FirstToLeave, Placed {
  readonly account: AccountNo;
  readonly above: BurstAccount | undefined;
  readonly sides: Heap<BurstAccount>;
  readonly jobs: Heap<Entry>;
  /** Its usage has changed since its share was worked out. */
  stale: boolean;
}

/** The verdict on the first job to leave: take it, find another job, or find a job of another account. */
export type Verdict = "yes" | "not-this-job" | "not-this-account";

/** After this many refused jobs the search gives up. */
const judgedMax = 64;

/**
 * Burst jobs in the order in which guarantees take them back for one GPU [T1, T5]: the least work lost per GPU, then the
 * fewest GPUs, then the side with the largest share, down the tree; in one account the order of T5. Built on first use
 * and kept up to date from then on, so that each of many claims costs one step in a heap.
 */
export class BurstOrder {
  #sides: Map<AccountNo, BurstAccount> | undefined;
  #entries = new Map<Job, Entry>();
  #checkpoints = new Heap<NextCheckpoint>((a, b) => a.at < b.at);
  #checkpointOf = new Map<Entry, NextCheckpoint>();
  #stale: BurstAccount[] = [];

  /** Quotas or the fleet have changed: the order is built again on the next use. */
  forget(): void {
    this.#sides = undefined;
  }

  /** A job has begun or ceased to be burst work that may be taken, or has started. */
  note(state: Holders, job: Job): void {
    if (this.#sides === undefined) return;
    const known = this.#entries.get(job);
    if (known !== undefined) this.#remove(known);
    if (mayLeave(job)) this.#add(state, job, this.#sides);
  }

  /** The usage of an account has changed. */
  weigh(account: AccountNo): void {
    const side = this.#sides?.get(account);
    if (side === undefined || side.stale) return;
    side.stale = true;
    this.#stale.push(side);
  }

  /** The first job to leave that `judge` accepts; undefined where there is none or the search gives up. */
  first(state: Holders, now: Instant, judge: (job: Job) => Verdict): Job | undefined {
    this.#sides ??= this.#build(state);
    this.#catchUp(state, now);
    const root = this.#sides.get(0 as AccountNo);
    const passed: (() => void)[] = [];
    try {
      for (let judged = 0; judged < judgedMax && root?.first !== undefined; judged++) {
        const { first } = root;
        const verdict = judge(first.job);
        if (verdict === "yes") return first.job;
        passed.push(this.#pass(state, first, verdict));
      }
      return undefined;
    } finally {
      for (const putBack of passed.toReversed()) putBack();
    }
  }

  /** Leaves one job, or its whole account, out; returns how to put it back. */
  #pass(state: Holders, entry: Entry, verdict: Verdict): () => void {
    const side = this.#sides!.get(entry.job.account)!;
    const out: Entry[] = [];
    if (verdict === "not-this-job") {
      side.jobs.delete(entry);
      out.push(entry);
    } else {
      for (let each = side.jobs.first; each !== undefined; each = side.jobs.first) {
        side.jobs.delete(each);
        out.push(each);
      }
    }
    this.#settleUp(state, side);
    return () => {
      for (const each of out) side.jobs.update(each);
      this.#settleUp(state, side);
    };
  }

  #build(state: Holders): Map<AccountNo, BurstAccount> {
    this.#entries = new Map();
    this.#checkpoints = new Heap<NextCheckpoint>((a, b) => a.at < b.at);
    this.#checkpointOf = new Map();
    this.#stale = [];
    const sides = new Map<AccountNo, BurstAccount>();
    for (const job of state.active.values()) if (mayLeave(job)) this.#add(state, job, sides);
    return sides;
  }

  #add(state: Holders, job: Job, sides: Map<AccountNo, BurstAccount>): void {
    const side = sideOf(state, job.account, sides);
    const safeAt = job.startedAt === 0 ? Number.POSITIVE_INFINITY : job.startedAt;
    const { no, spec } = job;
    const entry: Entry = { job, no, priority: spec.priority, gpus: gpusOf(job), safeAt, place: -1 };
    this.#entries.set(job, entry);
    side.jobs.update(entry);
    this.#touch(side);
    const every = spec.checkpoint?.everyMs ?? 0;
    if (every === 0 || job.startedAt === 0) return;
    const checkpoint = { entry, at: job.startedAt + every, place: -1 };
    this.#checkpointOf.set(entry, checkpoint);
    this.#checkpoints.update(checkpoint);
  }

  #remove(entry: Entry): void {
    const side = this.#sides!.get(entry.job.account)!;
    side.jobs.delete(entry);
    this.#entries.delete(entry.job);
    const checkpoint = this.#checkpointOf.get(entry);
    if (checkpoint !== undefined) {
      this.#checkpoints.delete(checkpoint);
      this.#checkpointOf.delete(entry);
    }
    this.#touch(side);
  }

  #touch(side: BurstAccount): void {
    if (side.stale) return;
    side.stale = true;
    this.#stale.push(side);
  }

  #catchUp(state: Holders, now: Instant): void {
    for (let next = this.#checkpoints.first; next !== undefined && next.at <= now; next = this.#checkpoints.first) {
      const { entry } = next;
      const every = entry.job.spec.checkpoint!.everyMs!;
      entry.safeAt = now - ((now - entry.job.startedAt) % every);
      next.at = entry.safeAt + every;
      this.#checkpoints.update(next);
      const side = this.#sides!.get(entry.job.account)!;
      side.jobs.update(entry);
      this.#touch(side);
    }
    for (const side of this.#stale) {
      side.stale = false;
      this.#settleUp(state, side);
    }
    this.#stale = [];
  }

  #settleUp(state: Holders, side: BurstAccount): void {
    for (let at: BurstAccount | undefined = side; at !== undefined; at = at.above) settle(state, at);
  }
}

/** Burst work that is not stopping already. */
function mayLeave({ state, leases, spec, cover }: Job): boolean {
  return (state === "running" || state === "starting") && leases.length > 0 && spec.preemptible && cover === noAccount;
}

function gpusOf({ leases }: Job): number {
  let gpus = 0;
  for (const lease of leases) gpus += lease.gpus.length;
  return gpus;
}

function sideOf(state: Holders, account: AccountNo, sides: Map<AccountNo, BurstAccount>): BurstAccount {
  const known = sides.get(account);
  if (known !== undefined) return known;
  const { parent } = accountOf(state, account);
  const side: BurstAccount = {
    account,
    above: parent === noAccount ? undefined : sideOf(state, parent, sides),
    sides: new Heap<BurstAccount>(goesFirst),
    jobs: new Heap(leavesFirst),
    first: undefined,
    share: noShare,
    stale: false,
    place: -1,
  };
  sides.set(account, side);
  return side;
}

function settle(state: Holders, side: BurstAccount): void {
  let best: FirstToLeave | undefined = side.sides.first;
  const own = side.jobs.first;
  if (own !== undefined) {
    // A job of the account itself is a side of its own beside the accounts below.
    const alone = { first: own, share: best === undefined ? noShare : shareAlone(state, own.job) };
    if (best === undefined || goesFirst(alone, best)) best = alone;
  }
  side.first = best?.first;
  if (side.above === undefined) return;
  if (side.first === undefined) {
    side.above.sides.delete(side);
    return;
  }
  side.share = shareOf(state, accountOf(state, side.account), stayingOf(state, side.account));
  side.above.sides.update(side);
}

function shareAlone(state: Holders, { leases }: Job): Share {
  const held = nothingHeld();
  for (const lease of leases) addTo(held, state.fleet, lease, 1);
  return shareOfJob(state, { ...held, model: -1 });
}

function goesFirst(a: FirstToLeave, b: FirstToLeave): boolean {
  const first = a.first!;
  const other = b.first!;
  if (first.safeAt !== other.safeAt) return first.safeAt > other.safeAt;
  if (first.gpus !== other.gpus) return first.gpus < other.gpus;
  const shares = compareShares(a.share, b.share);
  return shares !== 0 ? shares > 0 : leavesFirst(first, other);
}

/** In one account: lowest priority, least work lost per GPU, youngest. */
function leavesFirst(a: Entry, b: Entry): boolean {
  if (a.priority !== b.priority) return a.priority < b.priority;
  return a.safeAt !== b.safeAt ? a.safeAt > b.safeAt : a.no > b.no;
}
