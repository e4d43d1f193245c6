import { LinkedList } from "../../collections/linked-list.ts";
import { SlotPool } from "../../collections/slots.ts";
import { attainedMs, gangGpus, lengthBinOf } from "../../learn/lengths.ts";
import type { QueueOrder } from "../../model/account.ts";
import type { AccountNo } from "../../model/ids.ts";
import type { Job } from "../../model/job.ts";
import { type Instant, second } from "../../model/units.ts";
import { type Listener, silent } from "../listener.ts";
import { ApartNames } from "./apart.ts";
import { beforeAlike } from "./job-order.ts";
import { ShapeQueue, WaitingGroup } from "./waiting-group.ts";
import type { SeatShape, Wish } from "./wish.ts";

/** A round of turns to claim [B6]. */
export interface Round {
  /** When the first change happened that calls for another round; undefined = none did. */
  readonly changedAt: Instant | undefined;
  /** The first job of the last group that has had its turn in this round; 0 = no round is under way. */
  readonly upTo: number;
  /** When a turn was last taken. */
  readonly takenAt: Instant;
}

export const noRound: Round = { changedAt: undefined, upTo: 0, takenAt: 0 };

/** Waiting work of an account. */
export interface WaitingWork {
  /** GPU-seconds of jobs that say how long they run. */
  saidGpuS: number;
  /** GPUs of jobs that do not say. */
  silentGpus: number;
}

const noWork: Readonly<WaitingWork> = { saidGpuS: 0, silentGpus: 0 };

/** Up to this many groups are all tried after every change; beyond it groups take turns to claim [B6]. */
const groupsMax = 256;
/** How long a round waits after a change, and each turn after the one before. */
const betweenTurnsMs = 250;
/** Beyond this many empty groups all of them are dropped. */
const emptyMax = 20_000;

/** Jobs of one group ask for the same time and GPUs, so under most orders only age tells them apart, at any time. */
function goesFirst(a: Job, b: Job, order: QueueOrder): boolean {
  return beforeAlike(a, b, order === "attained-service" ? order : "age");
}

/** The queue: jobs that only room, quota or a limit keeps from starting. Held, dependent and early jobs are not in it. */
export class Waiting {
  readonly #apart: ApartNames;
  /** Groups with a waiting job. */
  readonly groups = new LinkedList<WaitingGroup>();
  /** Queues with a waiting job. */
  readonly queues = new Set<ShapeQueue>();
  /** Also empty ones, which are likely to be needed again. */
  readonly #queueOf = new Map<SeatShape, ShapeQueue>();
  readonly #slots = new SlotPool();
  /** By account number: versions that grow when what it holds changes, and when the first job of a group in it does. */
  readonly heldVersion: number[] = [];
  readonly firstVersion: number[] = [];
  /** By account number and key; also empty groups, which are likely to be needed again. */
  readonly #byAccount: (Map<number | string, WaitingGroup> | undefined)[] = [];
  #empty = 0;
  /** Only of accounts whose order uses it. */
  readonly #work = new Map<AccountNo, WaitingWork>();
  /** By the slot of a waiting job. */
  readonly #groupOf: (WaitingGroup | undefined)[] = [];
  #size = 0;
  #byUser = false;
  /** How far the present round of turns has come, as the last event said [B6]; counts only while the queue is long. */
  round: Round = noRound;
  listener: Listener = silent;

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
    const at = indexInGroup(group, job);
    if (at === group.jobs.length) group.jobs.push(job);
    else group.jobs.splice(at, 0, job);
    if (at === 0) this.#noteFirst(group);
    if (group.jobs.length === 1) this.#enter(group);
    this.#groupOf[job.slot] = group;
    this.#size++;
    this.#countWork(group, job, 1);
    // A job behind one with the same wish that could not start need not be tried.
    if (at === 0) this.listener.firstChanged(group);
  }

  remove(job: Job): void {
    const group = this.#groupOf[job.slot];
    if (group === undefined) return;
    this.#groupOf[job.slot] = undefined;
    this.#size--;
    this.#countWork(group, job, -1);
    if (group.jobs[0] === job) group.jobs.shift();
    else group.jobs.splice(indexInGroup(group, job), 1);
    if (group.jobs.length === 0) this.#leave(group);
    else this.#noteFirst(group);
  }

  /** The account has another order now. */
  reorder(account: AccountNo, order: QueueOrder): void {
    for (const group of [...this.ofAccount(account)]) if (group.order !== order) this.#regroup(group, order);
  }

  /** From now on each user's jobs form groups of their own, or no longer do. */
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

  /** Job names of the account have come to matter [P8]: jobs with the same wish may have different seats now. */
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

  /** The waiting work of an account; none where its order does not use it. */
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

  /** Room, quota or a limit changed: every waiting job may be able to start. */
  roomChanged(): void {
    this.listener.roomChanged();
  }

  /** Whether so many groups wait that they take turns to claim [B6]. */
  get isLong(): boolean {
    return this.groups.size > groupsMax;
  }

  /** When the next turn is due; undefined = no round is under way, and none follows. */
  get turnAt(): Instant | undefined {
    const { changedAt, upTo, takenAt } = this.round;
    if (upTo > 0) return takenAt + betweenTurnsMs;
    return changedAt === undefined ? undefined : Math.max(changedAt, takenAt) + betweenTurnsMs;
  }

  /** The first groups after one with this first job, at most `count`, in the order of their first jobs. */
  groupsAfter(no: number, count: number): WaitingGroup[] {
    const found: WaitingGroup[] = [];
    let last = Number.POSITIVE_INFINITY;
    for (const group of this.groups) {
      if (group.no <= no || group.no >= last) continue;
      let at = found.length;
      while (at > 0 && found[at - 1]!.no > group.no) at--;
      found.splice(at, 0, group);
      if (found.length > count) found.pop();
      if (found.length === count) last = found.at(-1)!.no;
    }
    return found;
  }

  /** The group of a waiting job. */
  groupOf(job: Job): WaitingGroup | undefined {
    return this.#groupOf[job.slot];
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
    const group = new WaitingGroup(key, this.#slots.take(), this.#queueFor(wish.shape).of(account), wish, order);
    beside.set(key, group);
    this.#empty++;
    return group;
  }

  #queueFor(shape: SeatShape): ShapeQueue {
    let queue = this.#queueOf.get(shape);
    if (queue === undefined) {
      queue = new ShapeQueue(shape);
      this.#queueOf.set(shape, queue);
    }
    return queue;
  }

  #enter(group: WaitingGroup): void {
    this.#empty--;
    this.groups.add(group.node);
    const { rivals } = group;
    const { queue } = rivals;
    if (queue.rivals.size === 0) this.queues.add(queue);
    if (rivals.groups.size === 0) queue.rivals.add(rivals.node);
    rivals.groups.add(group.rivalNode);
    this.#rivalsChanged(group);
  }

  #noteFirst(group: WaitingGroup): void {
    const { spec, no } = group.jobs[0]!;
    if (group.no === no && group.priority === spec.priority) return;
    group.priority = spec.priority;
    group.no = no;
    this.#rivalsChanged(group);
  }

  #rivalsChanged({ rivals, account }: WaitingGroup): void {
    rivals.version++;
    this.firstVersion[account] = (this.firstVersion[account] ?? 0) + 1;
  }

  heldChanged(account: AccountNo): void {
    this.heldVersion[account] = (this.heldVersion[account] ?? 0) + 1;
  }

  #leave(group: WaitingGroup): void {
    this.#empty++;
    this.groups.delete(group.node);
    const { rivals } = group;
    const { queue } = rivals;
    rivals.groups.delete(group.rivalNode);
    this.#rivalsChanged(group);
    if (rivals.groups.size === 0) queue.rivals.delete(rivals.node);
    if (queue.rivals.size === 0) this.queues.delete(queue);
    if (this.#empty > emptyMax) this.#forgetEmpty();
  }

  #forgetEmpty(): void {
    this.#empty = 0;
    for (const [account, beside] of this.#byAccount.entries()) {
      for (const [key, group] of beside ?? []) {
        if (group.jobs.length > 0) continue;
        beside!.delete(key);
        this.#slots.give(group.slot);
      }
      if (beside?.size === 0) this.#byAccount[account] = undefined;
    }
    for (const [shape, queue] of this.#queueOf) if (queue.rivals.size === 0) this.#queueOf.delete(shape);
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

/** How many classes of run times there may be, in steps of a power of two. */
const timesApart = 64;

/** The class of a run time; 0 = unknown. */
function timeClass(ms: number | undefined): number {
  return ms === undefined ? 0 : 33 - Math.clz32(ms / second);
}

/** The progress of a job, where its order uses it: jobs of one group have come equally far. */
function reachedBy(job: Job): string {
  const ran = attainedMs(job, 0);
  if (ran === 0) return "";
  return job.spec.expectedMs === undefined ? `${lengthBinOf(ran)}` : `${ran}ms`;
}

/** Where a job is in its group, or belongs. */
function indexInGroup({ jobs, order }: WaitingGroup, job: Job): number {
  let low = 0;
  let high = jobs.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (goesFirst(jobs[middle]!, job, order)) low = middle + 1;
    else high = middle;
  }
  return low;
}
