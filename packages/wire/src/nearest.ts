/** The known name that was probably meant; undefined when none is close. */
export function nearestName(given: string, known: readonly string[]): string | undefined {
  const word = given.slice(0, 64).toLowerCase();
  let best: string | undefined;
  // Two letters wrong in a word of two make another word; in a longer one they are a slip.
  let bestSteps = Math.max(word.length < 3 ? 1 : 2, Math.round(word.length * 0.4)) + 1;
  for (const name of known) {
    const steps = stepsBetween(word, name.toLowerCase(), bestSteps);
    if (steps < bestSteps) [best, bestSteps] = [name, steps];
  }
  return best;
}

/** Letters to insert, drop, replace or swap with a neighbour; `enough` or more is not told apart. */
function stepsBetween(a: string, b: string, enough: number): number {
  if (Math.abs(a.length - b.length) >= enough) return enough;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let steps = Math.min(replaced, last[j]! + 1, row[j - 1]! + 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) steps = Math.min(steps, beforeLast[j - 2]! + 1);
      row.push(steps);
    }
    [beforeLast, last] = [last, row];
  }
  return last[b.length]!;
}
