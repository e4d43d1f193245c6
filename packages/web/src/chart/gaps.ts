/** Of samples that come later than this many times their usual distance, some are missing. */
const lateBy = 1.5;

/**
 * Values to be drawn: undefined where a line goes on, because samples come less often than steps, and null where it
 * stops, because nothing is known there.
 */
export function bridged(values: readonly (number | null)[]): (number | null | undefined)[] {
  const known = values.flatMap((value, step) => (value === null ? [] : [step]));
  const distances = known.slice(1).map((step, i) => step - known[i]!);
  const usual = distances.toSorted((a, b) => a - b)[Math.floor((distances.length - 1) / 2)] ?? 1;
  const drawn: (number | null | undefined)[] = [...values];
  // Of two samples nobody knows whether they are as far apart as usual.
  if (usual === 1 || distances.length < 2) return drawn;
  for (const [i, distance] of distances.entries())
    if (distance <= usual * lateBy) drawn.fill(undefined, known[i]! + 1, known[i]! + distance);
  return drawn;
}
