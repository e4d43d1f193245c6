import { type LostWork, type Metered, tenantOfPath, type Usage } from "../meter/usage.ts";
import { hour, type Instant } from "../model/units.ts";
import type { Charge, InvoiceLine } from "../money/charge.ts";
import type { Period } from "../money/invoice.ts";
import { type Contract, type PriceBook, type PriceVersion, type PriceWindow, versionAt } from "../money/price.ts";
import {
  burstPrice,
  corePrice,
  costOf,
  memoryPrice,
  type PriceTerms,
  reservedPrice,
  termsAt,
} from "../money/unit-price.ts";
import { latestOf } from "./latest.ts";
import type { Lent } from "./lending.ts";
import { noGpu, RateBook } from "./lines.ts";
import { innerOf } from "./nested.ts";
import type { Payer } from "./payers.ts";
import { type Cut, type FloorCut, Rater } from "./rate.ts";
import { ofCpuSum, ofMemorySum, ofOverSum } from "./slots.ts";
import { type Shared, Totals } from "./totals.ts";
import { isZero } from "./wide.ts";

export interface RatingOptions {
  readonly period: Period;
  readonly book: PriceBook;
  /** Times of day of all versions, as instants. */
  readonly windows: readonly PriceWindow[];
  /** Of all ratings that are put together; absent = its own. */
  readonly rates?: RateBook;
  /** Is shown each hour of each line, priced. */
  readonly onCharge?: (charge: Charge) => void;
}

/** What a slot is charged for, and where that is summed up. */
const charged = [
  { kind: "burst", sum: ofOverSum },
  { kind: "cpu", sum: ofCpuSum },
  { kind: "memory", sum: ofMemorySum },
] as const;

/** In the place of the number of a line: nobody asked yet. */
const unknown = -1;

/** Terms that hold at some time, and the lines of each slot under them: three in a row. */
interface Rates {
  readonly terms: PriceTerms;
  lineOf: Int32Array;
  /** Lines of cores and memory, which all slots of an account have in common. */
  readonly byPayer: Map<Payer, { cpu?: number; memory?: number }>;
}

/** The price book applied to what was metered in a period, as far as time has come. */
export class PeriodRating {
  /** What came together so far; whole once the period is. */
  readonly totals: Totals;
  readonly #rater: Rater;
  readonly #options: RatingOptions;
  readonly #borders: readonly Instant[];
  /** The first of them that still lies ahead. */
  #border = 0;
  /** By version, time of day and contract: equal terms are the same. */
  readonly #rates = new Map<PriceVersion, Map<number, Map<Contract | undefined, Rates>>>();
  /** By slot: where its GPU time is counted. */
  readonly #usedRows: number[] = [];

  constructor(options: RatingOptions) {
    this.#options = options;
    this.totals = new Totals(options.rates ?? new RateBook());
    const { period, book, windows } = options;
    const borders = [
      ...book.versions.map((version) => version.fromAt),
      ...book.contracts.flatMap(({ fromAt, toAt }) => [fromAt, toAt]),
      ...windows.flatMap(({ fromAt, toAt }) => [fromAt, toAt]),
    ];
    this.#borders = [...new Set(borders)].filter((at) => at > period.fromAt && at < period.toAt).sort((a, b) => a - b);
    this.#rater = new Rater(period, {
      cut: (cut, lent) => this.#cut(cut, lent),
      reserved: (span, floors) => this.#reserve(span, floors),
    });
  }

  /** Takes in everything that was metered, in any order, told any number of times. */
  take(metered: Metered): void {
    const { period } = this.#options;
    const inTime = <Change extends { readonly at: Instant; readonly revision: number }>(changes: readonly Change[]) =>
      changes.filter(({ at }) => at < period.toAt).sort((a, b) => a.at - b.at || a.revision - b.revision);
    for (const change of inTime(metered.capacity)) this.#rater.provide(change);
    for (const change of inTime(metered.floors)) this.#rater.promise(change);
    for (const usage of latestOf(metered.usage)) this.use(usage);
    for (const lost of metered.lost) this.lose(lost);
  }

  /** One stretch, which is known to be told for the last time. */
  use(usage: Usage): void {
    const { fromAt, toAt } = this.#options.period;
    if (usage.fromAt < toAt && usage.toAt > fromAt) this.#rater.use(usage);
  }

  lose(lost: LostWork): void {
    const { period, book, windows } = this.#options;
    if (lost.at < period.fromAt || lost.at >= period.toAt) return;
    const terms = termsAt(book, windows, lost.at, tenantOfPath(lost.account));
    if (terms !== undefined) this.totals.lose(lost, terms);
  }

  /**
   * Rates up to the last full hour before `to`, or to the end of the period: what is cut elsewhere would depend on
   * when someone looked.
   */
  advance(to: Instant): void {
    const { toAt } = this.#options.period;
    const end = to >= toAt ? toAt : Math.max(this.#rater.ratedUntil, to - (to % hour));
    for (; this.#border < this.#borders.length && this.#borders[this.#border]! <= end; this.#border++) {
      this.#rater.advance(this.#borders[this.#border]!);
      this.#endPrice();
    }
    this.#rater.advance(end);
    if (end === toAt) this.#endPrice();
  }

  /** The lines of a tenant from its own records, in the order of an invoice; whole once the period is. */
  lines(tenant: string): InvoiceLine[] {
    return this.totals.linesOf(tenant);
  }

  /** What came to each tenant from looking at the whole fleet, by tenant. */
  shared(): Shared[] {
    return this.totals.shared();
  }

  tenants(): string[] {
    return this.totals.tenants();
  }

  #ratesAt(at: Instant, tenant: string): Rates | undefined {
    const { book, windows } = this.#options;
    const terms = termsAt(book, windows, at, tenant);
    if (terms === undefined) return undefined;
    const ofTime = innerOf(innerOf(this.#rates, terms.version), terms.perMille);
    const known = ofTime.get(terms.contract);
    if (known !== undefined) return known;
    const rates = { terms, lineOf: new Int32Array(), byPayer: new Map() };
    ofTime.set(terms.contract, rates);
    return rates;
  }

  #cut(cut: Cut, lent: readonly Lent[]): void {
    const { book, windows, onCharge } = this.#options;
    const terms = lent.length === 0 ? undefined : termsAt(book, windows, cut.fromAt, "");
    for (const { tenant, model, quantity } of terms === undefined ? [] : lent) {
      this.totals.lend(tenant.path, model, terms!, quantity);
    }
    if (onCharge !== undefined) this.#collect(cut);
  }

  #endPrice(): void {
    this.#rater.cut();
    // Where hours are shown, each cut has put everything into lines.
    if (this.#options.onCharge === undefined) this.#collect();
  }

  /** Puts what came together into lines, at the prices of just now; `cut` says when, for who is shown hours. */
  #collect(cut?: Cut): void {
    const at = this.#rater.ratedUntil - 1;
    for (const tenant of this.#rater.payers.tenants) {
      this.totals.note(tenant.path);
      const rates = this.#ratesAt(at, tenant.path);
      this.#rater.settle(tenant, (slot) => this.#charge(slot, rates, cut));
    }
    this.#rater.endFloors();
    const version = versionAt(this.#options.book, at);
    for (const { model, quantity } of this.#rater.lending.takeUnused()) {
      if (version !== undefined) this.totals.leave(version, model, quantity);
    }
  }

  #charge(slot: number, rates: Rates | undefined, cut: Cut | undefined): void {
    const { slots } = this.#rater.payers;
    const { payers, kinds, cells } = slots;
    const place = slots.placeOf(slot);
    this.#usedRows[slot] ??= this.totals.usedRow(payers[slot]!.tenant.path, kinds[slot]!.model);
    this.totals.use(this.#usedRows[slot], cells, place + ofOverSum);
    if (rates === undefined || !isBilled(kinds[slot]!.state, rates.terms)) return;
    if (rates.lineOf.length <= slot * charged.length) rates.lineOf = longer(rates.lineOf, (slot + 1) * charged.length);
    for (let i = 0; i < charged.length; i++) {
      const { kind, sum } = charged[i]!;
      if (isZero(cells, place + sum)) continue;
      let line = rates.lineOf[slot * charged.length + i]!;
      if (line === unknown) {
        line = kind === "burst" ? this.#burstLine(slot, rates.terms) : this.#lineOfPayer(kind, payers[slot]!, rates);
        rates.lineOf[slot * charged.length + i] = line;
      }
      const before = this.#shown(line);
      this.totals.lines.add(line, cells, place + sum);
      if (before !== undefined) this.#show(line, before, cut!);
    }
  }

  #burstLine(slot: number, terms: PriceTerms): number {
    const { payers, kinds } = this.#rater.payers.slots;
    const { version, perMille } = terms;
    const { model, profile, isolation, topology, state } = kinds[slot]!;
    const kind = state === "stranded" ? state : "burst";
    const account = payers[slot]!.path;
    const key = { kind, account, model, profile, isolation, topology, version: version.id, perMille } as const;
    return this.totals.lines.book.no(key, burstPrice(terms, key), version.rounding);
  }

  #lineOfPayer(kind: "cpu" | "memory", payer: Payer, { terms, byPayer }: Rates): number {
    const known = byPayer.get(payer) ?? {};
    byPayer.set(payer, known);
    const { version } = terms;
    const key = { ...noGpu, kind, account: payer.path, version: version.id } as const;
    const price = kind === "cpu" ? corePrice(terms) : memoryPrice(terms);
    known[kind] ??= this.totals.lines.book.no(key, price, version.rounding);
    return known[kind];
  }

  #reserve(span: Cut, floors: readonly FloorCut[]): void {
    const ms = span.toAt - span.fromAt;
    for (const { payer, entry, units } of floors) {
      const { path } = payer.tenant;
      this.totals.promise(path, BigInt(units) * BigInt(ms));
      const { terms } = this.#ratesAt(span.fromAt, path) ?? {};
      if (terms === undefined) continue;
      const { version } = terms;
      const key = { ...noGpu, kind: "reserved", account: payer.path, model: entry, version: version.id } as const;
      const line = this.totals.lines.book.no(key, reservedPrice(terms, entry), version.rounding);
      const before = this.#shown(line);
      this.totals.lines.addProduct(line, units, ms);
      if (before !== undefined) this.#show(line, before, span);
    }
  }

  /** Where hours are shown: what a line has come to before it grows. */
  #shown(line: number): bigint | undefined {
    return this.#options.onCharge === undefined ? undefined : this.totals.lines.quantity(line);
  }

  /** Shows what a line has grown by. */
  #show(line: number, before: bigint, cut: Cut): void {
    const { key, price, rounding } = this.totals.lines.book.rate(line);
    const after = this.totals.lines.quantity(line);
    const micros = costOf(key.kind, after, price, rounding) - costOf(key.kind, before, price, rounding);
    this.#options.onCharge!({ ...key, ...cut, quantity: after - before, micros });
  }
}

function isBilled(state: Usage["state"], { version }: PriceTerms): boolean {
  return !version.unbilled.includes(state);
}

function longer(lineOf: Int32Array, length: number): Int32Array {
  const next = new Int32Array(Math.max(length, 2 * lineOf.length)).fill(unknown);
  next.set(lineOf);
  return next;
}
