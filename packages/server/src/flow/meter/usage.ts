import {
  type Instant,
  isRefusal,
  jobOf,
  parseDuration,
  type Refusal,
  refuse,
  restLease,
  type State,
  unitsPerGpu,
} from "@tessera/core";
import type { UsageReport } from "@tessera/wire";
import { isWithin } from "../../store/paths.ts";
import type { DeviceRow, StoreReader, UsageRow } from "../../store/port.ts";
import { restRow, usageRows } from "../project/project.ts";
import { instantOrAgo } from "../zones.ts";

type By = UsageReport["by"];

/** What is asked of a report, with the times settled. */
export interface UsageAsk {
  readonly by: By;
  readonly from: Instant;
  readonly to: Instant;
  /** Account paths; what lies below them is included. The empty path is everything. */
  readonly accounts: readonly string[];
  /** Whether something used under a path then belongs to them: a path may have been another account's before. */
  readonly belongs?: (path: string, then: Instant) => boolean;
  /** Whether the books of the whole fleet are shown too. */
  readonly fleet: boolean;
}

const usualSpan = "30d";

/** The stretch of time a report is about: instants, or durations back from now; by default the last 30 days. */
export function reportSpan(
  from: string | undefined,
  to: string | undefined,
  now: Instant,
): { from: Instant; to: Instant } | Refusal {
  const duration = (field: string) => (text: string) => parseDuration(text, field);
  const until = to === undefined ? now : instantOrAgo(to, "to", now, duration("to"));
  if (isRefusal(until)) return until;
  const since = instantOrAgo(from ?? usualSpan, "from", now, duration("from"));
  if (isRefusal(since)) return since;
  const end = Math.min(until, now); // nothing has been used after now
  if (since > end)
    return refuse("invalid", "from", from ?? usualSpan, "is not before to", "give the earlier time first");
  return { from: Math.max(0, since), to: end };
}

/** A part of the replica that must not change while the store is being read: stretches that are still open. */
interface OpenStretches {
  readonly seq: number;
  readonly rows: readonly UsageRow[];
  /** When each live lease entered its state. */
  readonly since: ReadonlyMap<string, Instant>;
}

/** Takes down what is open right now. `seq` is the last batch that the state holds. */
export function openStretches(state: State, seq: number, to: Instant): OpenStretches {
  const rows: UsageRow[] = [];
  const since = new Map<string, Instant>();
  for (const lease of state.leases.values()) {
    since.set(lease.id, lease.since);
    rows.push(...usageRows(state, jobOf(state, lease.job), lease, to));
  }
  for (const [gpu, rest] of state.rest) {
    since.set(restLease(state, gpu), rest.since);
    rows.push(restRow(state, { ...rest, gpu, toAt: to }));
  }
  return { seq, rows, since };
}

/** The report: closed stretches from the store, open ones from the replica, and the fleet's own books beside them. */
export async function usageReport(
  reader: Pick<StoreReader, "usage" | "devices">,
  open: OpenStretches,
  ask: UsageAsk,
  nameOfUser: (id: string) => string,
): Promise<UsageReport> {
  const { from, to, accounts } = ask;
  const everything = ask.fleet || accounts.includes("");
  const closed = (await reader.usage(everything ? [] : accounts, from, to)).filter((row) => !isNewer(row, open));
  const used = [...closed, ...open.rows];
  const mine = accounts.includes("")
    ? used
    : used.filter(
        (row) =>
          accounts.some((path) => isWithin(row.account, path)) && (ask.belongs?.(row.account, row.fromAt) ?? true),
      );
  const rows = grouped(mine, ask, nameOfUser);
  const fleet = ask.fleet ? await fleetBooks(reader, open.seq, used, ask) : undefined;
  return {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    by: ask.by,
    rows,
    ...(fleet !== undefined && { fleet }),
    total: String(mine.reduce((sum, row) => sum + unitMs(row, from, to), 0n)),
  };
}

/** The store may have moved on since the replica was looked at; a stretch that was open then is not closed yet. */
function isNewer(row: UsageRow, open: OpenStretches): boolean {
  const since = open.since.get(row.lease);
  return since !== undefined && row.fromAt >= since;
}

function unitMs(
  row: { readonly units: number; readonly fromAt: Instant; readonly toAt: Instant },
  from: Instant,
  to: Instant,
): bigint {
  const ms = Math.min(row.toAt, to) - Math.max(row.fromAt, from);
  return ms <= 0 ? 0n : BigInt(ms) * BigInt(row.units);
}

function keyOf(row: UsageRow, by: By, nameOfUser: (id: string) => string): string {
  return by === "user" ? nameOfUser(row.user) || row.user : row[by];
}

function grouped(
  used: readonly UsageRow[],
  { by, from, to }: UsageAsk,
  nameOfUser: (id: string) => string,
): UsageReport["rows"] {
  const groups = new Map<string, Map<string, bigint>>();
  for (const row of used) {
    const amount = unitMs(row, from, to);
    if (amount === 0n) continue;
    const key = keyOf(row, by, nameOfUser);
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

/** Rounded to thousandths, for people. */
function gpuHours(amount: bigint): string {
  const thousandths = (amount * 1000n + unitMsPerGpuHour / 2n) / unitMsPerGpuHour;
  return `${thousandths / 1000n}.${String(thousandths % 1000n).padStart(3, "0")}`;
}

/**
 * Capacity and what was not leased come from the timeline of the devices, what was leased from the leases: two records
 * of the same time, and they must agree to the unit-millisecond (S10).
 */
async function fleetBooks(
  reader: Pick<StoreReader, "devices">,
  seq: number,
  used: readonly UsageRow[],
  { from, to }: UsageAsk,
): Promise<NonNullable<UsageReport["fleet"]>> {
  const books = { capacity: 0n, idle: 0n, stranded: 0n, held: 0n, down: 0n, maintenance: 0n };
  const taken = { leased: 0n, dedicated: 0n, scrub: 0n, reshape: 0n };
  for (const row of used) taken[takenAs(row)] += unitMs(row, from, to);
  const rows = (await reader.devices(from, to)).filter((row) => row.seq <= seq);
  for (const [i, row] of rows.entries()) {
    const next = rows[i + 1];
    const toAt = next?.gpu === row.gpu ? next.at : to;
    const stretch = (units: number) => unitMs({ units, fromAt: row.at, toAt }, from, to);
    books.capacity += stretch(row.capacityUnits);
    // What is left to a tenant that has the node to itself is among the stretches, as something that it has.
    if (row.mode !== "dedicated") books[freeAs(row)] += stretch(row.freeUnits);
  }
  const difference =
    books.capacity -
    taken.leased -
    taken.dedicated -
    taken.scrub -
    taken.reshape -
    books.idle -
    books.stranded -
    books.held -
    books.down -
    books.maintenance;
  return {
    capacity: String(books.capacity),
    leased: String(taken.leased),
    dedicated: String(taken.dedicated),
    scrub: String(taken.scrub),
    reshape: String(taken.reshape),
    idle: String(books.idle),
    stranded: String(books.stranded),
    held: String(books.held),
    down: String(books.down),
    maintenance: String(books.maintenance),
    balanced: difference === 0n,
    differenceUnitMs: String(difference),
  };
}

/** What a device that someone has, or is being made ready for, counts as. */
function takenAs({ state }: UsageRow): "leased" | "dedicated" | "scrub" | "reshape" {
  return state === "scrub" || state === "reshape" || state === "dedicated" ? state : "leased";
}

/** What the free part of a device counts as. */
function freeAs({ mode }: DeviceRow): "idle" | "stranded" | "held" | "down" | "maintenance" {
  return mode === "down" || mode === "maintenance" || mode === "held" || mode === "stranded" ? mode : "idle";
}
