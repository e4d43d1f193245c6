import { type AccountNo, noAccount, rootAccount } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import { before } from "../queue/in-account.ts";
import { accountOf } from "../quota/accounts.ts";
import { type Demand, demandOf, modelsFor } from "../quota/demand.ts";
import { coverFor } from "../quota/guarantee.ts";
import { stayingOf } from "../quota/held.ts";
import { compareShares, type Share, shareOf, shareOfJob } from "../quota/share.ts";
import type { WaitingGroup } from "../state/indexes/waiting-group.ts";
import type { State } from "../state/state.ts";

/** How many, by the class they would start as. */
export interface ByClass {
  guaranteed: number;
  burst: number;
}

/** Who goes before a waiting job [W2]: of its own account, and of all others together. */
export interface Line {
  readonly own: ByClass;
  readonly others: ByClass;
}

/**
 * Who is ahead of a job by O1 to O3 as things stand. Of jobs of another account that want the same, those count that
 * would still go first with the ones before them started.
 */
export function lineOf(state: State, job: Job): Line {
  const line = { own: { guaranteed: 0, burst: 0 }, others: { guaranteed: 0, burst: 0 } };
  const demand = firstDemand(state, job);
  const burst = coverFor(state, job.account, demand) === noAccount;
  for (const group of state.waiting.groups) {
    if (group.account === job.account) countOwn(state, group, job, line.own);
    else countOthers(state, group, { job, demand, burst }, line.others);
  }
  return line;
}

function countOwn(state: State, group: WaitingGroup, job: Job, count: ByClass): void {
  let ahead = 0;
  while (ahead < group.jobs.length && before(state, group.jobs[ahead]!, job, group.order)) ahead++;
  if (ahead === 0) return;
  const covered = coveredOf(state, group, firstDemand(state, group.jobs[0]!), ahead);
  count.guaranteed += covered;
  count.burst += ahead - covered;
}

interface Asking {
  readonly job: Job;
  readonly demand: Demand;
  readonly burst: boolean;
}

function countOthers(state: State, group: WaitingGroup, asking: Asking, count: ByClass): void {
  const demand = firstDemand(state, group.jobs[0]!);
  const covered = coveredOf(state, group, demand, group.jobs.length);
  const mine = sideOf(state, asking.job.account, group.account);
  const theirs = sideOf(state, group.account, asking.job.account);
  const own = shareOn(state, mine, asking.demand);
  const goesFirst = (copies: number): boolean => {
    const shares = compareShares(shareOn(state, theirs, times(demand, copies)), own);
    return shares < 0 || (shares === 0 && group.jobs[copies - 1]!.no < asking.job.no);
  };
  if (!asking.burst) {
    count.guaranteed += most(covered, goesFirst);
    return;
  }
  count.guaranteed += covered;
  count.burst += Math.max(0, most(group.jobs.length, goesFirst) - covered);
}

/** How many of a group's first jobs a guarantee would hold. */
function coveredOf(state: State, group: WaitingGroup, demand: Demand, among: number): number {
  return most(among, (copies) => coverFor(state, group.account, times(demand, copies)) !== noAccount);
}

/** The largest number up to `max` for which it holds, where it holds for all below. */
function most(max: number, holds: (count: number) => boolean): number {
  let [low, high] = [0, max];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

function times(demand: Demand, copies: number): Demand {
  return {
    model: demand.model,
    units: demand.units * copies,
    memoryUnits: demand.memoryUnits * copies,
    cpusMilli: demand.cpusMilli * copies,
    memoryMiB: demand.memoryMiB * copies,
  };
}

function firstDemand(state: State, job: Job): Demand {
  return demandOf(state, job, 0, modelsFor(state, job, 0)[0] ?? -1);
}

/** The child of the lowest account above both that `account` is under; `noAccount` = it is that account itself. */
function sideOf(state: State, account: AccountNo, other: AccountNo): AccountNo {
  const above = new Set<AccountNo>();
  for (let at = other; at !== noAccount; at = accountOf(state, at).parent) above.add(at);
  let side: AccountNo = noAccount;
  for (let at = account; !above.has(at) && at !== rootAccount; at = accountOf(state, at).parent) side = at;
  return side;
}

function shareOn(state: State, side: AccountNo, demand: Demand): Share {
  if (side === noAccount) return shareOfJob(state, demand);
  return shareOf(state, accountOf(state, side), stayingOf(state, side), demand);
}
