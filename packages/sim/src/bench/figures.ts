/** Several measurements of one thing. */
export interface Spread {
  readonly min: number;
  readonly median: number;
  readonly max: number;
}

export function spreadOf(values: readonly number[], digits = 0): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const round = (value: number) => Number(value.toFixed(digits));
  return { min: round(sorted[0]!), median: round(quantile(sorted, 0.5)), max: round(sorted.at(-1)!) };
}

/** The value below which `part` of the sorted values lie; between two of them, their weighted mean. */
export function quantile(sorted: readonly number[], part: number): number {
  const place = (sorted.length - 1) * part;
  const below = Math.floor(place);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below]! + (sorted[above]! - sorted[below]!) * (place - below);
}
