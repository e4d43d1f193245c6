import type { JobClassed } from "../journal/event.ts";
import type { Account } from "../model/account.ts";
import { type AccountNo, noAccount } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import type { Instant } from "../model/units.ts";
import { accountOf, pathUp } from "../quota/accounts.ts";
import { borrowedOf, isWithin as isWithinFloor } from "../quota/guarantee.ts";
import { addTo, type Held, minus, nothingHeld } from "../quota/held.ts";
import { jobOf } from "../state/live-jobs.ts";
import type { State } from "../state/state.ts";
import type { World } from "./world.ts";

/**
 * Brings classes in line with what accounts hold now: some jobs fall, some are promoted, none moves [C3]. Looks only at
 * accounts that changed since the last call. Returns whether a job fell out of a guarantee, so that it can be a victim.
 */
export function settleClasses({ state, memory, now, apply }: World): boolean {
  const { classes } = memory;
  let fell = false;
  // A promotion can leave an account above with more than it covers, and a job that falls there may rise lower down.
  for (let changed = classes.takeAll(); changed.length > 0; changed = classes.takeAll()) {
    const looked = pathsUp(state, changed);
    // After most starts nothing needs reclassifying.
    if (areSettled(state, looked)) continue;
    settlePaths(state, looked, now, (event) => {
      classes.add(jobOf(state, event.job).account);
      apply(event);
      fell ||= event.cover === noAccount;
    });
  }
  return fell;
}

/** Whether none of these accounts covers too much, or could cover a burst job. */
function areSettled(state: State, looked: readonly Account[]): boolean {
  for (const { no } of looked) {
    if (!coversNoMore(state, no) || mayPromote(state, no)) return false;
  }
  return true;
}

/** These accounts and all above them, each once and after the accounts below it. */
function pathsUp(state: State, changed: readonly AccountNo[]): readonly Account[] {
  // A start changes one account, and there are very many starts.
  if (changed.length === 1) return state.accounts[changed[0]!] === undefined ? [] : pathUp(state, changed[0]!);
  const looked = new Set<Account>();
  for (const no of changed) {
    if (state.accounts[no] === undefined) continue;
    for (const account of pathUp(state, no)) looked.add(account);
  }
  // An account has a higher number than the one above it.
  return [...looked].sort((a, b) => b.no - a.no);
}

function settlePaths(state: State, looked: readonly Account[], now: Instant, apply: (event: JobClassed) => void): void {
  // From below: a job that falls there no longer counts above.
  for (const { no } of looked) fall(state, no, now, apply);
  // From the top: each promotion looks for the lowest account on the job's path that has room.
  for (let i = looked.length - 1; i >= 0; i--) {
    const { no } = looked[i]!;
    if (mayPromote(state, no)) promote(state, no, now, apply);
  }
}

/** Where an account and those below cover more than its guarantee, jobs that it covers itself fall, the least first. */
function fall(state: State, account: AccountNo, now: Instant, apply: (event: JobClassed) => void): void {
  if (coversNoMore(state, account)) return;
  for (const tried = new Set<Job>(); !coversNoMore(state, account); ) {
    const job = firstToFall(state.coveredBy.of(account), tried);
    if (job === undefined) return;
    tried.add(job);
    if (isPartOfExcess(state, account, job)) reclass(state, job, now, apply);
  }
}

/** Whether the guarantee of an account holds all that it and the accounts below cover. */
function coversNoMore(state: State, account: AccountNo): boolean {
  return isWithinFloor(state, accountOf(state, account), state.usage[account]!.covered);
}

/** Whether the excess over a guarantee would be less without a job; a job on another model may change nothing. */
function isPartOfExcess(state: State, account: AccountNo, { leases }: Job): boolean {
  const { covered } = state.usage[account]!;
  const beyond = (held: Held) => borrowedOf(state, accountOf(state, account), held);
  const without = nothingHeld();
  for (const lease of leases) if (!lease.extra) addTo(without, state.fleet, lease, 1);
  const [now, then] = [beyond(covered), beyond(minus(covered, without))];
  return (
    now.units + now.memoryUnits + now.cpusMilli + now.memoryMiB !==
    then.units + then.memoryUnits + then.cpusMilli + then.memoryMiB
  );
}

/** The job to fall next, of those not tried yet: the lowest priority, then the one submitted last. */
function firstToFall(jobs: Iterable<Job>, tried: ReadonlySet<Job>): Job | undefined {
  let first: Job | undefined;
  for (const job of jobs) if ((first === undefined || fallsBefore(job, first)) && !tried.has(job)) first = job;
  return first;
}

function fallsBefore(a: Job, b: Job): boolean {
  return a.spec.priority !== b.spec.priority ? a.spec.priority < b.spec.priority : a.no > b.no;
}

/** Whether an account has room in its guarantee, and burst jobs in it or below. */
function mayPromote(state: State, account: AccountNo): boolean {
  return state.usage[account]!.burst > 0 && isWithin(state, account);
}

function promote(state: State, account: AccountNo, now: Instant, apply: (event: JobClassed) => void): void {
  for (const job of jobsBelow(state, account))
    if (job.cover === noAccount && job.state !== "stopping") reclass(state, job, now, apply);
}

function reclass(state: State, job: Job, now: Instant, apply: (event: JobClassed) => void): void {
  let cover = noAccount;
  for (const { no } of pathUp(state, job.account)) {
    if (!isWithin(state, no)) continue;
    cover = no;
    break;
  }
  if (cover === job.cover) return;
  apply({
    kind: "job-classed",
    v: 1,
    at: now,
    job: job.no,
    class: cover === noAccount ? "burst" : "guaranteed",
    cover,
  });
}

function isWithin(state: State, account: AccountNo): boolean {
  return isWithinFloor(state, accountOf(state, account), state.usage[account]!);
}

/** Jobs that hold leases in an account or below, oldest first. */
function jobsBelow(state: State, account: AccountNo): Job[] {
  const jobs: Job[] = [];
  const gather = (no: AccountNo): void => {
    for (const job of state.active.of(no)) jobs.push(job);
    for (const child of accountOf(state, no).children) gather(child);
  };
  gather(account);
  return jobs.sort((a, b) => a.no - b.no);
}
