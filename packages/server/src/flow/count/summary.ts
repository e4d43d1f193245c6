import { type Account, isInside, type ReadonlyState, type ReasonKind, type UserId } from "@tessera/core";
import { type SummaryShape, summaryAccountsMax, type WaitingSummary } from "@tessera/wire";
import { gpusOf, timestamp } from "../../render/quantities.ts";
import type { JobCell, JobCount, NodeColumn, Tally } from "./tally.ts";

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
  for (const [model, gpus] of tally.gpus) {
    models.set(model, { ...noGpus(), gpus });
    fleet.gpus += gpus;
  }
  for (const { model, account, use, units } of tally.cells) {
    const seen = use === "down" ? "unusable" : use;
    const shown = account === undefined || sees(account) ? seen : "others";
    for (const sum of [models.get(model), fleet]) if (sum !== undefined) sum[shown] += units;
  }
  return {
    at: timestamp(tally.at),
    waiting: waitingOf(state, jobs),
    running: runningOf(jobs),
    fleet: {
      nodes: tally.nodes,
      byMode: Object.fromEntries(tally.byMode),
      ...inGpus(fleet),
      byModel: [...models]
        .map(([model, counts]) => ({ model, ...inGpus(counts) }))
        .sort((a, b) => (a.model < b.model ? -1 : 1)),
      ...(roots.some(({ path }) => path === "") && { columns: tally.columns.map(columnInGpus) }),
    },
  };
}

/** GPUs, and the units of each use. */
function noGpus() {
  return { gpus: 0, idle: 0, reserved: 0, guaranteed: 0, burst: 0, leaving: 0, others: 0, unusable: 0 };
}

function inGpus({ gpus, ...units }: ReturnType<typeof noGpus>): ReturnType<typeof noGpus> {
  const counts = { ...units };
  for (const name of Object.keys(units) as (keyof typeof units)[]) counts[name] = roundedGpus(units[name]);
  return { gpus, ...counts };
}

function columnInGpus(column: NodeColumn): Record<string, number> {
  return Object.fromEntries([...column].map(([word, units]) => [word, roundedGpus(units)]));
}

/** Parts of GPUs are told in thousandths. */
export function roundedGpus(units: number): number {
  return thousandths(gpusOf(units));
}

/** Whether an account is one of these or below one; found once for each account. */
export function seenAt(state: ReadonlyState, roots: readonly Account[]): (account: Account["no"]) => boolean {
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

/** The jobs of these cells that wait. */
export function waitingOf(state: ReadonlyState, cells: readonly JobCell[]): WaitingSummary {
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

export function rounded({ jobs, gpus }: JobCount): JobCount {
  return { jobs, gpus: thousandths(gpus) };
}

function thousandths(gpus: number): number {
  return Math.round(gpus * 1000) / 1000;
}
