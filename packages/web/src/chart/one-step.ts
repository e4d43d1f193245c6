import type { SeriesView } from "@tessera/wire";

type Answer = Pick<SeriesView, "stepMs">;
/** Undefined: it has not come yet; null: the chart does without it. */
type Answers<Of extends Answer> = readonly (Of | undefined | null)[];

/**
 * The step in which answers have to be asked for again, so that they can be drawn in one chart: what is long ago, and
 * what was measured, is kept in other steps. Undefined where they have the same, or where one has not come yet.
 */
export function commonStep(answers: Answers<Answer>): number | undefined {
  const steps = answers.flatMap((answer) => (answer === null ? [] : answer?.stepMs));
  if (steps.includes(undefined) || new Set(steps).size < 2) return undefined;
  return Math.max(...steps.filter((step) => step !== undefined));
}

/** The answers that were asked for again; until they are there, those of before, if these can be drawn together. */
export function ofOneStep<Of extends Answer>(usual: Answers<Of>, again: Answers<Of>): Answers<Of> {
  if (again.every((answer) => answer !== undefined)) return again;
  return new Set(usual.flatMap((answer) => (answer === null ? [] : answer?.stepMs))).size < 2 ? usual : again;
}
