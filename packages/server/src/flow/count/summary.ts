import { type Account, isInside, type ReadonlyState, type ReasonKind, type UserId } from "@tessera/core";
import { type SummaryShape, summaryAccountsMax } from "@tessera/wire";
import { timestamp } from "../../render/quantities.ts";
import type { JobCell, JobCount, Tally } from "./tally.ts";

/** What of a count is told: jobs at and below these accounts, of this user if one is asked for. */
export interface SummaryCut {
  readonly roots: readonly Account[];
  readonly user: UserId | undefined;
}

/** A count as one caller may see it: GPUs that other tenants hold are only held. */
export function renderSummary(state: ReadonlyState, tally: Tally, { roots, user }: SummaryCut): SummaryShape {
  const sees = seenAt(state, roots);
  const jobs = tally.jobs.filter((cell) => sees(cell.account) && (user === undefined || cell.user === user));
  const models = new Map<string, ReturnType<typeof noGpus>>();
  const fleet = noGpus();
  for (const { model, account, use, gpus } of tally.gpus) {
    const ofModel = models.get(model) ?? noGpus();
    models.set(model, ofModel);
    const shown = account === undefined || sees(account) ? use : "others";
    for (const sum of [ofModel, fleet]) {
      sum.gpus += gpus;
      sum[shown] += gpus;
    }
  }
  return {
    at: timestamp(tally.at),
    waiting: waitingOf(state, jobs),
    running: runningOf(jobs),
    fleet: {
      nodes: tally.nodes,
      byMode: Object.fromEntries(tally.byMode),
      ...fleet,
      byModel: [...models]
        .map(([model, counts]) => ({ model, ...counts }))
        .sort((a, b) => (a.model < b.model ? -1 : 1)),
      ...(roots.some(({ path }) => path === "") && { columns: [...tally.columns] }),
    },
  };
}

function noGpus() {
  return { gpus: 0, idle: 0, guaranteed: 0, burst: 0, leaving: 0, others: 0, unusable: 0 };
}

/** Asked once for an account. */
function seenAt(state: ReadonlyState, roots: readonly Account[]): (account: Account["no"]) => boolean {
  const known = new Map<Account["no"], boolean>();
  return (account) => {
    let seen = known.get(account);
    if (seen === undefined) {
      seen = state.accounts[account] !== undefined && roots.some((root) => isInside(state, account, root.no));
      known.set(account, seen);
    }
    return seen;
  };
}

function waitingOf(state: ReadonlyState, cells: readonly JobCell[]): SummaryShape["waiting"] {
  const all = { jobs: 0, gpus: 0 };
  const reasons = new Map<ReasonKind, JobCount>();
  const accounts = new Map<string, JobCount>();
  let oldest = Number.POSITIVE_INFINITY;
  for (const { account, waiting, byReason, oldestAt } of cells) {
    if (waiting.jobs === 0 && waiting.gpus === 0) continue;
    add(all, waiting);
    oldest = Math.min(oldest, oldestAt);
    add(entryOf(accounts, state.accounts[account]!.path), waiting);
    for (const [reason, count] of byReason) add(entryOf(reasons, reason), count);
  }
  const byGpus = (a: JobCount, b: JobCount) => b.gpus - a.gpus || b.jobs - a.jobs;
  return {
    ...rounded(all),
    ...(Number.isFinite(oldest) && { oldestAt: timestamp(oldest) }),
    byReason: [...reasons]
      .map(([reason, count]) => ({ reason, ...rounded(count) }))
      .sort((a, b) => b.jobs - a.jobs || (a.reason < b.reason ? -1 : 1)),
    byAccount: [...accounts]
      .map(([account, count]) => ({ account, ...rounded(count) }))
      .sort((a, b) => byGpus(a, b) || (a.account < b.account ? -1 : 1))
      .slice(0, summaryAccountsMax),
    accounts: accounts.size,
  };
}

function runningOf(cells: readonly JobCell[]): SummaryShape["running"] {
  const all = { jobs: 0, gpus: 0 };
  const byState = { starting: 0, running: 0, stopping: 0 };
  for (const cell of cells) {
    add(all, cell.active);
    byState.starting += cell.byState.starting;
    byState.running += cell.byState.running;
    byState.stopping += cell.byState.stopping;
  }
  return { ...rounded(all), byState };
}

function add(sum: JobCount, count: Readonly<JobCount>): void {
  sum.jobs += count.jobs;
  sum.gpus += count.gpus;
}

function entryOf<Key>(map: Map<Key, JobCount>, key: Key): JobCount {
  const known = map.get(key) ?? { jobs: 0, gpus: 0 };
  map.set(key, known);
  return known;
}

/** Parts of GPUs are told in thousandths. */
export function rounded({ jobs, gpus }: JobCount): JobCount {
  return { jobs, gpus: Math.round(gpus * 1000) / 1000 };
}
