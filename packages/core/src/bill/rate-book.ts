import { tenantOfPath } from "../meter/usage.ts";
import type { Rounding } from "../money/amount.ts";
import type { InvoiceLine, LineKey } from "../money/charge.ts";
import { costOf, type UnitPrice } from "../money/unit-price.ts";
import { addBigInt, addProduct, addSum, fitting, isZero, sumAt, wide } from "./wide.ts";

/** A price for one kind of charge: the key of its invoice line, the unit price and how to round. */
export interface Rate {
  readonly key: LineKey;
  readonly price: UnitPrice;
  readonly rounding: Rounding;
}

/** Numbers all rates. A key whose price is changed by a contract has a rate for each price. */
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

  /** The numbers of all rates of a tenant. */
  of(tenant: string): readonly number[] {
    return this.#byTenant.get(tenant) ?? [];
  }
}

/** The quantity of each rate, by its number. A rate whose quantity is 0 makes no invoice line. */
export class Quantities {
  readonly book: RateBook;
  #quantities: Float64Array = new Float64Array(64 * wide);

  constructor(book: RateBook) {
    this.book = book;
  }

  quantity(no: number): bigint {
    return !this.#has(no) ? 0n : sumAt(this.#quantities, no * wide);
  }

  /** Adds a sum of another column (`wide.ts`). */
  add(no: number, column: Float64Array, place: number): void {
    this.#quantities = fitting(this.#quantities, (no + 1) * wide);
    addSum(this.#quantities, no * wide, column, place);
  }

  addProduct(no: number, units: number, ms: number): void {
    this.#quantities = fitting(this.#quantities, (no + 1) * wide);
    addProduct(this.#quantities, no * wide, units, ms);
  }

  /** Adds an amount that may exceed 2^53. */
  addAmount(no: number, amount: bigint): void {
    this.#quantities = fitting(this.#quantities, (no + 1) * wide);
    addBigInt(this.#quantities, no * wide, amount);
  }

  /** Adds the quantities of another span of time. Both must share a rate book. */
  addAll(other: Quantities): void {
    const length = other.#quantities.length;
    this.#quantities = fitting(this.#quantities, length);
    for (let place = 0; place < length; place += wide) addSum(this.#quantities, place, other.#quantities, place);
  }

  /** The numbers of the tenant's rates with a quantity. */
  of(tenant: string): readonly number[] {
    return this.book.of(tenant).filter((no) => this.#has(no));
  }

  #has(no: number): boolean {
    return (no + 1) * wide <= this.#quantities.length && !isZero(this.#quantities, no * wide);
  }
}

const credits: ReadonlySet<string> = new Set(["lent", "lost-work"]);

/** The invoice line of a quantity at a rate. The money is rounded once, here. */
export function invoiceLine({ key, price, rounding }: Rate, quantity: bigint): InvoiceLine {
  const micros = costOf(key.kind, quantity, price, rounding);
  return { ...key, ...price, quantity, micros: credits.has(key.kind) ? -micros : micros };
}

/** Lines in invoice order: by account, then by kind of charge. */
export function inInvoiceOrder(lines: readonly InvoiceLine[]): InvoiceLine[] {
  return lines
    .map((line) => ({ line, text: textOf(line, line) }))
    .sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
    .map(({ line }) => line);
}

/** The identity of a line, price included. */
function textOf(key: LineKey, { numerator, denominator }: UnitPrice): string {
  const { account, kind, model, profile, isolation, topology, version, perMille, pool, poolPerMille } = key;
  const gpu = `${model}\t${profile}\t${isolation}\t${topology}`;
  const text = `${account}\t${kind}\t${gpu}\t${version}\t${perMille}\t${numerator}\t${denominator}`;
  return pool === undefined ? text : `${text}\t${pool}\t${poolPerMille}`;
}

/** The GPU fields of a key for a charge that is not for a GPU. */
export const noGpu = { model: "", profile: "", isolation: "", topology: "", perMille: 1000 } as const;
