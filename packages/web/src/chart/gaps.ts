/** A sample is missing where the gap exceeds this multiple of the usual interval. */
const lateBy = 1.5;

/**
 * Values to draw. Undefined lets the line continue, where samples come less often than steps; null interrupts it, where
 * a sample is missing.
 */
export function bridged(values: readonly (number | null)[]): (number | null | undefined)[] {
  const known = values.flatMap((value, step) => (value === null ? [] : [step]));
  const distances = known.slice(1).map((step, i) => step - known[i]!);
  const usual = distances.toSorted((a, b) => a - b)[Math.floor((distances.length - 1) / 2)] ?? 1;
  const drawn: (number | null | undefined)[] = [...values];
  // Two samples are too few to infer the interval.
  if (usual === 1 || distances.length < 2) return drawn;
  for (const [i, distance] of distances.entries())
    if (distance <= usual * lateBy) drawn.fill(undefined, known[i]! + 1, known[i]! + distance);
  return drawn;
}
