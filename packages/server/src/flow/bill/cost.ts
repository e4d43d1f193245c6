import {
  type Account,
  type Charge,
  costOf,
  currencyOf,
  type Instant,
  type InvoiceLine,
  type JobId,
  type LineKey,
  latestOf,
  type Period,
  type Shared,
  shareOut,
  tenantOfPath,
  type Usage,
} from "@tessera/core";
import type { CostReport } from "@tessera/wire";
import { hours } from "../../render/hours.ts";
import { isWithin } from "../../store/paths.ts";
import type { ControlPlane } from "../control.ts";
import { largest } from "../meter/largest.ts";
import { withNames } from "../meter/usage.ts";
import { billingZone, bookOf, invoiceOf, type RatedPeriod, ratePeriod } from "./bill.ts";
import { forecast, rateSince } from "./forecast.ts";
import { divideAmongHolders, isGpu } from "./holders.ts";
import { type OwnPart, ownParts, type Span } from "./own-past.ts";
import { periodAt } from "./periods.ts";
import type { RatedTime } from "./rated.ts";

type By = CostReport["by"];
type Costing = Pick<ControlPlane, "state" | "reader" | "rated">;

export interface CostAsk {
  readonly by: By;
  readonly from: Instant;
  readonly to: Instant;
  /** What lies below them is included. The root is everything. */
  readonly accounts: readonly Account[];
  readonly compare: boolean;
  /** Only so many rows, the dearest first. */
  readonly limit?: number | undefined;
}

interface Sum {
  micros: bigint;
  unitMs: bigint;
  readonly byKind: Map<string, bigint>;
}

/** What was spent, grouped, from the same rating that makes invoices. Credits for lending are of the tenant. */
export async function costReport(
  control: Costing,
  ask: CostAsk,
  now: Instant,
  nameOfUser: (id: string) => string,
): Promise<CostReport> {
  const { state } = control;
  const sums = await costsIn(control, ask, now, nameOfUser);
  const length = ask.to - ask.from;
  const before = ask.compare
    ? await costsIn(control, { ...ask, from: Math.max(0, ask.from - length), to: ask.from }, now, nameOfUser)
    : undefined;
  // A day is in one of two times that follow each other: only their sums are compared.
  const keyed = ask.by === "day" ? undefined : before;
  const keys = [...new Set([...sums.keys(), ...(keyed?.keys() ?? [])])].sort();
  const all = keys.map((key) => {
    const sum = sums.get(key) ?? emptySum();
    return {
      key,
      micros: String(sum.micros),
      ...(keyed !== undefined && { beforeMicros: String(keyed.get(key)?.micros ?? 0n) }),
      byKind: Object.fromEntries([...sum.byKind].sort().map(([kind, micros]) => [kind, String(micros)])),
      gpuHours: hours("burst", sum.unitMs),
    };
  });
  const { rows, rest } = largest(all, ask.limit, ({ micros }) => micros);
  const nameOfLiveJob = (id: string) => state.jobById.get(id as JobId)?.spec.name;
  const running = ask.to === now ? await runningMonth(control, ask, now) : undefined;
  return {
    from: new Date(ask.from).toISOString(),
    to: new Date(ask.to).toISOString(),
    by: ask.by,
    currency: currencyOf(state.books.versions),
    rows: ask.by === "job" ? await withNames(rows, control.reader, nameOfLiveJob, ({ micros }) => micros) : rows,
    ...(rest !== undefined && { rest: { rows: rest.rows, micros: rest.amount } }),
    totalMicros: String(totalOf(sums)),
    ...(before !== undefined && { beforeMicros: String(totalOf(before)) }),
    ...running,
  };
}

function totalOf(sums: ReadonlyMap<string, Sum>): bigint {
  return [...sums.values()].reduce((sum, { micros }) => sum + micros, 0n);
}

/** The running month: what it has cost, what it will have cost at its end, and the month before; nothing without a price list. */
async function runningMonth(
  control: Costing,
  { accounts, compare }: CostAsk,
  now: Instant,
): Promise<Pick<CostReport, "month" | "forecastMicros">> {
  const { state } = control;
  if (state.books.versions.length === 0) return {};
  const zone = billingZone(state);
  const month = periodAt(now, zone);
  const costIn = async (from: Instant, to: Instant) =>
    totalOf(await costsIn(control, { by: "class", from, to, accounts, compare: false }, now, () => ""));
  const spentMicros = await costIn(month.fromAt, now);
  const last = compare ? periodAt(month.fromAt - 1, zone) : undefined;
  const before = last && { period: last.label, micros: String(await costIn(last.fromAt, last.toAt)) };
  const since = rateSince(month, now);
  // In its first instant a month has no rate yet.
  const end = since < now ? forecast(spentMicros, await costIn(since, now), since, now, month) : undefined;
  return {
    month: {
      ...{ period: month.label, from: new Date(month.fromAt).toISOString(), spentMicros: String(spentMicros) },
      ...(before && { before }),
    },
    ...(end !== undefined && { forecastMicros: String(end) }),
  };
}

async function costsIn(
  control: Costing,
  ask: CostAsk,
  now: Instant,
  nameOfUser: (id: string) => string,
): Promise<Map<string, Sum>> {
  const sums = new Map<string, Sum>();
  const span = { fromAt: ask.from, toAt: Math.min(ask.to, now) };
  for (const part of ownParts(control.state, ask.accounts, span))
    await addPart(sums, control, ask.by, part, now, nameOfUser);
  return sums;
}

async function addPart(
  sums: Map<string, Sum>,
  control: Costing,
  by: By,
  part: OwnPart,
  now: Instant,
  nameOfUser: (id: string) => string,
): Promise<void> {
  const { fromAt, toAt, mine } = part;
  const span = { fromAt, toAt };
  const rated = await control.rated.period({ label: "", zone: "UTC", ...span }, now);
  const { totals } = rated;
  if (by === "job" || by === "user") await addHolders(sums, control, by, part, now, nameOfUser);
  if (by === "day") {
    const days = await control.rated.days(span);
    for (const { day, line, micros, unitMs } of amountsOn(days, rated, mine))
      put(sums, dayOf(days[day]!.fromAt), line.kind, micros, unitMs);
  }
  for (const tenant of totals.tenants()) {
    for (const line of [...totals.linesOf(tenant), ...sharedLines(rated, tenant)]) {
      if (!mine(line.account)) continue;
      // Credits, and shares of what was idle, have no hours of their own.
      const key = keyOf(line, by);
      if (by === "day" && isLent(line)) continue;
      if (hourless.has(line.kind)) put(sums, key ?? "", line.kind, line.micros, 0n);
      else if (key !== undefined) put(sums, key, line.kind, line.micros, isGpu(line) ? line.quantity : 0n);
    }
  }
}

const hourless: ReadonlySet<string> = new Set(["lost-work", "lent", "idle"]);

/** A tenant's credits for lending, and its share of the idle GPUs. */
function sharedLines(rated: RatedPeriod, tenant: string): readonly InvoiceLine[] {
  const lines = invoiceOf(rated, tenant, "chargeback")?.lines ?? [];
  return lines.filter(({ kind }) => kind === "lent" || kind === "idle");
}

function isLent({ kind }: { readonly kind: LineKey["kind"] }): boolean {
  return kind === "lent";
}

function dayOf(at: Instant): string {
  return new Date(at).toISOString().slice(0, 10);
}

type Days = Awaited<ReturnType<RatedTime["days"]>>;

/** What one line came to on one day. */
interface DayAmount {
  /** Which of the days. */
  readonly day: number;
  readonly line: Pick<LineKey, "kind" | "account" | "model">;
  readonly micros: bigint;
  readonly unitMs: bigint;
}

/**
 * What each day of a span came to, line by line. A day gets what its lines have grown by, so that days add up to lines
 * that are rounded once; credits for lending are divided by how much was lent. Credits for lost work and shares of idle
 * GPUs follow from the span as a whole: they are of no day.
 */
export function* amountsOn(days: Days, rated: RatedPeriod, mine: (account: string) => boolean): Generator<DayAmount> {
  const soFar = new Map<number, { quantity: bigint; micros: bigint }>();
  for (const [day, { totals }] of days.entries()) {
    for (const tenant of totals.tenants()) {
      for (const no of totals.quantities.of(tenant)) {
        const rate = totals.quantities.book.rate(no);
        if (!mine(rate.key.account)) continue;
        const grown = totals.quantities.quantity(no);
        const before = soFar.get(no) ?? { quantity: 0n, micros: 0n };
        const quantity = before.quantity + grown;
        const micros = costOf(rate.key.kind, quantity, rate.price, rate.rounding);
        soFar.set(no, { quantity, micros });
        yield { day, line: rate.key, micros: micros - before.micros, unitMs: isGpu(rate.key) ? grown : 0n };
      }
    }
  }
  const lentOn = days.map(({ totals }) => totals.shared().filter(isLent));
  for (const tenant of rated.totals.tenants())
    for (const line of sharedLines(rated, tenant)) if (isLent(line) && mine(line.account)) yield* lentOf(lentOn, line);
}

/** Divides a credit for lending among the days on which that was lent, by how much. */
function* lentOf(lentOn: readonly (readonly Shared[])[], line: InvoiceLine): Generator<DayAmount> {
  const { account, model, version, perMille, micros } = line;
  const isOf = (lent: Shared) =>
    lent.tenant === account && lent.model === model && lent.version === version && lent.perMille === perMille;
  const parts = shareOut(
    -micros,
    lentOn.map((lent) => lent.find(isOf)?.quantity ?? 0n),
  );
  for (const [day, part] of parts.entries()) if (part !== 0n) yield { day, line, micros: -part, unitMs: 0n };
}

/** Jobs and users have no lines: each hour of a line is divided among the jobs or users that held a part of it. */
async function addHolders(
  sums: Map<string, Sum>,
  { reader, state }: Costing,
  by: "job" | "user",
  { fromAt, toAt, mine }: OwnPart,
  now: Instant,
  nameOfUser: (id: string) => string,
): Promise<void> {
  const period: Period = { label: "", fromAt, toAt, zone: "UTC" };
  const charges: Charge[] = [];
  const { metered } = await ratePeriod(reader, state, period, now, bookOf(state), (charge) => {
    if (mine(charge.account)) charges.push(charge);
  });
  const held = latestOf(metered.usage).filter(({ account }) => mine(account));
  const keyOf = ({ job, user }: Usage) => (by === "job" ? job : nameOfUser(user) || user);
  for (const { charge, key, micros, quantity } of divideAmongHolders(charges, held, period, keyOf)) {
    const unheld = charge.kind === "reserved" ? unusedGuarantee : "";
    put(sums, key ?? unheld, charge.kind, micros, isGpu(charge) ? quantity : 0n);
  }
}

/** The row of guarantees that were paid for and held by no job. */
const unusedGuarantee = "(unused guarantee)";

/** What a line is shown under; days, jobs and users are counted apart. */
function keyOf(line: LineKey, by: By): string | undefined {
  switch (by) {
    case "account":
      return line.account;
    case "model":
      return line.model;
    case "class":
      return line.kind;
    default:
      return undefined;
  }
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

/** What an account and everything below it spent in a stretch, before its tenant's credits for lending and share of idle GPUs. */
export async function spentBy(
  { state, rated }: Pick<ControlPlane, "state" | "rated">,
  accounts: readonly string[],
  span: Span,
): Promise<Map<string, bigint>> {
  const spent = new Map(accounts.map((account) => [account, 0n]));
  const asked = accounts.map((path) => state.accountByPath.get(path) ?? { path, createdAt: 0 });
  for (const { roots, ...part } of ownParts(state, asked, span)) {
    const totals = await rated.totals(part);
    for (const tenant of new Set(roots.map(({ path }) => tenantOfPath(path)))) {
      for (const line of totals.linesOf(tenant)) {
        for (const { path } of roots) {
          if (isWithin(line.account, path)) spent.set(path, spent.get(path)! + line.micros);
        }
      }
    }
  }
  return spent;
}
