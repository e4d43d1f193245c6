import { day, hour, minute } from "@tessera/core";

/** How fine roll-ups are, how many of them make one stored row, and for how long they are kept. */
export const levels = [
  { stepMs: minute, perChunk: 240, keptMs: 2 * day },
  { stepMs: 10 * minute, perChunk: 144, keptMs: 14 * day },
  { stepMs: hour, perChunk: 240, keptMs: 400 * day },
  // A quantile over months is read from how many waits had which length: by the hour these are too many values.
  { stepMs: day, perChunk: 100, keptMs: 400 * day },
] as const;
export type LevelNo = 0 | 1 | 2 | 3;
export const levelNos = [0, 1, 2, 3] as const;
export const coarsest = 3;
export const minutesPerHour = 60;

export function chunkMs(level: LevelNo): number {
  return levels[level].stepMs * levels[level].perChunk;
}

export function chunkStart(level: LevelNo, at: number): number {
  return Math.floor(at / chunkMs(level)) * chunkMs(level);
}
