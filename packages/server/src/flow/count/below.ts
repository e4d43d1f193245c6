import type { Account, AccountNo, Instant, ReadonlyState } from "@tessera/core";
import { type SummaryShape, summaryBelowMax } from "@tessera/wire";
import { borrowedGpus } from "../../render/account.ts";
import { gpusOf, timestamp } from "../../render/quantities.ts";
import { Outage } from "../control.ts";
import type { RollUpAnswer, RollUpQuery } from "../series/query.ts";
import { rounded, roundedGpus } from "./summary.ts";
import type { Tally } from "./tally.ts";

type Below = NonNullable<SummaryShape["below"]>[number];

const failedSpanMs = 24 * 3_600_000;
/** Roll-ups are read by steps of the level that keeps a day in one or two rows. */
const failedStepMs = 10 * 60_000;

/** What is counted of each account right below these, with all below it; those that hold and wait for most come first. */
export function summariesBelow(
  state: ReadonlyState,
  tally: Tally,
  roots: readonly Account[],
  failed: ReadonlyMap<string, number> | undefined,
): Required<Pick<SummaryShape, "below" | "belowTotal">> {
  const rows = new Map(childrenOf(state, roots).map((account) => [account.no, rowOf()]));
  for (const { account, waiting, active, oldestAt } of tally.jobs) {
    const row = rows.get(childAt(state, rows, account));
    if (row === undefined) continue;
    row.waiting.jobs += waiting.jobs;
    row.waiting.gpus += waiting.gpus;
    row.running.jobs += active.jobs;
    row.running.gpus += active.gpus;
    row.oldestAt = Math.min(row.oldestAt, oldestAt);
  }
  for (const { account, use, units } of tally.cells) {
    const row = use === "burst" && account !== undefined ? rows.get(childAt(state, rows, account)) : undefined;
    if (row !== undefined) row.burstUnits += units;
  }
  const total = failed && [...failed.values()].reduce((sum, many) => sum + many, 0);
  const below = [...rows]
    .map(([no, { waiting, running, oldestAt, burstUnits }]) => {
      const account = state.accounts[no]!;
      const { id, path, terms } = account;
      const oldest = waiting.jobs > 0 && Number.isFinite(oldestAt) && { oldestAt: timestamp(oldestAt) };
      const held = gpusOf(state.usage[no]!.units);
      const guarantee = gpusOf(Object.values(terms.quota.guarantee).reduce((sum, units) => sum + units, 0));
      const shown = {
        account: path,
        held,
        guarantee,
        borrowed: borrowedGpus(state, account),
        burst: roundedGpus(burstUnits),
        waiting: { ...rounded(waiting), ...oldest },
        running: rounded(running),
      };
      return { ...shown, ...(failed !== undefined && { failed: failed.get(id) ?? 0 }) };
    })
    .sort((a, b) => loadOf(b) - loadOf(a) || (a.account < b.account ? -1 : 1))
    .slice(0, summaryBelowMax);
  return { below, belowTotal: { accounts: rows.size, ...(total !== undefined && { failed: total }) } };
}

/** What the roll-ups can be asked for. */
interface RollUps {
  read(query: RollUpQuery): Promise<RollUpAnswer>;
}

/**
 * How many jobs failed in the last 24 hours in each account right below these, by the account's id: all that ended,
 * less those that succeeded or were cancelled. Undefined where no roll-ups are kept or they cannot be read now.
 */
export async function failedBelow(
  series: RollUps | undefined,
  state: ReadonlyState,
  roots: readonly Account[],
  to: Instant,
): Promise<ReadonlyMap<string, number> | undefined> {
  const groups = childrenOf(state, roots).map(({ id }) => ({ key: id, plus: [id], minus: [] }));
  if (series === undefined || groups.length === 0) return undefined;
  // The first step is counted as a whole, so it is the first one that begins inside the span.
  const from = Math.ceil((to - failedSpanMs) / failedStepMs) * failedStepMs;
  const span = { from, to, stepMs: failedStepMs, linesMax: groups.length };
  const ask = { name: "ends", kind: "counter", groups, byKey: false, ...span } as const;
  const answers = await Promise.all([
    series.read(ask),
    series.read({ ...ask, key: "succeeded" }),
    series.read({ ...ask, key: "cancelled" }),
  ]).catch((error: Error) => {
    if (error instanceof Outage) return undefined;
    throw error;
  });
  if (answers === undefined) return undefined;
  const [all, ...good] = answers.map(({ lines }) => new Map(lines.map(({ key, values }) => [key, sumOf(values)])));
  return new Map(
    [...all!].map(([key, ended]) => [key, good.reduce((left, part) => left - (part.get(key) ?? 0), ended)]),
  );
}

function sumOf(values: readonly (number | null)[]): number {
  return values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
}

function childrenOf({ accounts }: ReadonlyState, roots: readonly Account[]): Account[] {
  return roots.flatMap(({ children }) => [...children].flatMap((no) => accounts[no] ?? []));
}

/** The one of these accounts that an account is or lies below. */
function childAt(state: ReadonlyState, rows: ReadonlyMap<AccountNo, unknown>, account: AccountNo): AccountNo {
  let at = account;
  while (!rows.has(at) && state.accounts[at] !== undefined && state.accounts[at]!.parent !== at)
    at = state.accounts[at]!.parent;
  return at;
}

function rowOf() {
  const counts = { waiting: { jobs: 0, gpus: 0 }, running: { jobs: 0, gpus: 0 } };
  return { ...counts, oldestAt: Number.POSITIVE_INFINITY, burstUnits: 0 };
}

function loadOf({ waiting, running }: Below): number {
  return waiting.gpus + running.gpus;
}
