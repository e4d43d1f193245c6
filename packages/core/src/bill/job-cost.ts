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

/** GPU, core or memory time at one price. */
interface Sum {
  readonly kind: LineKey["kind"];
  readonly price: UnitPrice;
  readonly rounding: Rounding;
  quantity: bigint;
}

/**
 * What the usage of one job costs: its GPUs at the price of the job's class, its cores and its memory; unbilled states
 * cost nothing. The costs of jobs do not add up to an invoice: an account pays for its guarantee whether jobs use it or
 * not, and beyond it only for what no guarantee covers.
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
  const { rounding } = terms.version;
  const put = (kind: Sum["kind"], unitPrice: UnitPrice, amount: number): void => {
    if (amount === 0 || unitPrice.numerator === 0n) return;
    const key = `${kind}|${unitPrice.numerator}|${unitPrice.denominator}|${rounding}`;
    const sum = sums.get(key) ?? { kind, price: unitPrice, rounding, quantity: 0n };
    sums.set(key, sum);
    sum.quantity += BigInt(amount) * BigInt(ms);
  };
  put("burst", price, usage.gpus.length * usage.unitsEach);
  put("cpu", corePrice(terms), usage.cpusMilli);
  put("memory", memoryPrice(terms), usage.memoryMiB);
}

/** Both ends of a span, and every instant between them at which a price changes. */
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
