import {
  buildInvoice,
  type Charge,
  canonicalJson,
  correctionsOf,
  day,
  extractFrom,
  extractLines,
  extractOf,
  hour,
  type Invoice,
  type InvoiceLine,
  type IssuedLine,
  invoiceText,
  latestOf,
  type Metered,
  minute,
  type Period,
  PeriodRating,
  type PriceBook,
  type PriceVersion,
  type PriceWindow,
  RateBook,
  recompute,
  type SpelledLine,
  serialsOf,
  spelled,
  Totals,
  type Usage,
} from "@tessera/core";
import { windowsBetween } from "@tessera/server";
import { Dice } from "../prove/dice.ts";
import { countPeriod } from "./naive.ts";
import { World } from "./world.ts";

/** What is counted over all cases; everything after `entries` must stay 0. */
export interface Tally {
  cases: number;
  entries: number;
  unbalanced: number;
  gapsMs: number;
  overlapsMs: number;
  doubleCharged: number;
  recomputeDiffers: number;
  orderDependent: number;
  negative: number;
  roundingLostMicros: number;
}

export function emptyTally(): Tally {
  return {
    ...{ cases: 0, entries: 0, unbalanced: 0, gapsMs: 0, overlapsMs: 0, doubleCharged: 0 },
    ...{ recomputeDiffers: 0, orderDependent: 0, negative: 0, roundingLostMicros: 0 },
  };
}

/** The night on which clocks in Berlin go back, and the one on which they go forward. */
const clockChanges = [Date.UTC(2026, 9, 25), Date.UTC(2026, 2, 29)];

interface Rated {
  readonly period: Period;
  readonly rating: PeriodRating;
  readonly charges: readonly Charge[];
}

/** One case: a world lives through three periods, each is closed, and every promise about the books is checked. */
export function tryCase(seed: number, tally: Tally): void {
  const dice = new Dice(seed);
  const startAt = dice.pick(clockChanges) - dice.whole(0, 20) * hour;
  const world = new World(dice, startAt);
  const periods = threePeriods(startAt, dice);
  const book = bookOf(startAt, periods, dice);
  const windows = windowsBetween(book.versions, startAt, periods[2].toAt);
  for (const version of book.versions) world.do({ kind: "price.add", version });
  tally.cases++;
  const issued = new Map<string, Issued[]>();
  for (const [i, period] of periods.entries()) {
    world.live(period.toAt);
    const metered = lateAndTwice(world.metered(), dice, period);
    const rated = rate(metered, period, book, windows);
    checkTime(world, metered, rated, book, tally);
    checkOrder(metered, rated, book, windows, dice, tally);
    const before = periods.slice(0, i).map((closed) => rate(metered, closed, book, windows));
    for (const tenant of rated.rating.tenants()) {
      closeTenant({ world, metered, rated, before, book, windows, tenant, issued, tally });
    }
  }
  for (const sum of sumsByCurrency(world)) if (sum !== 0n) tally.unbalanced++;
}

function threePeriods(startAt: number, dice: Dice): [Period, Period, Period] {
  const first = startAt + dice.whole(8, 30) * hour + dice.pick([0, 30 * minute]);
  const second = first + dice.whole(6, 24) * hour;
  const third = second + dice.whole(2, 9) * hour;
  return [
    { label: "first", fromAt: startAt, toAt: first, zone: "Europe/Berlin" },
    { label: "second", fromAt: first, toAt: second, zone: "Europe/Berlin" },
    { label: "third", fromAt: second, toAt: third, zone: "Europe/Berlin" },
  ];
}

/** One to three price lists; the later ones begin in the middle of an hour. */
function bookOf(startAt: number, [first, second]: [Period, Period, Period], dice: Dice): PriceBook {
  const versions: PriceVersion[] = [priceOf("p0", startAt - day, dice)];
  for (let no = 1; no <= dice.whole(0, 2); no++) {
    const fromAt = dice.whole(versions.at(-1)!.fromAt + 1, second.toAt);
    if (fromAt > startAt) versions.push(priceOf(`p${no}`, fromAt, dice));
  }
  const rates = [{ model: "H100", reservedMicros: 1_111_111, burstMicros: 2_222_221 }];
  const toAt = dice.whole(startAt + 1, first.toAt);
  const contract = { tenant: "ant", fromAt: startAt, toAt, gpus: dice.chance(50) ? rates : [], perMille: 873 };
  return { versions, contracts: dice.chance(50) ? [contract] : [] };
}

function priceOf(id: string, fromAt: number, dice: Dice): PriceVersion {
  const rate = () => dice.whole(0, 5_000_000);
  return {
    ...{ id, fromAt, currency: "EUR" },
    gpus: [
      { model: "H100", reservedMicros: rate(), burstMicros: rate() },
      { model: "*", reservedMicros: rate(), burstMicros: rate() },
    ],
    ...{ isolation: { mig: 1050, mps: 777 }, topology: { node: 1151 }, profile: {} },
    ...{ cpuMicrosPerCoreHour: dice.whole(0, 20_000), memoryMicrosPerGiBHour: 0, storageMicrosPerGiBHour: 0 },
    unbilled: dice.chance(50) ? [] : ["starting", "stopping"],
    ...{ lenderPerMille: dice.whole(0, 1000), lostWorkPerMille: dice.pick([0, 500, 1000]) },
    idle: { policy: dice.pick(["absorb", "by-quota", "by-use"]), gpus: [{ model: "*", micros: rate() }] },
    ...{ minimumMicros: dice.pick([0, 0, 50_000_000]), rounding: dice.pick(["half-up", "half-even", "down", "up"]) },
    timesOfDay: [
      { zone: "Europe/Berlin", days: [1, 2, 3, 4, 5, 6, 7], fromMinute: 1320, toMinute: 390, perMille: 613 },
    ],
  };
}

/** Tells some stretches twice, and some first as longer than they turned out to be. */
function lateAndTwice(metered: Metered, dice: Dice, { toAt }: Period): Metered {
  const told: Usage[] = [];
  for (const usage of metered.usage) {
    if (dice.chance(10)) told.push({ ...usage, revision: usage.revision - 1, toAt: Math.max(usage.toAt, toAt) });
    told.push(usage);
    if (dice.chance(10)) told.push(usage);
  }
  return { ...metered, usage: told };
}

function rate(metered: Metered, period: Period, book: PriceBook, windows: readonly PriceWindow[]): Rated {
  const charges: Charge[] = [];
  const rating = new PeriodRating({ period, book, windows, onCharge: (charge) => charges.push(charge) });
  rating.take(metered);
  rating.advance(period.toAt);
  return { period, rating, charges };
}

/** GPU time: leases are metered from end to end, once; floors and what is beyond them as counted by hand. */
function checkTime(world: World, metered: Metered, { period, rating }: Rated, book: PriceBook, tally: Tally): void {
  const byLease = new Map<string, Usage[]>();
  for (const usage of latestOf(metered.usage)) {
    if (usage.toAt < usage.fromAt) tally.negative++;
    byLease.set(usage.lease, [...(byLease.get(usage.lease) ?? []), usage]);
  }
  for (const [lease, { placedAt, endedAt = world.now }] of world.stays) {
    let at = placedAt;
    for (const { fromAt, toAt } of (byLease.get(lease) ?? []).sort((a, b) => a.fromAt - b.fromAt)) {
      tally.gapsMs += Math.max(0, fromAt - at);
      tally.overlapsMs += Math.max(0, at - fromAt);
      at = toAt;
    }
    tally.gapsMs += Math.max(0, endedAt - at);
    tally.overlapsMs += Math.max(0, at - endedAt);
  }
  const counted = countPeriod(metered, period);
  const everythingBilled = book.versions.every(({ unbilled }) => unbilled.length === 0);
  let [rated, lent] = [0n, 0n];
  for (const tenant of rating.tenants()) {
    const lines = rating.lines(tenant);
    const burst = quantityOf(lines, "burst");
    if (quantityOf(lines, "reserved") !== (counted.reserved.get(tenant) ?? 0n)) tally.doubleCharged++;
    if (everythingBilled && burst !== (counted.beyond.get(tenant) ?? 0n)) tally.doubleCharged++;
    if (burst > (counted.beyond.get(tenant) ?? 0n)) tally.doubleCharged++;
    rated += burst;
    for (const { quantity } of rating.totals.within(tenant)) rated += quantity;
  }
  for (const { kind, quantity } of rating.shared()) if (kind === "lent") lent += quantity;
  if (lent > counted.lentMost || (everythingBilled && rated !== counted.held)) tally.doubleCharged++;
}

function quantityOf(lines: readonly InvoiceLine[], kind: string): bigint {
  return lines.reduce((sum, line) => (line.kind === kind ? sum + line.quantity : sum), 0n);
}

/** The same in any order, when it comes in hour by hour, and when it is rated in two parts that meet at a full hour. */
function checkOrder(
  metered: Metered,
  { period, rating }: Rated,
  book: PriceBook,
  windows: readonly PriceWindow[],
  dice: Dice,
  tally: Tally,
): void {
  const shuffled = { ...metered, usage: shuffle(metered.usage, dice), floors: shuffle(metered.floors, dice) };
  const other = rate(shuffled, period, book, windows).rating;
  const hourly = new PeriodRating({ period, book, windows });
  hourly.take({ ...metered, usage: [] });
  const waiting = latestOf(metered.usage).sort((a, b) => a.fromAt - b.fromAt);
  for (let at = period.fromAt; at < period.toAt; at += hour) {
    while (waiting.length > 0 && waiting[0]!.fromAt < at + hour) hourly.use(waiting.shift()!);
    hourly.advance(at + hour);
  }
  hourly.advance(period.toAt);
  const border = period.fromAt + dice.whole(0, period.toAt - period.fromAt);
  const apart = inTwo(metered, period, border - (border % hour), book, windows);
  const text = (each: Totals) =>
    canonicalJson(spelled([each.shared(), each.unused(), each.tenants().map((tenant) => each.linesOf(tenant))]));
  for (const each of [other.totals, hourly.totals, apart]) {
    if (text(each) !== text(rating.totals)) tally.orderDependent++;
  }
}

/** Two parts of a period, each rated without the other, put together. */
function inTwo(
  metered: Metered,
  period: Period,
  border: number,
  book: PriceBook,
  windows: readonly PriceWindow[],
): Totals {
  const rates = new RateBook();
  const sum = new Totals(rates);
  for (const [fromAt, toAt] of [
    [period.fromAt, Math.max(period.fromAt, border)],
    [Math.max(period.fromAt, border), period.toAt],
  ] as const) {
    if (fromAt === toAt) continue;
    const part = new PeriodRating({ period: { ...period, fromAt, toAt }, book, windows, rates });
    part.take(metered);
    part.advance(toAt);
    sum.addAll(part.totals);
  }
  return sum;
}

function shuffle<Item>(items: readonly Item[], dice: Dice): Item[] {
  const mixed = [...items];
  for (let i = mixed.length - 1; i > 0; i--) {
    const other = dice.whole(0, i);
    [mixed[i], mixed[other]] = [mixed[other]!, mixed[i]!];
  }
  return mixed;
}

/** A line that was invoiced, and in which period. */
interface Issued extends IssuedLine {
  readonly period: string;
}

interface Close {
  readonly world: World;
  readonly metered: Metered;
  readonly rated: Rated;
  /** Periods that are closed already, as they come to by what is known now. */
  readonly before: readonly Rated[];
  readonly book: PriceBook;
  readonly windows: readonly PriceWindow[];
  readonly tenant: string;
  readonly issued: Map<string, Issued[]>;
  readonly tally: Tally;
}

/** Closes the period of one tenant on the real core, and computes the invoice again from the extract alone. */
function closeTenant({ world, metered, rated, before, book, windows, tenant, issued, tally }: Close): void {
  const { period, rating } = rated;
  const about = { tenant, period, mode: "chargeback", windows } as const;
  const known = issued.get(tenant) ?? [];
  const invoiced = (of: Rated, corrections: readonly InvoiceLine[]): Invoice =>
    buildInvoice({
      ...about,
      period: of.period,
      book,
      lines: of.rating.lines(tenant),
      shared: of.rating.shared(),
      corrections,
    })!;
  const differences = (lines: readonly Issued[]) =>
    before.flatMap((closed) => {
      const { label } = closed.period;
      // What a period's own invoice corrects is of periods before it.
      const own = lines.filter(({ period, line }) => (period === label) !== (line.kind === "correction"));
      return correctionsOf(label, own, invoiced(closed, []).lines);
    });
  const corrections = differences(known);
  const invoice = invoiced(rated, corrections);
  const shared = rating.shared();
  const extract = extractLines(extractOf({ ...about, book, ...metered, shared, corrections }));
  if (invoiceText(recompute(extractFrom(extract))!) !== invoiceText(invoice)) tally.recomputeDiffers++;
  checkMoney(invoice, rated, tally);
  if (invoice.lines.length === 0) return;
  const { nextEntry, nextInvoice } = serialsOf(world.state.books, tenant);
  const { currency, mode, lines, ratingVersion } = invoice;
  const hashes = { textHash: "", extractRoot: "" };
  const totalMicros = String(invoice.totalMicros);
  const spelledLines = spelled(lines) as SpelledLine[];
  const command = { kind: "invoice.issue", tenant, period, currency, mode, totalMicros, ratingVersion } as const;
  const done = world.do({ ...command, ...hashes, lines: spelledLines });
  const again = world.do({ ...command, ...hashes, lines: spelledLines });
  const after = serialsOf(world.state.books, tenant);
  if (!done || again || after.nextInvoice !== nextInvoice + 1) tally.doubleCharged++;
  tally.entries += after.nextEntry - nextEntry;
  const number = `INV-${nextInvoice}`;
  const all = [...known, ...lines.map((line, i) => ({ name: `${number}/${i + 1}`, line, period: period.label }))];
  issued.set(tenant, all);
  if (differences(all).length > 0) tally.doubleCharged++;
}

/** Nothing is lost to rounding, and only credits are below zero. */
function checkMoney(invoice: Invoice, { charges }: Rated, tally: Tally): void {
  const lost = invoice.chargesMicros + invoice.creditsMicros + invoice.roundingMicros - invoice.totalMicros;
  tally.roundingLostMicros += Number(lost < 0n ? -lost : lost);
  for (const line of invoice.lines) {
    const credit = line.kind === "lent" || line.kind === "lost-work";
    if (line.kind === "correction") continue;
    if (line.quantity < 0n || (credit ? line.micros > 0n : line.micros < 0n)) tally.negative++;
    if (line.kind !== "burst" && line.kind !== "reserved" && line.kind !== "cpu") continue;
    const same = invoice.lines.filter((other) => keyOf(other) === keyOf(line));
    const hours = charges.filter((charge) => keyOf(charge) === keyOf(line));
    const sum = (list: readonly { readonly micros: bigint }[]) =>
      list.reduce((total, { micros }) => total + micros, 0n);
    const difference = sum(same) - sum(hours);
    tally.roundingLostMicros += Number(difference < 0n ? -difference : difference);
  }
}

function keyOf(key: InvoiceLine | Charge): string {
  const { kind, account, model, profile, isolation, topology, version, perMille } = key;
  return [kind, account, model, profile, isolation, topology, version, perMille].join("|");
}

function sumsByCurrency({ state }: World): bigint[] {
  const sums = new Map<string, bigint>();
  for (const [key, micros] of state.books.balances) {
    const currency = key.slice(0, 3);
    sums.set(currency, (sums.get(currency) ?? 0n) + micros);
  }
  return [...sums.values()];
}
