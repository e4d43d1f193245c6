import type { Event, JobClassed } from "../journal/event.ts";
import { type AccountNo, noAccount } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import type { Instant } from "../model/units.ts";
import { borrowedOf, isWithin as isWithinFloor } from "../queue/quota.ts";
import { accountOf, jobOf, pathUp, type State } from "../state/state.ts";
import { addTo, type Held, minus, nothingHeld } from "../state/usage.ts";

/** Brings classes in line with what changed since the last look: some fall, some are promoted; nobody moves [C3]. */
export function settleClasses(state: State, now: Instant, apply: (event: Event) => void): void {
  // A promotion below can leave an account above with more than it covers, and what falls there may rise lower down.
  for (let changed = state.classes.takeChanged(); changed.size > 0; changed = state.classes.takeChanged()) {
    const note = (event: JobClassed): void => {
      state.classes.note(jobOf(state, event.job).account);
      apply(event);
    };
    settlePaths(state, changed, now, note);
  }
}

function settlePaths(
  state: State,
  changed: ReadonlySet<AccountNo>,
  now: Instant,
  apply: (event: JobClassed) => void,
): void {
  const looked: AccountNo[] = [];
  for (const leaf of changed) {
    if (state.accounts[leaf] === undefined) continue;
    for (const { no } of pathUp(state, leaf)) {
      if (changed.size > 1 && looked.includes(no)) continue;
      looked.push(no);
    }
  }
  // An account is made after the one above it. From below: what falls there need not fall above.
  looked.sort((a, b) => b - a);
  for (const no of looked) fall(state, no, now, apply);
  // From the top: what a high account can cover is then refined below.
  for (const no of looked.reverse()) {
    if (state.usage[no]!.burst > 0 && isWithin(state, no)) promote(state, no, now, apply);
  }
}

/** What an account and those below cover no longer fits its guarantee: of its own the least falls first. */
function fall(state: State, account: AccountNo, now: Instant, apply: (event: JobClassed) => void): void {
  const exceeded = () => !isWithinFloor(state, accountOf(state, account), state.usage[account]!.covered);
  if (!exceeded()) return;
  for (const tried = new Set<Job>(); exceeded(); ) {
    const job = firstToFall(state.coveredBy.get(account) ?? [], tried);
    if (job === undefined) return;
    tried.add(job);
    if (isPartOfExcess(state, account, job)) reclass(state, job, now, apply);
  }
}

/** Whether an account would cover less beyond its guarantee without a job: one on another model changes nothing. */
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

/** Of those not tried yet the lowest priority, then the youngest: who was submitted last, as everywhere. */
function firstToFall(jobs: Iterable<Job>, tried: ReadonlySet<Job>): Job | undefined {
  let first: Job | undefined;
  for (const job of jobs) if ((first === undefined || fallsBefore(job, first)) && !tried.has(job)) first = job;
  return first;
}

function fallsBefore(a: Job, b: Job): boolean {
  return a.spec.priority !== b.spec.priority ? a.spec.priority < b.spec.priority : a.no > b.no;
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

/** Jobs that hold something in an account or below, oldest first. */
function jobsBelow(state: State, account: AccountNo): Job[] {
  const jobs: Job[] = [];
  const gather = (no: AccountNo): void => {
    for (const job of state.active.get(no) ?? []) jobs.push(job);
    for (const child of accountOf(state, no).children) gather(child);
  };
  gather(account);
  return jobs.sort((a, b) => a.no - b.no);
}
