import { Heap, type Placed } from "../../collections/heap.ts";
import { type AccountNo, noAccount } from "../../model/ids.ts";
import type { Job } from "../../model/job.ts";
import type { Instant } from "../../model/units.ts";
import { accountOf } from "../../quota/accounts.ts";
import { addTo, nothingHeld, stayingOf } from "../../quota/held.ts";
import { compareShares, noShare, type Share, shareOf, shareOfJob } from "../../quota/share.ts";
import type { Holders } from "./holders.ts";

/** A job that can be a victim. */
interface Entry extends Placed {
  readonly job: Job;
  /** Copies of the job's fields, because many entries are compared. */
  readonly no: number;
  readonly priority: number;
  readonly gpus: number;
  /** Work before this instant is saved by a checkpoint; the job would lose only what came after. */
  safeAt: Instant;
}

/** The next checkpoint of a job. */
interface NextCheckpoint extends Placed {
  readonly entry: Entry;
  at: Instant;
}

/** The first victim of an account or of a single job, and the share that it is compared by. */
interface FirstToLeave {
  first: Entry | undefined;
  share: Share;
}

/** An account with burst work, its own or below it. */
interface BurstAccount extends FirstToLeave, Placed {
  readonly account: AccountNo;
  readonly above: BurstAccount | undefined;
  readonly below: Heap<BurstAccount>;
  readonly jobs: Heap<Entry>;
  /** What it holds has changed since its share was last worked out. */
  stale: boolean;
}

/** A claimant's verdict on a proposed victim: take it, propose another job, or another account. */
export type Verdict = "yes" | "not-this-job" | "not-this-account";

/** After this many proposals that will not do, the search gives up. */
const proposalsMax = 64;

/**
 * Burst jobs in the order in which guarantees reclaim one GPU [T1, T5]: the least work lost per GPU, then the fewest
 * GPUs, then the account with the largest share, down the tree; inside one account by T5. Built when it is first read and
 * kept up to date from then on, so that each of many claims costs a step in a heap.
 */
export class BurstOrder {
  #accounts: Map<AccountNo, BurstAccount> | undefined;
  #entries = new Map<Job, Entry>();
  #checkpoints = new Heap<NextCheckpoint>((a, b) => a.at < b.at);
  #checkpointOf = new Map<Entry, NextCheckpoint>();
  #stale: BurstAccount[] = [];

  /** Quotas or the fleet have changed: it is built again when it is next read. */
  forget(): void {
    this.#accounts = undefined;
  }

  /** Whether a job is a possible victim may have changed, or it has started. */
  note(state: Holders, job: Job): void {
    if (this.#accounts === undefined) return;
    const known = this.#entries.get(job);
    if (known !== undefined) this.#remove(known);
    if (mayLeave(job)) this.#add(state, job, this.#accounts);
  }

  /** What an account holds has changed. */
  weigh(account: AccountNo): void {
    const holder = this.#accounts?.get(account);
    if (holder === undefined || holder.stale) return;
    holder.stale = true;
    this.#stale.push(holder);
  }

  /** The first victim that the claimant accepts; undefined where there is none, or the search would take too long. */
  first(state: Holders, now: Instant, judge: (job: Job) => Verdict): Job | undefined {
    this.#accounts ??= this.#build(state);
    this.#catchUp(state, now);
    const root = this.#accounts.get(0 as AccountNo);
    const passed: (() => void)[] = [];
    let found: Job | undefined;
    for (let proposals = 0; proposals < proposalsMax && root?.first !== undefined; proposals++) {
      const { first } = root;
      const verdict = judge(first.job);
      if (verdict === "yes") {
        found = first.job;
        break;
      }
      passed.push(this.#pass(state, first, verdict));
    }
    for (const putBack of passed.toReversed()) putBack();
    return found;
  }

  /** Leaves out one job, or all of its account; returns how to put them back. */
  #pass(state: Holders, entry: Entry, verdict: Verdict): () => void {
    const holder = this.#accounts!.get(entry.job.account)!;
    const out: Entry[] = [];
    if (verdict === "not-this-job") {
      holder.jobs.delete(entry);
      out.push(entry);
    } else {
      for (let each = holder.jobs.first; each !== undefined; each = holder.jobs.first) {
        holder.jobs.delete(each);
        out.push(each);
      }
    }
    this.#settleUp(state, holder);
    return () => {
      for (const each of out) holder.jobs.update(each);
      this.#settleUp(state, holder);
    };
  }

  #build(state: Holders): Map<AccountNo, BurstAccount> {
    this.#entries = new Map();
    this.#checkpoints = new Heap<NextCheckpoint>((a, b) => a.at < b.at);
    this.#checkpointOf = new Map();
    this.#stale = [];
    const accounts = new Map<AccountNo, BurstAccount>();
    for (const job of state.active.values()) if (mayLeave(job)) this.#add(state, job, accounts);
    return accounts;
  }

  #add(state: Holders, job: Job, accounts: Map<AccountNo, BurstAccount>): void {
    const holder = burstAccountOf(state, job.account, accounts);
    const safeAt = job.startedAt === 0 ? Number.POSITIVE_INFINITY : job.startedAt;
    const { no, spec } = job;
    const entry: Entry = { job, no, priority: spec.priority, gpus: gpusOf(job), safeAt, place: -1 };
    this.#entries.set(job, entry);
    holder.jobs.update(entry);
    this.#touch(holder);
    const every = spec.checkpoint?.everyMs ?? 0;
    if (every === 0 || job.startedAt === 0) return;
    const checkpoint = { entry, at: job.startedAt + every, place: -1 };
    this.#checkpointOf.set(entry, checkpoint);
    this.#checkpoints.update(checkpoint);
  }

  #remove(entry: Entry): void {
    const holder = this.#accounts!.get(entry.job.account)!;
    holder.jobs.delete(entry);
    this.#entries.delete(entry.job);
    const checkpoint = this.#checkpointOf.get(entry);
    if (checkpoint !== undefined) {
      this.#checkpoints.delete(checkpoint);
      this.#checkpointOf.delete(entry);
    }
    this.#touch(holder);
  }

  #touch(holder: BurstAccount): void {
    if (holder.stale) return;
    holder.stale = true;
    this.#stale.push(holder);
  }

  #catchUp(state: Holders, now: Instant): void {
    for (let next = this.#checkpoints.first; next !== undefined && next.at <= now; next = this.#checkpoints.first) {
      const { entry } = next;
      const every = entry.job.spec.checkpoint!.everyMs!;
      entry.safeAt = now - ((now - entry.job.startedAt) % every);
      next.at = entry.safeAt + every;
      this.#checkpoints.update(next);
      const holder = this.#accounts!.get(entry.job.account)!;
      holder.jobs.update(entry);
      this.#touch(holder);
    }
    for (const holder of this.#stale) {
      holder.stale = false;
      this.#settleUp(state, holder);
    }
    this.#stale = [];
  }

  #settleUp(state: Holders, holder: BurstAccount): void {
    for (let at: BurstAccount | undefined = holder; at !== undefined; at = at.above) settle(state, at);
  }
}

/** Whether a job is preemptible burst work that is not stopping already. */
function mayLeave({ state, leases, spec, cover }: Job): boolean {
  return (state === "running" || state === "starting") && leases.length > 0 && spec.preemptible && cover === noAccount;
}

function gpusOf({ leases }: Job): number {
  let gpus = 0;
  for (const lease of leases) gpus += lease.gpus.length;
  return gpus;
}

function burstAccountOf(state: Holders, account: AccountNo, accounts: Map<AccountNo, BurstAccount>): BurstAccount {
  const known = accounts.get(account);
  if (known !== undefined) return known;
  const { parent } = accountOf(state, account);
  const holder: BurstAccount = {
    account,
    above: parent === noAccount ? undefined : burstAccountOf(state, parent, accounts),
    below: new Heap<BurstAccount>(goesFirst),
    jobs: new Heap(leavesFirst),
    first: undefined,
    share: noShare,
    stale: false,
    place: -1,
  };
  accounts.set(account, holder);
  return holder;
}

function settle(state: Holders, holder: BurstAccount): void {
  let best: FirstToLeave | undefined = holder.below.first;
  const own = holder.jobs.first;
  if (own !== undefined) {
    // A job of the account itself competes with the accounts below as if it were one of them.
    const alone = { first: own, share: best === undefined ? noShare : shareAlone(state, own.job) };
    if (best === undefined || goesFirst(alone, best)) best = alone;
  }
  holder.first = best?.first;
  if (holder.above === undefined) return;
  if (holder.first === undefined) {
    holder.above.below.delete(holder);
    return;
  }
  holder.share = shareOf(state, accountOf(state, holder.account), stayingOf(state, holder.account));
  holder.above.below.update(holder);
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
