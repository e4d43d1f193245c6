import type { SeriesLine, SeriesView } from "@tessera/wire";
import { spellNumber } from "../format/numbers.ts";

/** Okabe-Ito, those first that are easiest to tell apart on both backgrounds. */
const colours = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8f7a00", "#6a51a3"];
/** Beyond the colours lines repeat them with other dashes: colour alone would not tell them apart. */
const dashes: readonly (readonly number[])[] = [[], [6, 3], [2, 3], [8, 3, 2, 3]];

/** How the line of this place is drawn. */
export function strokeOf(place: number): { readonly colour: string; readonly dash: readonly number[] } {
  const round = Math.floor(place / colours.length);
  return { colour: colours[place % colours.length]!, dash: dashes[round % dashes.length]! };
}

/** Times in seconds, then the values of each line; null leaves a gap, because it is not 0. */
export function columnsOf({ times, series }: SeriesView): [number[], ...(number | null)[][]] {
  return [times.map((at) => at / 1000), ...series.map(({ values }) => [...values])];
}

/** Nothing was measured in the whole span. */
export function isEmpty({ series }: SeriesView): boolean {
  return series.every(({ values }) => values.every((value) => value === null));
}

export function isSimulated({ series }: SeriesView): boolean {
  return series.some(({ simulated }) => simulated === true);
}

/** What a line shows at a step, in words. */
export function valueText({ values }: SeriesLine, step: number, unit: string): string {
  const value = values[step];
  if (value === null || value === undefined) return "not measured";
  return `${spellNumber(Math.round(value * 100) / 100)} ${unit}`;
}

/** The newest step in which any line has a value; -1 if none has. */
export function newestStep({ times, series }: SeriesView): number {
  for (let step = times.length - 1; step >= 0; step--) {
    if (series.some(({ values }) => values[step] !== null)) return step;
  }
  return -1;
}
