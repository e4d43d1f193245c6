import type { SeriesView } from "@tessera/wire";

type Answer = Pick<SeriesView, "stepMs">;
/** Undefined = still loading; null = failed, and the chart is drawn without it. */
type Answers<Of extends Answer> = readonly (Of | undefined | null)[];

/**
 * The longest step of several answers, in which all have to be asked for again: older data, and measured data, is kept in
 * other steps. Undefined if they agree already, or if one is still loading.
 */
export function commonStep(answers: Answers<Answer>): number | undefined {
  const steps = answers.flatMap((answer) => (answer === null ? [] : answer?.stepMs));
  if (steps.includes(undefined) || new Set(steps).size < 2) return undefined;
  return Math.max(...steps.filter((step) => step !== undefined));
}

/** The repeated answers once all are there; until then the first ones, if they have one step. */
export function ofOneStep<Of extends Answer>(usual: Answers<Of>, again: Answers<Of>): Answers<Of> {
  if (again.every((answer) => answer !== undefined)) return again;
  return new Set(usual.flatMap((answer) => (answer === null ? [] : answer?.stepMs))).size < 2 ? usual : again;
}
