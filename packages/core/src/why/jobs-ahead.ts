import { ancestors } from "../model/account.ts";
import { type AccountNo, type JobNo, noAccount } from "../model/ids.ts";
import type { Job, JobArray } from "../model/job.ts";
import { before } from "../queue/in-account.ts";
import { accountOf } from "../quota/accounts.ts";
import { type Demand, demandOf, modelsFor } from "../quota/demand.ts";
import { coverFor } from "../quota/guarantee.ts";
import { stayingOf } from "../quota/held.ts";
import { compareShares, type Share, shareOf, shareOfJob } from "../quota/share.ts";
import type { WaitingGroup } from "../state/indexes/waiting-group.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import { unmadePlaces } from "../state/unmade.ts";

/** Numbers of jobs by the class in which they would start. */
export interface ByClass {
  guaranteed: number;
  burst: number;
}

/** The jobs that go before a waiting job [W2]: those of its own account, and those of all other accounts together. */
export interface JobsAhead {
  readonly own: ByClass;
  readonly others: ByClass;
}

/**
 * Counts the jobs ahead of a job by O1 to O3. Each start raises its account's share: of equal jobs in another account,
 * only those count that would still go first once the ones before them have started.
 */
export function jobsAheadOf(state: ReadonlyState, job: Job): JobsAhead {
  const ahead = { own: { guaranteed: 0, burst: 0 }, others: { guaranteed: 0, burst: 0 } };
  const demand = firstDemand(state, job);
  const burst = coverFor(state, job.account, demand) === noAccount;
  const later = unmadeIn(state);
  for (const group of state.waiting.groups) {
    const unmade = later.get(group) ?? none;
    if (group.account === job.account) countOwn(state, group, unmade, job, ahead.own);
    else countOthers(state, group, unmade, { job, demand, burst }, ahead.others);
  }
  return ahead;
}

const none: readonly JobNo[] = [];

/** Elements of long arrays that are not made, by the group that they will be in: they come behind those that are. */
function unmadeIn(state: ReadonlyState): ReadonlyMap<WaitingGroup, readonly JobNo[]> {
  const found = new Map<WaitingGroup, JobNo[]>();
  for (const array of state.arrays.values()) {
    if (array.later === undefined) continue;
    const group = groupOfNewest(state, array);
    if (group === undefined) continue;
    const numbers = found.get(group) ?? [];
    for (const place of unmadePlaces(array)) numbers.push((array.no + 1 + place) as JobNo);
    found.set(group, numbers);
  }
  return found;
}

/** The group of the element that was made last and waits; undefined while none is in the queue. */
function groupOfNewest(state: ReadonlyState, { no, later }: JobArray): WaitingGroup | undefined {
  for (let place = later!.next - 1; place >= 0; place--) {
    const job = state.jobs.get((no + 1 + place) as JobNo);
    const group = job && state.waiting.groupOf(job);
    if (group !== undefined) return group;
  }
  return undefined;
}

function countOwn(state: ReadonlyState, group: WaitingGroup, unmade: readonly JobNo[], job: Job, count: ByClass): void {
  let ahead = 0;
  while (ahead < group.jobs.length && before(state, group.jobs[ahead]!, job, group.order)) ahead++;
  if (ahead === 0) return;
  ahead += unmade.filter((no) => no < job.no).length; // inside a group only age tells them apart
  const covered = coveredOf(state, group, firstDemand(state, group.jobs[0]!), ahead);
  count.guaranteed += covered;
  count.burst += ahead - covered;
}

/** The job whose position is counted. */
interface Subject {
  readonly job: Job;
  readonly demand: Demand;
  readonly burst: boolean;
}

function countOthers(
  state: ReadonlyState,
  group: WaitingGroup,
  unmade: readonly JobNo[],
  subject: Subject,
  count: ByClass,
): void {
  const demand = firstDemand(state, group.jobs[0]!);
  const waiting = group.jobs.length + unmade.length;
  const noOf = (place: number): JobNo => group.jobs[place]?.no ?? unmade[place - group.jobs.length]!;
  const covered = coveredOf(state, group, demand, waiting);
  const mine = sideOf(state, subject.job.account, group.account);
  const theirs = sideOf(state, group.account, subject.job.account);
  const own = shareOn(state, mine, subject.demand);
  const goesFirst = (copies: number): boolean => {
    const shares = compareShares(shareOn(state, theirs, times(demand, copies)), own);
    return shares < 0 || (shares === 0 && noOf(copies - 1) < subject.job.no);
  };
  if (!subject.burst) {
    count.guaranteed += most(covered, goesFirst);
    return;
  }
  count.guaranteed += covered;
  count.burst += Math.max(0, most(waiting, goesFirst) - covered);
}

/** How many of a group's first jobs a guarantee would cover. */
function coveredOf(state: ReadonlyState, group: WaitingGroup, demand: Demand, among: number): number {
  return most(among, (copies) => coverFor(state, group.account, times(demand, copies)) !== noAccount);
}

/** The largest count up to `max` for which a condition holds; it must hold for every smaller count. */
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

function firstDemand(state: ReadonlyState, job: Job): Demand {
  return demandOf(state, job, 0, modelsFor(state, job, 0)[0] ?? -1);
}

/** The side of an account against another: the child of their LCA above it; `noAccount` = it is the LCA itself. */
function sideOf(state: ReadonlyState, account: AccountNo, other: AccountNo): AccountNo {
  const above = new Set<AccountNo>();
  for (const { no } of ancestors(state.accounts, other)) above.add(no);
  let side: AccountNo = noAccount;
  for (const { no } of ancestors(state.accounts, account)) {
    if (above.has(no)) return side;
    side = no;
  }
  return side;
}

function shareOn(state: ReadonlyState, side: AccountNo, demand: Demand): Share {
  if (side === noAccount) return shareOfJob(state, demand);
  return shareOf(state, accountOf(state, side), stayingOf(state, side), demand);
}
