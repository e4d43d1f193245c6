import type { QueueOrder } from "../model/account.ts";
import type { AccountNo, JobNo } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import { second } from "../model/units.ts";
import { beforeAlike } from "../queue/in-account.ts";
import { ApartNames } from "./apart.ts";
import { attainedMs, placeOfLength } from "./lengths.ts";
import type { Shape, Wish } from "./wish.ts";

/**
 * Waiting jobs of one account with one wish. If the first of them cannot start, none can, so a pass over the queue costs
 * as much as there are different wishes, not as many as there are jobs. Those of which it is known how long they take
 * are in a group with others that take about as long. Where users have limits of their own, or an array has one, or how far
 * a job has come counts in the order, the jobs of each are a group for themselves.
 */
export interface WaitingGroup {
  /** Unique in its account. */
  readonly key: number | string;
  readonly account: AccountNo;
  readonly wish: Wish;
  /** Best first. */
  readonly jobs: Job[];
  /** Of the first: what groups are compared by most often. */
  priority: number;
  no: JobNo;
  order: QueueOrder;
  /** Its first job has not been tried since it came to be the first. */
  fresh: boolean;
  /** Where it stands in a contest. */
  place: number;
  /** At its last turn there were seats, but a plan ahead of it would have been delayed. */
  delayed: boolean;
  /** It is looked at because there may be free seats; whom it might take is looked at when its turn comes. */
  seatsOnly: boolean;
}

/** Up to so many groups are all looked at after every change. */
const groupsMax = 256;
/** More empty groups than this are not kept. */
const emptyMax = 20_000;

/** Those who ask for the same time and the same GPUs go by age under most other orders too, whatever the hour. */
function goesFirst(a: Job, b: Job, order: QueueOrder): boolean {
  return beforeAlike(a, b, order === "attained-service" ? order : "age");
}

/** The queue: jobs that could start as far as they themselves are concerned. Held or dependent jobs are not in it. */
export class Waiting {
  readonly #apart: ApartNames;
  /** Those in which someone waits. */
  readonly groups = new Set<WaitingGroup>();
  readonly #byWish = new Map<Wish, Set<WaitingGroup>>();
  /** Those that differ only in who asks and for how long. */
  readonly byShape = new Map<Shape, Set<WaitingGroup>>();
  /** Those that insist. */
  readonly insisting = new Set<WaitingGroup>();
  /** Also empty ones, which are likely to be needed again. */
  readonly #byAccount = new Map<AccountNo, Map<number | string, WaitingGroup>>();
  #empty = 0;
  readonly #groupOf = new Map<JobNo, WaitingGroup>();
  #byUser = false;
  #fresh: WaitingGroup[] = [];
  #changed = false;
  /** Accounts that have given something back. */
  #relieved = new Set<AccountNo>();
  /** Those whose turn is still to come in this round, last first; after a change another round follows. */
  #turns: WaitingGroup[] = [];
  #roundFollows = false;
  /** It is time for some to have their turn. */
  turnsAreDue = false;

  constructor(apart = new ApartNames()) {
    this.#apart = apart;
  }

  get size(): number {
    return this.#groupOf.size;
  }

  add(job: Job, wish: Wish, order: QueueOrder): void {
    if (this.#groupOf.has(job.no)) return;
    const group = this.#groupFor(job, wish, order);
    const at = placeOf(group, job);
    if (at === group.jobs.length) group.jobs.push(job);
    else group.jobs.splice(at, 0, job);
    if (at === 0) noteFirst(group);
    if (group.jobs.length === 1) this.#enter(group);
    this.#groupOf.set(job.no, group);
    // Behind a job that wants the same and could not start there is nothing to try.
    if (at === 0) this.#refresh(group);
  }

  #refresh(group: WaitingGroup): void {
    if (group.fresh) return;
    group.fresh = true;
    this.#fresh.push(group);
  }

  remove(job: Job): void {
    const group = this.#groupOf.get(job.no);
    if (group === undefined) return;
    this.#groupOf.delete(job.no);
    if (group.jobs[0] === job) group.jobs.shift();
    else group.jobs.splice(placeOf(group, job), 1);
    if (group.jobs.length === 0) this.#leave(group);
    else noteFirst(group);
  }

  /** The account has chosen another order. */
  reorder(account: AccountNo, order: QueueOrder): void {
    for (const group of [...this.ofAccount(account)]) if (group.order !== order) this.#regroup(group, order);
  }

  /** From now on the jobs of each user are groups of their own, or no longer. */
  splitByUser(split: boolean): void {
    if (split === this.#byUser) return;
    this.#byUser = split;
    for (const group of [...this.groups]) this.#regroup(group, group.order);
  }

  #regroup(group: WaitingGroup, order: QueueOrder): void {
    const jobs = [...group.jobs];
    for (const job of jobs) this.remove(job);
    for (const job of jobs) this.add(job, group.wish, order);
  }

  /** Names of the account have come to matter: who wants the same no longer starts alike. */
  regroup(account: AccountNo): void {
    for (const group of [...this.ofAccount(account)]) {
      for (const job of [...group.jobs]) {
        if (this.#keyOf(job, group.wish, group.order) === group.key) continue;
        this.remove(job);
        this.add(job, group.wish, group.order);
      }
    }
  }

  /** Groups that want the same. */
  ofWish(wish: Wish): Iterable<WaitingGroup> {
    return this.#byWish.get(wish) ?? [];
  }

  *ofAccount(account: AccountNo): Generator<WaitingGroup> {
    for (const group of this.#byAccount.get(account)?.values() ?? []) if (group.jobs.length > 0) yield group;
  }

  /** At its last turn it had a guarantee, or work of its own account, to claim by: it is looked at after every change. */
  noteInsists(group: WaitingGroup, insists: boolean): void {
    if (insists) this.insisting.add(group);
    else this.insisting.delete(group);
  }

  /** What is waited for. */
  wishes(): Iterable<Wish> {
    return this.#byWish.keys();
  }

  /** Room, quota or a limit changed: everyone may be able to start. */
  wakeAll(): void {
    this.#changed = true;
    this.#roundFollows = true;
  }

  /** The order of an account may have changed with time alone. */
  wakeAccount(account: AccountNo): void {
    for (const group of this.ofAccount(account)) this.#refresh(group);
  }

  /** An account holds less than before: it may have a guarantee to claim by. */
  relieve(account: AccountNo): void {
    this.#relieved.add(account);
  }

  /** Groups whose first job has not been tried since it came to be the first. */
  takeFresh(): WaitingGroup[] {
    const fresh = this.#fresh;
    for (const group of fresh) group.fresh = false;
    if (fresh.length > 0) this.#fresh = [];
    return fresh.filter((group) => group.jobs.length > 0);
  }

  /** Whether everyone may be able to start since this was last asked. */
  takeChanged(): boolean {
    const changed = this.#changed;
    this.#changed = false;
    return changed;
  }

  takeRelieved(): ReadonlySet<AccountNo> {
    const relieved = this.#relieved;
    if (relieved.size > 0) this.#relieved = new Set();
    return relieved;
  }

  /** Everyone has been looked at. */
  endRound(): void {
    this.#turns = [];
    this.#roundFollows = false;
  }

  /** So many wait that they take turns to look whom they might take. */
  get isLong(): boolean {
    return this.groups.size > groupsMax;
  }

  /** Whether someone's turn is still to come. */
  get hasTurns(): boolean {
    return this.#turns.length > 0 || this.#roundFollows;
  }

  /** The next ones of this round, or of the one that follows. */
  takeTurns(count: number): WaitingGroup[] {
    if (count === 0) return [];
    if (this.#turns.length === 0 && this.#roundFollows) {
      this.#turns = [...this.groups].reverse();
      this.#roundFollows = false;
    }
    return this.#turns.splice(-count).filter((group) => group.jobs.length > 0);
  }

  /** The group of a job that waits. */
  groupOf(job: Job): WaitingGroup | undefined {
    return this.#groupOf.get(job.no);
  }

  /** The job would have started at its last turn, but for a plan ahead of it. */
  isDelayed(job: Job): boolean {
    return this.#groupOf.get(job.no)?.delayed ?? false;
  }

  has(job: Job): boolean {
    return this.#groupOf.has(job.no);
  }

  #groupFor(job: Job, wish: Wish, order: QueueOrder): WaitingGroup {
    const { account } = job;
    let beside = this.#byAccount.get(account);
    if (beside === undefined) {
      beside = new Map();
      this.#byAccount.set(account, beside);
    }
    const key = this.#keyOf(job, wish, order);
    const known = beside.get(key);
    if (known !== undefined) {
      known.order = order;
      return known;
    }
    const group: WaitingGroup = {
      key,
      account,
      wish,
      jobs: [],
      priority: 0,
      no: 0 as JobNo,
      order,
      fresh: false,
      place: -1,
      delayed: false,
      seatsOnly: false,
    };
    beside.set(key, group);
    this.#empty++;
    return group;
  }

  #enter(group: WaitingGroup): void {
    this.#empty--;
    this.groups.add(group);
    addUnder(this.#byWish, group.wish, group);
    addUnder(this.byShape, group.wish.shape, group);
  }

  #leave(group: WaitingGroup): void {
    this.#empty++;
    group.delayed = false;
    this.groups.delete(group);
    this.insisting.delete(group);
    deleteUnder(this.#byWish, group.wish, group);
    deleteUnder(this.byShape, group.wish.shape, group);
    if (this.#empty > emptyMax) this.#forgetEmpty();
  }

  #forgetEmpty(): void {
    this.#empty = 0;
    for (const [account, beside] of this.#byAccount) {
      for (const [key, group] of beside) if (group.jobs.length === 0) beside.delete(key);
      if (beside.size === 0) this.#byAccount.delete(account);
    }
  }

  #keyOf(job: Job, wish: Wish, order: QueueOrder): number | string {
    const limited = job.array !== undefined && job.spec.array?.atOnceMax !== undefined;
    const alike = wish.no * timesApart + timeClass(job.usualMs);
    const reached = order === "index" ? reachedBy(job) : "";
    const name = this.#apart.concerns(job) ? job.spec.name : "";
    if (!this.#byUser && !limited && reached === "" && name === "") return alike;
    return `${alike}/${this.#byUser ? job.user : ""}/${limited ? job.array : ""}/${reached}/${name}`;
  }
}

/** How many different times there may be, in steps of a power of two. */
const timesApart = 64;

/** Which of them a time is; 0 = nobody knows. */
function timeClass(ms: number | undefined): number {
  return ms === undefined ? 0 : 33 - Math.clz32(ms / second);
}

/** How far a job has come, where that counts in its order: jobs of one group have come equally far. */
function reachedBy(job: Job): string {
  const ran = attainedMs(job, 0);
  if (ran === 0) return "";
  return job.spec.expectedMs === undefined ? `${placeOfLength(ran)}` : `${ran}ms`;
}

function noteFirst(group: WaitingGroup): void {
  const { spec, no } = group.jobs[0]!;
  group.priority = spec.priority;
  group.no = no;
}

function addUnder<Key>(by: Map<Key, Set<WaitingGroup>>, key: Key, group: WaitingGroup): void {
  const alike = by.get(key);
  if (alike === undefined) by.set(key, new Set([group]));
  else alike.add(group);
}

function deleteUnder<Key>(by: Map<Key, Set<WaitingGroup>>, key: Key, group: WaitingGroup): void {
  const alike = by.get(key)!;
  alike.delete(group);
  if (alike.size === 0) by.delete(key);
}

function placeOf({ jobs, order }: WaitingGroup, job: Job): number {
  let low = 0;
  let high = jobs.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (goesFirst(jobs[middle]!, job, order)) low = middle + 1;
    else high = middle;
  }
  return low;
}
