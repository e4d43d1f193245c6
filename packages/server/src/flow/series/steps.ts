import { type LevelNo, levels } from "./levels.ts";
import type { RollUpQuery } from "./query.ts";

/** Where a question is answered from: a level, and the steps of the answer. */
export interface Steps {
  readonly level: LevelNo;
  readonly stepMs: number;
  readonly first: number;
  readonly count: number;
}

/** The coarsest level whose steps make up the asked ones; coarser where the time asked for is no longer kept in it. */
export function stepsOf({ from, to, stepMs: asked }: RollUpQuery, sampledUntil: number): Steps {
  const fits = ([3, 2, 1, 0] as const).find((level) => asked % levels[level].stepMs === 0) ?? 0;
  let level: LevelNo = fits;
  while (level < 2 && from < sampledUntil - levels[level].keptMs) level = level === 0 ? 1 : 2;
  const least = levels[level].stepMs;
  const stepMs = Math.ceil(asked / least) * least;
  const first = Math.floor(from / stepMs) * stepMs;
  return { level, stepMs, first, count: Math.max(1, Math.ceil((to - first) / stepMs)) };
}
