import type { Usage } from "../meter/usage.ts";
import type { Instant } from "../model/units.ts";
import type { Micros, Rounding } from "../money/amount.ts";
import type { LineKey } from "../money/charge.ts";
import type { PriceBook, PriceWindow } from "../money/price.ts";
import {
  burstPrice,
  corePrice,
  costOf,
  memoryPrice,
  type PriceTerms,
  reservedPrice,
  termsAt,
  type UnitPrice,
} from "../money/unit-price.ts";

interface Sum {
  readonly kind: LineKey["kind"];
  readonly price: UnitPrice;
  readonly rounding: Rounding;
  quantity: bigint;
}

/**
 * What stretches of one job cost: its GPUs at the price of the class it had, its cores and its memory, and nothing for
 * states that are free. An invoice is another sum: it is of accounts, which pay for a guarantee whether jobs fill it or
 * not, and beyond it only for what no guarantee of theirs holds.
 */
export function jobCost(
  usage: readonly Usage[],
  tenant: string,
  book: PriceBook,
  windows: readonly PriceWindow[],
): Micros {
  const sums = new Map<string, Sum>();
  for (const each of usage) {
    const borders = bordersIn(book, windows, each.fromAt, each.toAt);
    for (let i = 1; i < borders.length; i++) {
      const terms = termsAt(book, windows, borders[i - 1]!, tenant);
      if (terms !== undefined && !terms.version.unbilled.includes(each.state))
        add(sums, each, terms, borders[i]! - borders[i - 1]!);
    }
  }
  let micros = 0n;
  for (const { kind, quantity, price, rounding } of sums.values()) micros += costOf(kind, quantity, price, rounding);
  return micros;
}

function add(sums: Map<string, Sum>, usage: Usage, terms: PriceTerms, ms: number): void {
  const price = usage.class === "burst" ? burstPrice(terms, usage) : reservedPrice(terms, usage.model);
  put(sums, "burst", price, terms, usage.gpus.length * usage.unitsEach, ms);
  put(sums, "cpu", corePrice(terms), terms, usage.cpusMilli, ms);
  put(sums, "memory", memoryPrice(terms), terms, usage.memoryMiB, ms);
}

function put(
  sums: Map<string, Sum>,
  kind: Sum["kind"],
  price: UnitPrice,
  { version: { rounding } }: PriceTerms,
  amount: number,
  ms: number,
): void {
  if (amount === 0 || price.numerator === 0n) return;
  const key = `${kind}|${price.numerator}|${price.denominator}|${rounding}`;
  const sum = sums.get(key) ?? { kind, price, rounding, quantity: 0n };
  sums.set(key, sum);
  sum.quantity += BigInt(amount) * BigInt(ms);
}

/** Both ends of a stretch, and what lies between them where a price begins or ends. */
function bordersIn(
  { versions, contracts }: PriceBook,
  windows: readonly PriceWindow[],
  fromAt: Instant,
  toAt: Instant,
): Instant[] {
  const at = new Set([fromAt, toAt]);
  for (const version of versions) at.add(version.fromAt);
  for (const each of [...contracts, ...windows]) at.add(each.fromAt).add(each.toAt);
  return [...at].filter((each) => each >= fromAt && each <= toAt).sort((a, b) => a - b);
}
