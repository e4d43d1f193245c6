import { tenantOfPath } from "../meter/usage.ts";
import type { InvoiceLine, LineKey } from "./charge.ts";
import { costOf, type UnitPrice } from "./cost.ts";
import type { Rounding } from "./money.ts";
import { innerOf } from "./nested.ts";
import { addBigInt, addProduct, addSum, fitting, sumAt, wide } from "./wide.ts";

/** What a quantity is of, and what it costs. */
export interface Rate {
  readonly key: LineKey;
  readonly price: UnitPrice;
  readonly rounding: Rounding;
}

interface NamedRate extends Rate {
  readonly id: string;
}

/** Lines whose quantities still grow. A line is one key at one price: where a contract changes the price, it is two. */
export class Lines {
  readonly #rates: NamedRate[] = [];
  #quantities: Float64Array = new Float64Array(64 * wide);
  /** By tenant, then by key and price. */
  readonly #byTenant = new Map<string, Map<string, number>>();

  /** The number of the line of a rate. */
  no(key: LineKey, price: UnitPrice, rounding: Rounding): number {
    return this.#of({ id: textOf(key, price), key, price, rounding });
  }

  #of(rate: NamedRate): number {
    const lines = innerOf(this.#byTenant, tenantOfPath(rate.key.account));
    const known = lines.get(rate.id);
    if (known !== undefined) return known;
    const no = this.#rates.push(rate) - 1;
    this.#quantities = fitting(this.#quantities, (no + 1) * wide);
    lines.set(rate.id, no);
    return no;
  }

  rate(no: number): Rate {
    return this.#rates[no]!;
  }

  quantity(no: number): bigint {
    return sumAt(this.#quantities, no * wide);
  }

  /** Adds a sum of another column. */
  add(no: number, column: Float64Array, place: number): void {
    addSum(this.#quantities, no * wide, column, place);
  }

  /** Adds what may be larger than a number can be. */
  addAmount(no: number, amount: bigint): void {
    addBigInt(this.#quantities, no * wide, amount);
  }

  addProduct(no: number, units: number, ms: number): void {
    addProduct(this.#quantities, no * wide, units, ms);
  }

  /** Adds all lines of another stretch of time. */
  addAll(other: Lines): void {
    for (const [no, rate] of other.#rates.entries()) this.add(this.#of(rate), other.#quantities, no * wide);
  }

  /** The numbers of the lines of a tenant. */
  of(tenant: string): readonly number[] {
    return [...(this.#byTenant.get(tenant)?.values() ?? [])];
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
