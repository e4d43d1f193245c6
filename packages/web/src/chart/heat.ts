import type { SeriesView } from "@tessera/wire";

/** A picture with one row for each rank. */
export interface Heat {
  readonly rows: readonly {
    readonly key: string;
    readonly label: string;
    readonly values: readonly (number | null)[];
  }[];
  readonly times: readonly number[];
  readonly stepMs: number;
  /** The time that the strip shows. Steps are aligned, so the first may begin earlier. */
  readonly from: number;
  readonly to: number;
  readonly unit: string;
  /** The value of the brightest colour. */
  readonly most: number;
  /** How many rows are not shown. */
  readonly leftOut: number;
}

/** How many colours the ramp has. */
export const heatSteps = 6;

/** Sorts rows by number. The ramp ends at 100 % for shares, and at the largest value for other measures. */
export function heatOf({ series, times, stepMs, unit, from, to, leftOut }: SeriesView): Heat {
  const rows = series.toSorted((a, b) => Number(a.key) - Number(b.key) || (a.key < b.key ? -1 : 1));
  let most = 0;
  for (const { values } of rows) for (const value of values) most = Math.max(most, value ?? 0);
  return { rows, times, stepMs, from, to, unit, leftOut, most: unit === "%" ? 100 : Math.max(1, most) };
}

/** The colour of a value in the ramp; undefined = not measured, which is not 0. */
export function heatStep(value: number | null | undefined, most: number): number | undefined {
  if (value === null || value === undefined) return undefined;
  return Math.min(heatSteps - 1, Math.max(0, Math.floor((value / most) * heatSteps)));
}

/** The least, mean and most of the known values of a row. */
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
