/** The candidate that a mistyped word most likely meant; undefined when none is close. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(word.length * 0.4));
  let best: string | undefined;
  let bestDistance = limit + 1;
  for (const candidate of candidates) {
    const distance = distanceBetween(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Edits from one word to the other, where swapping two neighbours counts once. */
function distanceBetween(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= one.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const same = one[row - 1] === other[column - 1];
      const swapped = row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      line.push(
        Math.min(
          rows[row - 1]![column]! + 1,
          line[column - 1]! + 1,
          rows[row - 1]![column - 1]! + (same ? 0 : 1),
          swapped ? rows[row - 2]![column - 2]! + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    rows.push(line);
  }
  return rows[one.length]![other.length]!;
}
