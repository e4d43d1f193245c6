/** How several measurements of one thing lie. */
export interface Spread {
  readonly p50: number;
  readonly p95: number;
  readonly max: number;
  readonly n: number;
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (part: number) => round(sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0);
  return { p50: at(0.5), p95: at(0.95), max: at(1), n: sorted.length };
}

/** To one decimal. */
export function round(value: number): number {
  return Math.round(value * 10) / 10;
}
