const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** How fine roll-ups are, how many of them make one stored row, and for how long they are kept. */
export const levels = [
  { stepMs: minute, perChunk: 60, keptMs: 2 * day },
  { stepMs: 10 * minute, perChunk: 144, keptMs: 14 * day },
  { stepMs: hour, perChunk: 240, keptMs: 400 * day },
  // A quantile over months is read from a line for each length of a wait: by the hour these are too many rows.
  { stepMs: day, perChunk: 100, keptMs: 400 * day },
] as const;
export type LevelNo = 0 | 1 | 2 | 3;
export const levelNos = [0, 1, 2, 3] as const;

export function chunkStart(level: LevelNo, at: number): number {
  const { stepMs, perChunk } = levels[level];
  const length = stepMs * perChunk;
  return Math.floor(at / length) * length;
}
