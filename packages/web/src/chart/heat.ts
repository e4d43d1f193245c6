import type { SeriesView } from "@tessera/wire";

/** Lines as a picture of one row each: what is measured of many ranks at once. */
export interface Heat {
  readonly rows: readonly {
    readonly key: string;
    readonly label: string;
    readonly values: readonly (number | null)[];
  }[];
  readonly times: readonly number[];
  readonly stepMs: number;
  /** What the strip is as wide as; its steps begin at full ones, so that the first may lie before it. */
  readonly from: number;
  readonly to: number;
  readonly unit: string;
  /** What the brightest colour stands for. */
  readonly most: number;
  /** Rows that there are beside these. */
  readonly leftOut: number;
}

/** The colours of the ramp. */
export const heatSteps = 6;

/** Rows in the order of their numbers; shares go up to the whole, other measures up to the largest value. */
export function heatOf({ series, times, stepMs, unit, from, to, leftOut }: SeriesView): Heat {
  const rows = series.toSorted((a, b) => Number(a.key) - Number(b.key) || (a.key < b.key ? -1 : 1));
  let most = 0;
  for (const { values } of rows) for (const value of values) most = Math.max(most, value ?? 0);
  return { rows, times, stepMs, from, to, unit, leftOut, most: unit === "%" ? 100 : Math.max(1, most) };
}

/** Which colour of the ramp a value has; undefined = it was not measured, which is not 0. */
export function heatStep(value: number | null | undefined, most: number): number | undefined {
  if (value === null || value === undefined) return undefined;
  return Math.min(heatSteps - 1, Math.max(0, Math.floor((value / most) * heatSteps)));
}

/** The least, mean and most of what is known of a row. */
export function spreadOf(
  values: readonly (number | null)[],
): { least: number; mean: number; most: number } | undefined {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return undefined;
  const sum = known.reduce((all, value) => all + value, 0);
  return { least: Math.min(...known), mean: sum / known.length, most: Math.max(...known) };
}

const second = 1_000;
const hour = 3_600 * second;
const handySteps = [10, 30, 60, 300, 900, 3_600, 10_800, 21_600, 86_400].map((each) => each * second);
const columnsMax = 120;

/** A step that makes at most 120 columns of a time, as `GET /v1/series` takes it. */
export function heatStepOf(spanMs: number): string {
  const least = spanMs / columnsMax;
  const days = Math.ceil(least / (24 * hour)) * 24 * hour;
  return `${(handySteps.find((each) => each >= least) ?? days) / second}s`;
}
