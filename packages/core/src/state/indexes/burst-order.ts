import { Heap, type Placed } from "../../collections/heap.ts";
import { type AccountNo, noAccount } from "../../model/ids.ts";
import type { Job } from "../../model/job.ts";
import type { Instant } from "../../model/units.ts";
import { accountOf } from "../../quota/accounts.ts";
import { addTo, nothingHeld, stayingOf } from "../../quota/held.ts";
import { compareShares, noShare, type Share, shareOf, shareOfJob } from "../../quota/share.ts";
import type { Holders } from "./holders.ts";

/** A job that may be asked to leave. */
interface Entry extends Placed {
  readonly job: Job;
  /** Of the job, to be at hand where many are compared. */
  readonly no: number;
  readonly priority: number;
  readonly gpus: number;
  /** Up to when its work is safe: what it would lose is younger. */
  safeAt: Instant;
}

/** When the work of a job that checkpoints is next safe. */
interface Checkpoint extends Placed {
  readonly entry: Entry;
  at: Instant;
}

/** Who leaves first somewhere, and how that side stands. */
interface Contender {
  first: Entry | undefined;
  share: Share;
}

/** An account that has burst work, itself or below. */
interface Side extends Contender, Placed {
  readonly account: AccountNo;
  readonly above: Side | undefined;
  readonly sides: Heap<Side>;
  readonly jobs: Heap<Entry>;
  /** What it holds has changed since it was last weighed. */
  stale: boolean;
}

/** What a claimant says of the first to leave: it will do, another job must be found, or one of another account. */
export type Answer = "yes" | "not-this-job" | "not-this-account";

/** After so many that will not do it is not told who is first. */
const asksMax = 64;

/**
 * Burst work of whole jobs in the order in which guarantees take it back for one GPU [T1, T5]: the least work lost per
 * GPU, then the fewest GPUs, then the side with the largest share, down the tree; of one account T5's first. Made when it is first asked
 * for, and from then on kept up to date, so that each of many claims costs as much as a step in a heap.
 */
export class BurstOrder {
  #sides: Map<AccountNo, Side> | undefined;
  #entries = new Map<Job, Entry>();
  #checkpoints = new Heap<Checkpoint>((a, b) => a.at < b.at);
  #checkpointOf = new Map<Entry, Checkpoint>();
  #stale: Side[] = [];

  /** Everything is to be looked at anew when it is next asked for: quotas or the fleet have changed. */
  forget(): void {
    this.#sides = undefined;
  }

  /** A job has begun or ceased to be burst work that may leave, or has started. */
  note(state: Holders, job: Job): void {
    if (this.#sides === undefined) return;
    const known = this.#entries.get(job);
    if (known !== undefined) this.#remove(known);
    if (mayLeave(job)) this.#add(state, job, this.#sides);
  }

  /** What an account holds has changed. */
  weigh(account: AccountNo): void {
    const side = this.#sides?.get(account);
    if (side === undefined || side.stale) return;
    side.stale = true;
    this.#stale.push(side);
  }

  /** The first to leave of those that will do; undefined where there is none, or finding it would take too long. */
  first(state: Holders, now: Instant, ask: (job: Job) => Answer): Job | undefined {
    this.#sides ??= this.#build(state);
    this.#catchUp(state, now);
    const root = this.#sides.get(0 as AccountNo);
    const passed: (() => void)[] = [];
    let found: Job | undefined;
    for (let asks = 0; asks < asksMax && root?.first !== undefined; asks++) {
      const { first } = root;
      const answer = ask(first.job);
      if (answer === "yes") {
        found = first.job;
        break;
      }
      passed.push(this.#pass(state, first, answer));
    }
    for (const putBack of passed.toReversed()) putBack();
    return found;
  }

  /** Leaves one job, or its whole account, out; returns how to put it back. */
  #pass(state: Holders, entry: Entry, answer: Answer): () => void {
    const side = this.#sides!.get(entry.job.account)!;
    const out: Entry[] = [];
    if (answer === "not-this-job") {
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

  #build(state: Holders): Map<AccountNo, Side> {
    this.#entries = new Map();
    this.#checkpoints = new Heap<Checkpoint>((a, b) => a.at < b.at);
    this.#checkpointOf = new Map();
    this.#stale = [];
    const sides = new Map<AccountNo, Side>();
    for (const job of state.active.values()) if (mayLeave(job)) this.#add(state, job, sides);
    return sides;
  }

  #add(state: Holders, job: Job, sides: Map<AccountNo, Side>): void {
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

  #touch(side: Side): void {
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

  #settleUp(state: Holders, side: Side): void {
    for (let at: Side | undefined = side; at !== undefined; at = at.above) settle(state, at);
  }
}

/** Burst work that is not on its way out already. */
function mayLeave({ state, leases, spec, cover }: Job): boolean {
  return (state === "running" || state === "starting") && leases.length > 0 && spec.preemptible && cover === noAccount;
}

function gpusOf({ leases }: Job): number {
  let gpus = 0;
  for (const lease of leases) gpus += lease.gpus.length;
  return gpus;
}

function sideOf(state: Holders, account: AccountNo, sides: Map<AccountNo, Side>): Side {
  const known = sides.get(account);
  if (known !== undefined) return known;
  const { parent } = accountOf(state, account);
  const side: Side = {
    account,
    above: parent === noAccount ? undefined : sideOf(state, parent, sides),
    sides: new Heap<Side>(goesFirst),
    jobs: new Heap(leavesFirst),
    first: undefined,
    share: noShare,
    stale: false,
    place: -1,
  };
  sides.set(account, side);
  return side;
}

function settle(state: Holders, side: Side): void {
  let best: Contender | undefined = side.sides.first;
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

function goesFirst(a: Contender, b: Contender): boolean {
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
