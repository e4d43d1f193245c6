import {
  type Charge,
  type Instant,
  latestOf,
  type Metered,
  type Period,
  type State,
  shareOut,
  tenantOfPath,
  type Usage,
} from "@tessera/core";
import type { CostReport } from "@tessera/wire";
import { isWithin } from "../store/paths.ts";
import type { StoreReader } from "../store/port.ts";
import { billingZone, bookOf, ratePeriod } from "./bill.ts";
import { forecast, rateSince } from "./bill-forecast.ts";
import { periodAt } from "./bill-periods.ts";
import { hours } from "./bill-text.ts";

type By = CostReport["by"];

export interface CostAsk {
  readonly by: By;
  readonly from: Instant;
  readonly to: Instant;
  /** Account paths; what lies below them is included. The empty path is everything. */
  readonly accounts: readonly string[];
  readonly compare: boolean;
}

interface Sum {
  micros: bigint;
  unitMs: bigint;
  readonly byKind: Map<string, bigint>;
}

/** What was spent, grouped, from the same rating that makes invoices. Credits for lending are of the tenant. */
export async function costReport(
  reader: StoreReader,
  state: State,
  ask: CostAsk,
  now: Instant,
  nameOfUser: (id: string) => string,
): Promise<CostReport> {
  const sums = await costsIn(reader, state, ask, now, nameOfUser);
  const length = ask.to - ask.from;
  const before = ask.compare
    ? await costsIn(reader, state, { ...ask, from: Math.max(0, ask.from - length), to: ask.from }, now, nameOfUser)
    : undefined;
  const keys = [...new Set([...sums.keys(), ...(before?.keys() ?? [])])].sort();
  const forecastMicros = ask.to === now ? await monthEnd(reader, state, ask, now) : undefined;
  return {
    from: new Date(ask.from).toISOString(),
    to: new Date(ask.to).toISOString(),
    by: ask.by,
    currency: state.books.versions.at(-1)?.currency ?? "XXX",
    rows: keys.map((key) => {
      const sum = sums.get(key) ?? emptySum();
      return {
        key,
        micros: String(sum.micros),
        ...(before !== undefined && { beforeMicros: String(before.get(key)?.micros ?? 0n) }),
        byKind: Object.fromEntries([...sum.byKind].sort().map(([kind, micros]) => [kind, String(micros)])),
        gpuHours: hours("burst", sum.unitMs),
      };
    }),
    totalMicros: String(totalOf(sums)),
    ...(before !== undefined && { beforeMicros: String(totalOf(before)) }),
    ...(forecastMicros !== undefined && { forecastMicros: String(forecastMicros) }),
  };
}

function totalOf(sums: ReadonlyMap<string, Sum>): bigint {
  return [...sums.values()].reduce((sum, { micros }) => sum + micros, 0n);
}

/** What the running month will have cost at its end; unknown in its first instant and without a price list. */
async function monthEnd(
  reader: StoreReader,
  state: State,
  { accounts }: CostAsk,
  now: Instant,
): Promise<bigint | undefined> {
  const month = periodAt(now, billingZone(state));
  const since = rateSince(month, now);
  if (state.books.versions.length === 0 || since === now) return undefined;
  const costIn = async (from: Instant) => {
    const about: CostAsk = { by: "class", from, to: now, accounts, compare: false };
    return totalOf(await costsIn(reader, state, about, now, () => ""));
  };
  return forecast(await costIn(month.fromAt), await costIn(since), since, now, month);
}

async function costsIn(
  reader: StoreReader,
  state: State,
  { by, from, to, accounts }: CostAsk,
  now: Instant,
  nameOfUser: (id: string) => string,
): Promise<Map<string, Sum>> {
  const sums = new Map<string, Sum>();
  const everything = accounts.includes("");
  const mine = (account: string) => everything || accounts.some((path) => isWithin(account, path));
  const charges: Charge[] = [];
  const period: Period = { label: "", fromAt: from, toAt: to, zone: "UTC" };
  const { rating, metered } = await ratePeriod(reader, state, period, now, bookOf(state), (charge) => {
    if (mine(charge.account)) charges.push(charge);
  });
  const spread = by === "job" || by === "user" ? usersOf(metered, by, nameOfUser) : undefined;
  for (const charge of charges) {
    if (spread?.add(charge, sums)) continue;
    put(sums, keyOf(charge, by), charge.kind, charge.micros, isGpu(charge) ? charge.quantity : 0n);
  }
  // Credits have no hours of their own.
  for (const tenant of rating.tenants()) {
    for (const line of rating.lines(tenant)) {
      if (line.kind !== "lost-work" || !mine(line.account)) continue;
      put(sums, by === "account" ? line.account : by === "model" ? line.model : "", line.kind, line.micros, 0n);
    }
  }
  return sums;
}

function isGpu({ kind }: Charge): boolean {
  return kind === "burst" || kind === "reserved" || kind === "stranded";
}

/** Floors belong to no job and no user: they are shown under the empty key. */
function keyOf(charge: Charge, by: By): string {
  switch (by) {
    case "account":
      return charge.account;
    case "model":
      return charge.model;
    case "class":
      return charge.kind;
    case "day":
      return new Date(charge.fromAt).toISOString().slice(0, 10);
    default:
      return "";
  }
}

/** Divides an hour of an account's line among those who held GPUs of that kind in it, by how much and how long. */
function usersOf(metered: Metered, by: "job" | "user", nameOfUser: (id: string) => string) {
  const byAccount = new Map<string, Usage[]>();
  for (const usage of latestOf(metered.usage)) {
    const list = byAccount.get(usage.account) ?? [];
    list.push(usage);
    byAccount.set(usage.account, list);
  }
  return {
    add(charge: Charge, sums: Map<string, Sum>): boolean {
      if (charge.kind === "reserved") return false;
      const held = (byAccount.get(charge.account) ?? []).filter(
        (usage) =>
          usage.fromAt < charge.toAt &&
          usage.toAt > charge.fromAt &&
          (!isGpu(charge) || (usage.model === charge.model && usage.topology === charge.topology)),
      );
      const weights = held.map((usage) => weightOf(usage, charge));
      if (weights.every((weight) => weight === 0n)) return false;
      const parts = shareOut(charge.micros, weights);
      const quantities = shareOut(charge.quantity, weights);
      for (const [i, usage] of held.entries()) {
        const key = by === "job" ? usage.job : nameOfUser(usage.user) || usage.user;
        put(sums, key, charge.kind, parts[i]!, isGpu(charge) ? quantities[i]! : 0n);
      }
      return true;
    },
  };
}

function weightOf(usage: Usage, { kind, fromAt, toAt }: Charge): bigint {
  const ms = BigInt(Math.min(usage.toAt, toAt) - Math.max(usage.fromAt, fromAt));
  if (kind === "cpu") return ms * BigInt(usage.cpusMilli);
  if (kind === "memory") return ms * BigInt(usage.memoryMiB);
  return ms * BigInt(usage.unitsEach * usage.gpus.length);
}

function put(sums: Map<string, Sum>, key: string, kind: string, micros: bigint, unitMs: bigint): void {
  const sum = sums.get(key) ?? emptySum();
  sums.set(key, sum);
  sum.micros += micros;
  sum.unitMs += unitMs;
  sum.byKind.set(kind, (sum.byKind.get(kind) ?? 0n) + micros);
}

function emptySum(): Sum {
  return { micros: 0n, unitMs: 0n, byKind: new Map() };
}

/** What an account and everything below it spent in a stretch, without the credits of its tenant. */
export async function spentBy(
  reader: StoreReader,
  state: State,
  accounts: readonly string[],
  from: Instant,
  to: Instant,
): Promise<Map<string, bigint>> {
  const spent = new Map(accounts.map((account) => [account, 0n]));
  const period: Period = { label: "", fromAt: from, toAt: to, zone: "UTC" };
  const { rating } = await ratePeriod(reader, state, period, to);
  for (const tenant of new Set(accounts.map(tenantOfPath))) {
    for (const line of rating.lines(tenant)) {
      for (const account of accounts) {
        if (isWithin(line.account, account)) spent.set(account, spent.get(account)! + line.micros);
      }
    }
  }
  return spent;
}
