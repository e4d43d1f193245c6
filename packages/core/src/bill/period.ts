import { type LostWork, type Metered, tenantOfPath, type Usage } from "../meter/usage.ts";
import { must } from "../model/must.ts";
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
import { ofBurstSum, ofCpuSum, ofMemorySum } from "./holdings.ts";
import { innerMap } from "./inner-map.ts";
import { latestOf } from "./latest.ts";
import type { Lent } from "./lending.ts";
import type { Payer } from "./payer.ts";
import { noGpu, RateBook } from "./rate-book.ts";
import { type Cut, Rater } from "./rater.ts";
import type { FloorPart } from "./reserve.ts";
import { type Shared, Totals } from "./totals.ts";
import { isZero } from "./wide.ts";

export interface RatingOptions {
  readonly period: Period;
  readonly book: PriceBook;
  /** The times of day of all price lists, as instants. */
  readonly windows: readonly PriceWindow[];
  /** Shared by all ratings whose totals are added up; absent = its own. */
  readonly rates?: RateBook;
  /** Called with each priced hour of each line. */
  readonly onCharge?: (charge: Charge) => void;
}

/** What a holding is charged for, and the sum that holds its quantity. */
const charged = [
  { kind: "burst", sum: ofBurstSum },
  { kind: "cpu", sum: ofCpuSum },
  { kind: "memory", sum: ofMemorySum },
] as const;

/** In the place of a rate's number: not looked up yet. */
const unknown = -1;

/** The rates that apply under the same terms. */
interface TermRates {
  readonly terms: PriceTerms;
  /** Numbers in the rate book, three for each holding in the order of `charged`. */
  rateOf: Int32Array;
  /** Rates of cores and memory, which all holdings of an account share. */
  readonly byPayer: Map<Payer, { cpu?: number; memory?: number }>;
}

/** Applies the price book to what was metered in a period, up to the instant that `advance` was given. */
export class PeriodRating {
  /** The totals so far; complete once the whole period is rated. */
  readonly totals: Totals;
  readonly #rater: Rater;
  readonly #options: RatingOptions;
  readonly #borders: readonly Instant[];
  /** The first of `#borders` that lies ahead. */
  #border = 0;
  /** By price list, time of day and contract. */
  readonly #rates = new Map<PriceVersion, Map<number, Map<Contract | undefined, TermRates>>>();
  /** By holding: its row of GPU time in the totals. */
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

  /** Takes everything that was metered, in any order; repeated records count once. */
  take(metered: Metered): void {
    const { period } = this.#options;
    const inTime = <Change extends { readonly at: Instant; readonly revision: number }>(changes: readonly Change[]) =>
      changes.filter(({ at }) => at < period.toAt).sort((a, b) => a.at - b.at || a.revision - b.revision);
    for (const change of inTime(metered.capacity)) this.#rater.provide(change);
    for (const change of inTime(metered.floors)) this.#rater.promise(change);
    for (const usage of latestOf(metered.usage)) this.use(usage);
    for (const lost of metered.lost) this.lose(lost);
  }

  /** Takes one usage in its final revision. */
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
   * Rates up to the last full hour before `to`, or to the end of the period. Cutting anywhere else would make the
   * result depend on when it was asked for.
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

  /** The lines of a tenant from its own records, in invoice order; complete once the whole period is rated. */
  lines(tenant: string): InvoiceLine[] {
    return this.totals.linesOf(tenant);
  }

  /** What each tenant gets from the whole fleet: credits for lending, shares of idle capacity. */
  shared(): Shared[] {
    return this.totals.shared();
  }

  tenants(): string[] {
    return this.totals.tenants();
  }

  #ratesAt(at: Instant, tenant: string): TermRates | undefined {
    const { book, windows } = this.#options;
    const terms = termsAt(book, windows, at, tenant);
    if (terms === undefined) return undefined;
    const ofTime = innerMap(innerMap(this.#rates, terms.version), terms.perMille);
    const known = ofTime.get(terms.contract);
    if (known !== undefined) return known;
    const rates = { terms, rateOf: new Int32Array(), byPayer: new Map() };
    ofTime.set(terms.contract, rates);
    return rates;
  }

  #cut(cut: Cut, lent: readonly Lent[]): void {
    const { book, windows, onCharge } = this.#options;
    const terms = lent.length === 0 ? undefined : termsAt(book, windows, cut.fromAt, "");
    if (terms !== undefined) {
      for (const { tenant, model, quantity } of lent) this.totals.lend(tenant.path, model, terms, quantity);
    }
    if (onCharge !== undefined) this.#collect(cut);
  }

  #endPrice(): void {
    this.#rater.cut();
    // With `onCharge` each cut has collected already.
    if (this.#options.onCharge === undefined) this.#collect();
  }

  /** Adds the sums of all holdings to the totals at the prices that end here; `onCharge` is told `cut`. */
  #collect(cut?: Cut): void {
    const at = this.#rater.ratedUntil - 1;
    for (const tenant of this.#rater.payers.tenants) {
      this.totals.note(tenant.path);
      const rates = this.#ratesAt(at, tenant.path);
      this.#rater.settle(tenant, (holding) => this.#charge(holding, rates, cut));
    }
    this.#rater.endFloors();
    const version = versionAt(this.#options.book, at);
    for (const { model, quantity } of this.#rater.lending.takeUnused()) {
      if (version !== undefined) this.totals.leave(version, model, quantity);
    }
  }

  #charge(holding: number, rates: TermRates | undefined, cut: Cut | undefined): void {
    const { holdings } = this.#rater.payers;
    const { payers, skus, cells } = holdings;
    const place = holdings.placeOf(holding);
    this.#usedRows[holding] ??= this.totals.usedRow(payers[holding]!.tenant.path, skus[holding]!.model);
    this.totals.use(this.#usedRows[holding], cells, place + ofBurstSum);
    if (rates === undefined || !isBilled(skus[holding]!.state, rates.terms)) return;
    const first = holding * charged.length;
    if (rates.rateOf.length <= first) rates.rateOf = longer(rates.rateOf, first + charged.length);
    for (let i = 0; i < charged.length; i++) {
      const { kind, sum } = charged[i]!;
      if (isZero(cells, place + sum)) continue;
      let rate = rates.rateOf[first + i]!;
      if (rate === unknown) {
        rate =
          kind === "burst" ? this.#burstRate(holding, rates.terms) : this.#payerRate(kind, payers[holding]!, rates);
        rates.rateOf[first + i] = rate;
      }
      const before = this.#shown(rate);
      this.totals.quantities.add(rate, cells, place + sum);
      if (before !== undefined) this.#show(rate, before, must(cut, "hours are shown by cut"));
    }
  }

  #burstRate(holding: number, terms: PriceTerms): number {
    const { payers, skus } = this.#rater.payers.holdings;
    const { version, perMille } = terms;
    const { model, profile, isolation, topology, state, pool, poolPerMille } = skus[holding]!;
    const kind = state === "stranded" ? state : "burst";
    const account = payers[holding]!.path;
    const plain = { kind, account, model, profile, isolation, topology, version: version.id, perMille } as const;
    const key = pool === undefined ? plain : { ...plain, pool, poolPerMille };
    return this.totals.quantities.book.no(key, burstPrice(terms, key), version.rounding);
  }

  #payerRate(kind: "cpu" | "memory", payer: Payer, { terms, byPayer }: TermRates): number {
    const known = byPayer.get(payer) ?? {};
    byPayer.set(payer, known);
    const { version } = terms;
    const key = { ...noGpu, kind, account: payer.path, version: version.id } as const;
    const price = kind === "cpu" ? corePrice(terms) : memoryPrice(terms);
    known[kind] ??= this.totals.quantities.book.no(key, price, version.rounding);
    return known[kind];
  }

  #reserve(span: Cut, floors: readonly FloorPart[]): void {
    const ms = span.toAt - span.fromAt;
    for (const { payer, entry, units } of floors) {
      const { path } = payer.tenant;
      this.totals.promise(path, BigInt(units) * BigInt(ms));
      const { terms } = this.#ratesAt(span.fromAt, path) ?? {};
      if (terms === undefined) continue;
      const { version } = terms;
      const key = { ...noGpu, kind: "reserved", account: payer.path, model: entry, version: version.id } as const;
      const rate = this.totals.quantities.book.no(key, reservedPrice(terms, entry), version.rounding);
      const before = this.#shown(rate);
      this.totals.quantities.addProduct(rate, units, ms);
      if (before !== undefined) this.#show(rate, before, span);
    }
  }

  /** The quantity that `onCharge` was told so far; undefined without `onCharge`. */
  #shown(rate: number): bigint | undefined {
    return this.#options.onCharge === undefined ? undefined : this.totals.quantities.quantity(rate);
  }

  /** Tells `onCharge` what was added to a rate. */
  #show(no: number, before: bigint, cut: Cut): void {
    const { key, price, rounding } = this.totals.quantities.book.rate(no);
    const after = this.totals.quantities.quantity(no);
    const micros = costOf(key.kind, after, price, rounding) - costOf(key.kind, before, price, rounding);
    this.#options.onCharge?.({ ...key, ...cut, quantity: after - before, micros });
  }
}

function isBilled(state: Usage["state"], { version }: PriceTerms): boolean {
  return !version.unbilled.includes(state);
}

function longer(rates: Int32Array, length: number): Int32Array {
  const next = new Int32Array(Math.max(length, 2 * rates.length)).fill(unknown);
  next.set(rates);
  return next;
}
