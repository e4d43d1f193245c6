import { tenantOfPath } from "../meter/usage.ts";
import type { Rounding } from "../money/amount.ts";
import type { InvoiceLine, LineKey } from "../money/charge.ts";
import { costOf, type UnitPrice } from "../money/unit-price.ts";
import { addBigInt, addProduct, addSum, fitting, isZero, sumAt, wide } from "./wide.ts";

/** What a quantity is of, and what it costs. */
export interface Rate {
  readonly key: LineKey;
  readonly price: UnitPrice;
  readonly rounding: Rounding;
}

/** Numbers every rate there is: one key at one price. Where a contract changes the price of a key, it is another rate. */
export class RateBook {
  readonly #rates: Rate[] = [];
  readonly #byText = new Map<string, number>();
  readonly #byTenant = new Map<string, number[]>();

  no(key: LineKey, price: UnitPrice, rounding: Rounding): number {
    const text = textOf(key, price);
    const known = this.#byText.get(text);
    if (known !== undefined) return known;
    const no = this.#rates.push({ key, price, rounding }) - 1;
    this.#byText.set(text, no);
    const tenant = tenantOfPath(key.account);
    const ofTenant = this.#byTenant.get(tenant) ?? [];
    ofTenant.push(no);
    this.#byTenant.set(tenant, ofTenant);
    return no;
  }

  rate(no: number): Rate {
    return this.#rates[no]!;
  }

  /** The numbers of a tenant. */
  of(tenant: string): readonly number[] {
    return this.#byTenant.get(tenant) ?? [];
  }
}

/** Lines whose quantities still grow: one for each rate, by its number; where nothing came together there is no line. */
export class Lines {
  readonly book: RateBook;
  #quantities: Float64Array = new Float64Array(64 * wide);

  constructor(book: RateBook) {
    this.book = book;
  }

  quantity(no: number): bigint {
    return !this.#has(no) ? 0n : sumAt(this.#quantities, no * wide);
  }

  /** Adds a sum of another column. */
  add(no: number, column: Float64Array, place: number): void {
    this.#quantities = fitting(this.#quantities, (no + 1) * wide);
    addSum(this.#quantities, no * wide, column, place);
  }

  addProduct(no: number, units: number, ms: number): void {
    this.#quantities = fitting(this.#quantities, (no + 1) * wide);
    addProduct(this.#quantities, no * wide, units, ms);
  }

  /** Adds what may be larger than a number can be. */
  addAmount(no: number, amount: bigint): void {
    this.#quantities = fitting(this.#quantities, (no + 1) * wide);
    addBigInt(this.#quantities, no * wide, amount);
  }

  /** Adds all lines of another stretch of time; both are of one book. */
  addAll(other: Lines): void {
    const length = other.#quantities.length;
    this.#quantities = fitting(this.#quantities, length);
    for (let place = 0; place < length; place += wide) addSum(this.#quantities, place, other.#quantities, place);
  }

  /** The numbers of the lines of a tenant. */
  of(tenant: string): readonly number[] {
    return this.book.of(tenant).filter((no) => this.#has(no));
  }

  #has(no: number): boolean {
    return (no + 1) * wide <= this.#quantities.length && !isZero(this.#quantities, no * wide);
  }
}

const credits: ReadonlySet<string> = new Set(["lent", "lost-work"]);

/** A line whose quantity is known, rounded once. */
export function lineOf({ key, price, rounding }: Rate, quantity: bigint): InvoiceLine {
  const micros = costOf(key.kind, quantity, price, rounding);
  return { ...key, ...price, quantity, micros: credits.has(key.kind) ? -micros : micros };
}

/** Lines in the order of an invoice: by account, then by what they are for. */
export function inOrder(lines: readonly InvoiceLine[]): InvoiceLine[] {
  return lines
    .map((line) => ({ line, text: textOf(line, line) }))
    .sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
    .map(({ line }) => line);
}

/** What tells a line from others, price included. */
function textOf(key: LineKey, { numerator, denominator }: UnitPrice): string {
  const { account, kind, model, profile, isolation, topology, version, perMille } = key;
  return `${account}\t${kind}\t${model}\t${profile}\t${isolation}\t${topology}\t${version}\t${perMille}\t${numerator}\t${denominator}`;
}

/** The parts of a key that say nothing about a GPU. */
export const noGpu = { model: "", profile: "", isolation: "", topology: "", perMille: 1000 } as const;
