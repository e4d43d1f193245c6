import { type LevelNo, levels } from "./levels.ts";
import type { RollUpQuery } from "./query.ts";

/** The level that answers a question, and the steps of the answer. */
export interface Steps {
  readonly level: LevelNo;
  readonly stepMs: number;
  readonly first: number;
  readonly count: number;
}

/** The coarsest level whose steps divide the asked one, or a coarser one that still keeps the time asked for. */
export function stepsOf({ kind, from, to, stepMs: asked }: RollUpQuery, sampledUntil: number): Steps {
  // A stored day has its last minute only when it is over; hours go on.
  const coarsest = kind === "last" ? ([2, 1, 0] as const) : ([3, 2, 1, 0] as const);
  const fits = coarsest.find((level) => asked % levels[level].stepMs === 0) ?? 0;
  let level: LevelNo = fits;
  while (level < 2 && from < sampledUntil - levels[level].keptMs) level = level === 0 ? 1 : 2;
  const least = levels[level].stepMs;
  const stepMs = Math.ceil(asked / least) * least;
  const first = Math.floor(from / stepMs) * stepMs;
  return { level, stepMs, first, count: Math.max(1, Math.ceil((to - first) / stepMs)) };
}
