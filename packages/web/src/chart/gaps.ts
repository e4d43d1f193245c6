/** A sample is missing where the gap exceeds this multiple of the usual interval. */
const lateBy = 1.5;

/** The distances from each known value to the next, and the step of the first. */
function distancesOf(values: readonly (number | null)[]): { readonly first: number; readonly distances: number[] } {
  const known = values.flatMap((value, step) => (value === null ? [] : [step]));
  return { first: known[0] ?? -1, distances: known.slice(1).map((step, no) => step - known[no]!) };
}

/** How many steps a sample stands for: up to the next one, if none is missing. */
function reachOf(distances: readonly number[]): number {
  // Two samples are too few to infer the interval.
  if (distances.length < 2) return 1;
  const usual = distances.toSorted((a, b) => a - b)[Math.floor((distances.length - 1) / 2)]!;
  // Samples whose interval is no multiple of a step are now so many steps apart, now one more.
  const longer = distances.filter((distance) => distance === usual + 1).length;
  if (longer >= 2 && longer * 4 >= distances.length) return usual + 1;
  return usual === 1 ? 1 : Math.floor(usual * lateBy);
}

/**
 * Values to draw. Undefined lets the line continue, where samples come less often than steps; null interrupts it, where
 * a sample is missing.
 */
export function bridged(values: readonly (number | null)[]): (number | null | undefined)[] {
  const { first, distances } = distancesOf(values);
  const reach = reachOf(distances);
  const drawn: (number | null | undefined)[] = [...values];
  let at = first;
  for (const distance of distances) {
    if (distance <= reach) drawn.fill(undefined, at + 1, at + distance);
    at += distance;
  }
  return drawn;
}

/** Values with each sample repeated until the next one is due. */
export function held(values: readonly (number | null)[]): (number | null)[] {
  const last = values.findLastIndex((value) => value !== null);
  const due = last + reachOf(distancesOf(values).distances);
  let sample: number | null = null;
  return bridged(values).map((value, step) => {
    sample = value ?? sample;
    return value === undefined || (step > last && step < due) ? sample : value;
  });
}

/** The steps of values with no line to either side: they are drawn as points. */
export function alone(drawn: readonly (number | null | undefined)[]): number[] {
  const isKnown = (step: number, by: -1 | 1) => {
    let at = step + by;
    while (drawn[at] === undefined && at >= 0 && at < drawn.length) at += by;
    return (drawn[at] ?? null) !== null;
  };
  return drawn.flatMap((value, step) =>
    (value ?? null) !== null && !isKnown(step, -1) && !isKnown(step, 1) ? [step] : [],
  );
}
