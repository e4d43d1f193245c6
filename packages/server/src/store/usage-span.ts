/**
 * Finding what overlaps a time range is slow with an index on either end alone: a row of long ago may still reach
 * into the range. Rows are therefore kept by the power of two above their length, so that for each of these few
 * classes the ends of the wanted rows lie in one short range of the index.
 */
export const longestSpan = 44; // 2^44 ms are more than 500 years

/** The smallest s for which the length is below 2^s milliseconds. */
export function spanOf(fromAt: number, toAt: number): number {
  const lengthMs = toAt - fromAt;
  return lengthMs <= 0 ? 0 : Math.floor(Math.log2(lengthMs)) + 1;
}

/** All spans as SQL rows, for a join. */
export const spanRows = Array.from({ length: longestSpan + 1 }, (_, span) => `(${span}, ${2 ** span})`).join(",");
