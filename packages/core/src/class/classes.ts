import { isInside } from "../claim/takeable.ts";
import type { Event, JobClassed } from "../journal/event.ts";
import { type AccountNo, noAccount } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import type { Instant } from "../model/units.ts";
import { isWithin as isWithinFloor } from "../queue/quota.ts";
import { accountOf, jobOf, pathUp, type State } from "../state/state.ts";

/** Brings classes in line with what changed since the last look: some fall, some are promoted; nobody moves [C3]. */
export function settleClasses(state: State, now: Instant, apply: (event: Event) => void): void {
  // A promotion below can leave an account above with more than it covers, and what falls there may rise lower down.
  for (let changed = state.classes.takeChanged(); changed.size > 0; ) {
    const reclassed = new Set<AccountNo>();
    settleChanged(state, changed, now, (event) => {
      reclassed.add(jobOf(state, event.job).account);
      apply(event);
    });
    changed = reclassed;
  }
}

function settleChanged(
  state: State,
  changed: ReadonlySet<AccountNo>,
  now: Instant,
  apply: (event: JobClassed) => void,
): void {
  const looked = new Set<AccountNo>();
  for (const leaf of changed) {
    if (state.accounts[leaf] === undefined) continue;
    for (const { no } of pathUp(state, leaf)) {
      if (looked.has(no)) continue;
      looked.add(no);
      fall(state, no, now, apply);
    }
  }
  // From the top: what a high account can cover is then refined below.
  for (const no of [...looked].sort((a, b) => a - b)) {
    if (state.usage[no]!.burst > 0 && isWithin(state, no)) promote(state, no, now, apply);
  }
}

/** What an account and those below cover no longer fits its guarantee: of its own the least falls first. */
function fall(state: State, account: AccountNo, now: Instant, apply: (event: JobClassed) => void): void {
  const exceeded = () => !isWithinFloor(state, accountOf(state, account), state.usage[account]!.covered);
  if (!exceeded()) return;
  const covered = [...jobsBelow(state, account)].filter((job) => job.cover === account);
  covered.sort((a, b) => a.spec.priority - b.spec.priority || b.placedAt - a.placedAt || b.no - a.no);
  for (const job of covered) {
    if (!exceeded()) return;
    reclass(state, job, now, apply);
  }
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
  for (const [no, active] of state.active) if (isInside(state, no, account)) jobs.push(...active);
  return jobs.sort((a, b) => a.no - b.no);
}
