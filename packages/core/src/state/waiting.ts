import { Line, type Spot, spotFor } from "../collections/linked-list.ts";
import { attainedMs, gangGpus, placeOfLength } from "../learn/lengths.ts";
import type { QueueOrder } from "../model/account.ts";
import type { AccountNo, JobNo } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import { second } from "../model/units.ts";
import { ApartNames } from "./apart.ts";
import { beforeAlike } from "./job-order.ts";
import { type Rivals, rivalsOf } from "./rivals.ts";
import type { Shape, Wish } from "./wish.ts";

/**
 * Waiting jobs of one account with one wish. If the first of them cannot start, none can, so a pass over the queue costs
 * as much as there are different wishes, not as many as there are jobs. Those of which it is known how long they take
 * are in a group with others that take about as long. Where users have limits of their own, or an array has one, or how far
 * a job has come counts in the order, the jobs of each are a group for themselves.
 */
export class WaitingGroup {
  /** Unique in its account. */
  readonly key: number | string;
  readonly account: AccountNo;
  readonly wish: Wish;
  /** Best first. */
  readonly jobs: Job[] = [];
  /** Of the first: what groups are compared by most often. */
  priority = 0;
  no = 0 as JobNo;
  order: QueueOrder;
  /** Its first job has not been tried since it came to be the first. */
  fresh = false;
  /** The last pass in which it was asked for all it could do, and where it stood there. */
  contest = 0;
  place = -1;
  /** Those of its account that want the same seats. */
  readonly rivals: Rivals;
  /** Its spots among all in which someone waits, and among its rivals. */
  readonly spot: Spot<WaitingGroup> = spotFor(this);
  readonly rivalSpot: Spot<WaitingGroup> = spotFor(this);
  /** At its last turn there were seats, but a plan ahead of it would have been delayed. */
  delayed = false;
  /** It is looked at because there may be free seats; whom it might take is looked at when its turn comes. */
  seatsOnly = false;

  constructor(key: number | string, account: AccountNo, wish: Wish, order: QueueOrder) {
    this.key = key;
    this.account = account;
    this.wish = wish;
    this.order = order;
    this.rivals = rivalsOf(wish.shape, account);
  }
}

/** Work of an account that waits. */
export interface WaitingWork {
  /** GPU-seconds, as their users said. */
  saidGpuS: number;
  /** GPUs of those who did not say. */
  silentGpus: number;
}

const noWork: Readonly<WaitingWork> = { saidGpuS: 0, silentGpus: 0 };

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
  readonly groups = new Line<WaitingGroup>();
  /** What seats someone waits for. */
  readonly shapes = new Set<Shape>();
  /** How many contests there have been. */
  contests = 0;
  /** By account number: how often it has come to hold something else, and others have come to be first in it. */
  readonly heldChanges: number[] = [];
  readonly firstChanges: number[] = [];
  /** Those that insist. */
  readonly insisting = new Set<WaitingGroup>();
  /** By account number and key; also empty ones, which are likely to be needed again. */
  readonly #byAccount: (Map<number | string, WaitingGroup> | undefined)[] = [];
  #empty = 0;
  /** Of accounts whose order asks for it. */
  readonly #work = new Map<AccountNo, WaitingWork>();
  /** By the slot of a job that waits. */
  readonly #groupOf: (WaitingGroup | undefined)[] = [];
  #size = 0;
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
  #plansAreDue = false;

  constructor(apart = new ApartNames()) {
    this.#apart = apart;
  }

  get size(): number {
    return this.#size;
  }

  add(job: Job, wish: Wish, order: QueueOrder): void {
    while (this.#groupOf.length <= job.slot) this.#groupOf.push(undefined);
    if (this.#groupOf[job.slot] !== undefined) return;
    const group = this.#groupFor(job, wish, order);
    const at = placeOf(group, job);
    if (at === group.jobs.length) group.jobs.push(job);
    else group.jobs.splice(at, 0, job);
    if (at === 0) this.#noteFirst(group);
    if (group.jobs.length === 1) this.#enter(group);
    this.#groupOf[job.slot] = group;
    this.#size++;
    this.#countWork(group, job, 1);
    // Behind a job that wants the same and could not start there is nothing to try.
    if (at === 0) this.#refresh(group);
  }

  #refresh(group: WaitingGroup): void {
    if (group.fresh) return;
    group.fresh = true;
    this.#fresh.push(group);
  }

  remove(job: Job): void {
    const group = this.#groupOf[job.slot];
    if (group === undefined) return;
    this.#groupOf[job.slot] = undefined;
    this.#size--;
    this.#countWork(group, job, -1);
    if (group.jobs[0] === job) group.jobs.shift();
    else group.jobs.splice(placeOf(group, job), 1);
    if (group.jobs.length === 0) this.#leave(group);
    else this.#noteFirst(group);
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

  *ofAccount(account: AccountNo): Generator<WaitingGroup> {
    for (const group of this.#byAccount[account]?.values() ?? []) if (group.jobs.length > 0) yield group;
  }

  /** What waits in an account whose order asks for it. */
  workOf(account: AccountNo): Readonly<WaitingWork> {
    return this.#work.get(account) ?? noWork;
  }

  #countWork({ order, account }: WaitingGroup, { spec }: Job, sign: 1 | -1): void {
    if (order !== "aged-shortest") return;
    let work = this.#work.get(account);
    if (work === undefined) {
      work = { ...noWork };
      this.#work.set(account, work);
    }
    const said = spec.expectedMs ?? spec.maxTimeMs;
    if (said === undefined) work.silentGpus += sign * gangGpus(spec);
    else work.saidGpuS += sign * gangGpus(spec) * Math.ceil(said / second);
  }

  /** At its last turn it had a guarantee, or work of its own account, to claim by: it is looked at after every change. */
  noteInsists(group: WaitingGroup, insists: boolean): void {
    if (insists) this.insisting.add(group);
    else this.insisting.delete(group);
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

  /** It is time for some to have their turn, and for starts to be planned. */
  turnsCame(): void {
    this.turnsAreDue = true;
    this.#plansAreDue = true;
  }

  /** Whether that has come since this was last asked. */
  takePlansDue(): boolean {
    const due = this.#plansAreDue;
    this.#plansAreDue = false;
    return due;
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
    return this.#groupOf[job.slot];
  }

  /** The job would have started at its last turn, but for a plan ahead of it. */
  isDelayed(job: Job): boolean {
    return this.#groupOf[job.slot]?.delayed ?? false;
  }

  has(job: Job): boolean {
    return this.#groupOf[job.slot] !== undefined;
  }

  #groupFor(job: Job, wish: Wish, order: QueueOrder): WaitingGroup {
    const { account } = job;
    while (this.#byAccount.length <= account) this.#byAccount.push(undefined);
    this.#byAccount[account] ??= new Map();
    const beside = this.#byAccount[account];
    const key = this.#keyOf(job, wish, order);
    const known = beside.get(key);
    if (known !== undefined) {
      known.order = order;
      return known;
    }
    const group = new WaitingGroup(key, account, wish, order);
    beside.set(key, group);
    this.#empty++;
    return group;
  }

  #enter(group: WaitingGroup): void {
    this.#empty--;
    this.groups.add(group.spot);
    const { shape } = group.wish;
    const { rivals } = group;
    if (shape.waiting.size === 0) this.shapes.add(shape);
    if (rivals.groups.size === 0) shape.waiting.add(rivals.spot);
    rivals.groups.add(group.rivalSpot);
    this.#rivalsChanged(group);
  }

  #noteFirst(group: WaitingGroup): void {
    const { spec, no } = group.jobs[0]!;
    if (group.no === no) return;
    group.priority = spec.priority;
    group.no = no;
    this.#rivalsChanged(group);
  }

  #rivalsChanged({ rivals, account }: WaitingGroup): void {
    rivals.changed();
    this.firstChanges[account] = (this.firstChanges[account] ?? 0) + 1;
  }

  heldChanged(account: AccountNo): void {
    this.heldChanges[account] = (this.heldChanges[account] ?? 0) + 1;
  }

  #leave(group: WaitingGroup): void {
    this.#empty++;
    group.delayed = false;
    this.groups.delete(group.spot);
    if (this.insisting.size > 0) this.insisting.delete(group);
    const { shape } = group.wish;
    const { rivals } = group;
    rivals.groups.delete(group.rivalSpot);
    this.#rivalsChanged(group);
    if (rivals.groups.size === 0) shape.waiting.delete(rivals.spot);
    if (shape.waiting.size === 0) this.shapes.delete(shape);
    if (this.#empty > emptyMax) this.#forgetEmpty();
  }

  #forgetEmpty(): void {
    this.#empty = 0;
    for (const [account, beside] of this.#byAccount.entries()) {
      for (const [key, group] of beside ?? []) if (group.jobs.length === 0) beside!.delete(key);
      if (beside?.size === 0) this.#byAccount[account] = undefined;
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
