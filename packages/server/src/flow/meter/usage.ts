import {
  balanceOf,
  day,
  type Instant,
  isRefusal,
  mostOf,
  type Policy,
  parseDuration,
  type ReadonlyState,
  type Refusal,
  refuse,
  stretchesUntil,
  unitMsIn,
  unitsPerGpu,
} from "@tessera/core";
import type { UsageReport } from "@tessera/wire";
import { isWithin } from "../../store/paths.ts";
import type { StoreReader, UsageRow } from "../../store/port.ts";
import { usageRows } from "../project/project.ts";
import { instantOrAgo } from "../zones.ts";
import { compareAmounts, largest } from "./largest.ts";

type By = UsageReport["by"];

/** The query of a usage report. */
export interface UsageAsk {
  readonly by: By;
  readonly from: Instant;
  readonly to: Instant;
  /** Account paths; their subtrees are included. The empty path is everything. */
  readonly accounts: readonly string[];
  /** Whether a path belonged to these accounts at an instant: it may have been another account's before. */
  readonly belongs?: (path: string, then: Instant) => boolean;
  /** Whether to add the balance of the whole fleet. */
  readonly fleet: boolean;
  /** Only of this job, or of the elements of this array. */
  readonly job?: string | undefined;
  /** Only so many rows, the largest first. */
  readonly limit?: number | undefined;
}

const usualSpan = "30d";

/** The span of a report: each end is an instant or a duration back from now; by default the last 30 days. */
export function reportSpan(
  from: string | undefined,
  to: string | undefined,
  now: Instant,
  policy: Policy,
  by?: string,
): { from: Instant; to: Instant } | Refusal {
  const duration = (field: string) => (text: string) => parseDuration(text, field);
  const until = to === undefined ? now : instantOrAgo(to, "to", now, duration("to"));
  if (isRefusal(until)) return until;
  const since = instantOrAgo(from ?? usualSpan, "from", now, duration("from"));
  if (isRefusal(since)) return since;
  const end = Math.min(until, now); // the future has no usage
  if (since > end)
    return refuse("invalid", "from", from ?? usualSpan, "is not before to", "give the earlier time first");
  const span = { from: Math.max(0, since), to: end };
  const days = Math.ceil((span.to - span.from) / day);
  const name =
    by === "day" && mostOf(policy, "reportSteps") < mostOf(policy, "reportDays") ? "reportSteps" : "reportDays";
  const most = mostOf(policy, name);
  if (days <= most) return span;
  const what = name === "reportSteps" ? "steps of a day" : "days";
  const hint = `ask for several shorter spans; an owner can raise it: tess policy set --max ${name}=NUMBER`;
  return refuse("not-allowed", "from", from ?? usualSpan, `makes a report of ${days} ${what} (limit ${most})`, hint);
}

/** The open stretches of the replica, copied before the store is read because the replica moves on meanwhile. */
export interface OpenStretches {
  readonly seq: number;
  /** The last instant that the state knows of. */
  readonly clock: Instant;
  readonly rows: readonly UsageRow[];
  /** When each open stretch began, by lease. */
  readonly since: ReadonlyMap<string, Instant>;
}

/** The stretches of the replica that are open now. `seq` is the last batch that the state holds. */
export function openStretches(state: ReadonlyState, seq: number, to: Instant): OpenStretches {
  const stretches = stretchesUntil(state, to);
  return {
    seq,
    clock: state.clock,
    rows: stretches.flatMap(usageRows),
    since: new Map(stretches.map(({ lease, fromAt }) => [lease, fromAt])),
  };
}

/** The report: closed stretches from the store, open ones from the replica, and the balance of the fleet. */
export async function usageReport(
  reader: Pick<StoreReader, "usage" | "devices" | "job">,
  open: OpenStretches,
  ask: UsageAsk,
  nameOfUser: (id: string) => string,
  nameOfLiveJob: (id: string) => string | undefined = () => undefined,
): Promise<UsageReport> {
  const { from, to } = ask;
  const used = await usedIn(reader, open, ask);
  const mine = mineOf(used, ask);
  const { rows, rest } = largest(grouped(mine, ask, nameOfUser), ask.limit, ({ unitMs }) => unitMs);
  const fleet = ask.fleet ? await fleetBooks(reader, open.seq, used, ask) : undefined;
  return {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    by: ask.by,
    rows: ask.by === "job" ? await withNames(rows, reader, nameOfLiveJob, ({ unitMs }) => unitMs) : rows,
    ...(rest !== undefined && { rest: { rows: rest.rows, unitMs: rest.amount } }),
    ...(fleet !== undefined && { fleet }),
    total: String(mine.reduce((sum, row) => sum + unitMsIn(row, ask), 0n)),
  };
}

type Seen = Pick<UsageAsk, "from" | "to" | "accounts" | "belongs" | "fleet" | "job">;

/** Stretches in the span, closed and open: those of the accounts, of all others too where the fleet is asked for. */
export async function usedIn(
  reader: Pick<StoreReader, "usage">,
  open: OpenStretches,
  { from, to, accounts, fleet }: Seen,
): Promise<UsageRow[]> {
  const everything = fleet || accounts.includes("");
  const closed = (await reader.usage(everything ? [] : accounts, from, to)).filter((row) => !isNewer(row, open));
  return [...closed, ...open.rows];
}

/** The stretches of the accounts that were asked for. */
export function mineOf(used: readonly UsageRow[], { accounts, belongs, job }: Seen): readonly UsageRow[] {
  const asked = job === undefined ? used : used.filter((row) => row.job === job || row.job.startsWith(`${job}.`));
  if (accounts.includes("")) return asked;
  return asked.filter(
    (row) => accounts.some((path) => isWithin(row.account, path)) && (belongs?.(row.account, row.fromAt) ?? true),
  );
}

/** Each ended job is one read of the store; the jobs that used or cost least go without a name. */
const namesMax = 1_000;

export async function withNames<Row extends { readonly key: string }>(
  rows: readonly Row[],
  reader: { job(id: string): Promise<{ readonly name: string } | undefined> },
  nameOfLiveJob: (id: string) => string | undefined,
  sizeOf: (row: Row) => string,
): Promise<(Row & { name?: string })[]> {
  const most = rows.toSorted((a, b) => compareAmounts(sizeOf(b), sizeOf(a))).slice(0, namesMax);
  const names = new Map<string, string>();
  for (const { key } of most) {
    const name = nameOfLiveJob(key) ?? (await reader.job(key))?.name;
    if (name !== undefined) names.set(key, `${name}${elementMark(key)}`);
  }
  return rows.map((row) => ({ ...row, ...(names.has(row.key) && { name: names.get(row.key)! }) }));
}

/** `[3]` for the element of an array, which has the name of the array. */
function elementMark(job: string): string {
  const [, index] = /\.(\d+)$/.exec(job) ?? [];
  return index === undefined ? "" : `[${index}]`;
}

/**
 * The store may be ahead of the copied replica: a stretch that is open in the copy must not count as closed too, and one that
 * the copy does not know of must not count at all.
 */
function isNewer(row: UsageRow, open: OpenStretches): boolean {
  const since = open.since.get(row.lease) ?? open.clock;
  return row.fromAt >= since;
}

function keyOf(row: UsageRow, by: By, nameOfUser: (id: string) => string): string {
  return by === "user" ? nameOfUser(row.user) || row.user : row[by];
}

function grouped(used: readonly UsageRow[], ask: UsageAsk, nameOfUser: (id: string) => string): UsageReport["rows"] {
  const groups = new Map<string, Map<string, bigint>>();
  for (const row of used) {
    const amount = unitMsIn(row, ask);
    if (amount === 0n) continue;
    const key = keyOf(row, ask.by, nameOfUser);
    const states = groups.get(key) ?? new Map<string, bigint>();
    groups.set(key, states.set(row.state, (states.get(row.state) ?? 0n) + amount));
  }
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, states]) => {
      const total = [...states.values()].reduce((sum, amount) => sum + amount, 0n);
      const byState = Object.fromEntries([...states].sort().map(([state, amount]) => [state, String(amount)]));
      return { key, unitMs: String(total), byState, gpuHours: gpuHours(total) };
    });
}

const unitMsPerGpuHour = BigInt(unitsPerGpu) * 3_600_000n;

/** For people; rounded to thousandths. */
export function gpuHours(amount: bigint): string {
  const thousandths = (amount * 1000n + unitMsPerGpuHour / 2n) / unitMsPerGpuHour;
  return `${thousandths / 1000n}.${String(thousandths % 1000n).padStart(3, "0")}`;
}

/** The balance of the fleet: the timeline of its devices against the stretches of leases (S10); see `balanceOf`. */
async function fleetBooks(
  reader: Pick<StoreReader, "devices">,
  seq: number,
  used: readonly UsageRow[],
  ask: UsageAsk,
): Promise<NonNullable<UsageReport["fleet"]>> {
  const devices = (await reader.devices(ask.from, ask.to)).filter((row) => row.seq <= seq);
  const { difference, ...parts } = balanceOf(devices, used, ask);
  return { ...textOf(parts), balanced: difference === 0n, differenceUnitMs: String(difference) };
}

/** Unit-milliseconds may pass 2^53, so they travel as text. */
function textOf<Part extends string>(parts: { readonly [part in Part]: bigint }): { [part in Part]: string } {
  const entries = Object.entries<bigint>(parts).map(([part, amount]) => [part, String(amount)]);
  return Object.fromEntries(entries) as { [part in Part]: string };
}
