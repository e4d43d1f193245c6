/** The mean; 0 of nothing. */
export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : sum(values) / values.length;
}

export function sum(values: readonly number[]): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/** The smallest value that at least this part of all does not exceed; 0 of nothing. */
export function quantile(values: readonly number[], part: number): number {
  if (values.length === 0) return 0;
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)]!;
}

/** Spread over seeds. */
export function deviation(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const middle = mean(values);
  return Math.sqrt(sum(values.map((value) => (value - middle) ** 2)) / (values.length - 1));
}

/** Jain's index: 1 when all are alike, 1/n when one has everything. */
export function jain(values: readonly number[]): number {
  const squares = sum(values.map((value) => value * value));
  return squares === 0 ? 1 : sum(values) ** 2 / (values.length * squares);
}

/** Milliseconds as seconds, to thousandths. */
export function seconds(ms: number): number {
  return rounded(ms / 1_000);
}

/** To thousandths. */
export function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
