/** Millionths of a currency's unit. BigInt: a month of a large fleet in yen passes 2^53. */
export type Micros = bigint;

/** Amounts are shown in it while there is no price list. */
export const fallbackCurrency = "EUR";

/** Decimal places of currencies that do not have two (ISO 4217). */
const exponents: Readonly<Record<string, number>> = {
  ...{ BIF: 0, CLP: 0, DJF: 0, GNF: 0, ISK: 0, JPY: 0, KMF: 0, KRW: 0, PYG: 0, RWF: 0, UGX: 0, UYI: 0, VND: 0 },
  ...{ VUV: 0, XAF: 0, XOF: 0, XPF: 0, BHD: 3, IQD: 3, JOD: 3, KWD: 3, LYD: 3, OMR: 3, TND: 3 },
};

/** Decimal places of a payable amount in this currency. */
export function exponentOf(currency: string): number {
  return exponents[currency] ?? 2;
}

/** Micros of the smallest payable amount in this currency. */
export function minorMicros(currency: string): bigint {
  return 10n ** BigInt(6 - exponentOf(currency));
}

/** Puts a comma between thousands. */
function byThousands(whole: string): string {
  return whole.replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Micros as a decimal number with `digits` decimal places, at most six; ties are rounded away from zero. */
export function decimalText(micros: Micros, digits: number, group: (whole: string) => string = byThousands): string {
  const step = 10n ** BigInt(6 - digits);
  const rounded = divideRounded(micros, step, "half-up");
  const text = String(rounded < 0n ? -rounded : rounded).padStart(digits + 1, "0");
  const whole = group(text.slice(0, text.length - digits));
  return `${rounded < 0n ? "-" : ""}${whole}${digits === 0 ? "" : `.${text.slice(-digits)}`}`;
}

/** An amount for people: `1,234.50 EUR`. Amounts below the smallest payable one are shown with six decimal places. */
export function moneyText(micros: Micros, currency: string, group?: (whole: string) => string): string {
  const digits = exponentOf(currency);
  const size = micros < 0n ? -micros : micros;
  const shown = size > 0n && size < minorMicros(currency) ? 6 : digits;
  return `${decimalText(micros, shown, group)} ${currency}`;
}

/** Parses an unsigned decimal number with up to six decimal places as micros; undefined for anything else. */
export function readAmount(text: string): Micros | undefined {
  const match = /^(\d{1,18})(?:\.(\d{1,6}))?$/.exec(text);
  return match === null ? undefined : BigInt(match[1]!) * 1_000_000n + BigInt((match[2] ?? "").padEnd(6, "0"));
}

export const roundings = ["half-up", "half-even", "down", "up"] as const;
/** How a fraction is rounded: ties away from zero, ties to even, towards zero, away from zero. */
export type Rounding = (typeof roundings)[number];

/** `dividend / divisor`, rounded. Negative amounts round like positive ones, so a credit undoes a charge exactly. */
export function divideRounded(dividend: bigint, divisor: bigint, rounding: Rounding): bigint {
  const negative = dividend < 0n;
  const size = negative ? -dividend : dividend;
  const whole = size / divisor;
  const rest = size - whole * divisor;
  const result = rest > 0n && roundsAway(rest * 2n, divisor, whole, rounding) ? whole + 1n : whole;
  return negative ? -result : result;
}

function roundsAway(twice: bigint, divisor: bigint, whole: bigint, rounding: Rounding): boolean {
  switch (rounding) {
    case "down":
      return false;
    case "up":
      return true;
    case "half-up":
      return twice >= divisor;
    case "half-even":
      return twice > divisor || (twice === divisor && whole % 2n === 1n);
  }
}

/**
 * Divides `total` in proportion to `weights` so that the parts add up to it exactly: what is left after rounding down
 * goes one by one to the largest remainders, equal ones by index. If all weights are 0, all parts are 0.
 */
export function shareOut(total: bigint, weights: readonly bigint[]): bigint[] {
  let sum = 0n;
  for (const weight of weights) sum += weight;
  if (sum === 0n) return weights.map(() => 0n);
  const parts = weights.map((weight) => (total * weight) / sum);
  let left = total;
  for (const part of parts) left -= part;
  const byRemainder = weights
    .map((weight, i) => ({ i, rest: (total * weight) % sum }))
    .sort((a, b) => (a.rest === b.rest ? a.i - b.i : a.rest > b.rest ? -1 : 1));
  for (let k = 0; left > 0n; k++, left--) parts[byRemainder[k]!.i]! += 1n;
  return parts;
}
