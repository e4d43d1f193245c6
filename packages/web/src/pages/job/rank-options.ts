/** The ranks of a job, of which one is chosen. */
export function rankOptions(ranks: number): readonly (readonly [string, string])[] {
  return Array.from({ length: ranks }, (_, rank) => [String(rank), `rank ${rank}`]);
}
