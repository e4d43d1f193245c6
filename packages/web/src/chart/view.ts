import type { SeriesView } from "@tessera/wire";
import { othersKey } from "@tessera/wire/others";
import { count, spellNumber } from "../format/numbers.ts";
import { spellSpan } from "../format/times.ts";
import { coloursMax, hasMeaning, inOrder, othersColour, type Stroke, strokeOf, strokesOf } from "./colours.ts";
import { bridged } from "./gaps.ts";

export interface ChartLine extends Stroke {
  readonly key: string;
  readonly label: string;
  readonly values: readonly (number | null)[];
  /** Of the period before. */
  readonly ghost?: true;
  /** Between the low and the high line of a chart the space is filled. */
  readonly band?: "low" | "high";
}

/** What one chart shows. */
export interface ChartView {
  readonly unit: string;
  readonly from: number;
  readonly to: number;
  readonly stepMs: number;
  readonly times: readonly number[];
  readonly lines: readonly ChartLine[];
  readonly leftOut: number;
  readonly simulated: boolean;
  /** The journal is still being read, and has been up to here. */
  readonly knownTo?: number;
  /** The step whose values are told while no other is pointed at; absent = the newest. */
  readonly shown?: number;
}

export type Kind = "lines" | "stack" | "bars";

/** An answer, and what a line that stands for all is called. */
export interface Part {
  readonly view: SeriesView;
  readonly name?: string;
  readonly words?: (key: string) => string | undefined;
}

/**
 * Few enough lines to be told apart, in the order they had: what has a colour of its own, and as many more as there are
 * colours. Of lines those that reach highest; of a stack the largest, and all others as one, so that it stays as high.
 */
export function fewer(view: ChartView, kind: Kind): ChartView {
  const sizeOf = ({ values }: ChartLine) =>
    values.reduce<number>((size, value) => (kind === "lines" ? Math.max(size, value ?? 0) : size + (value ?? 0)), 0);
  const already = view.lines.filter(({ key }) => key === othersKey);
  const named = view.lines
    .filter((line) => !hasMeaning(line) && line.key !== othersKey)
    .sort((a, b) => sizeOf(b) - sizeOf(a));
  if (named.length <= coloursMax && already.length === 0) return view;
  const left = new Set([...named.slice(coloursMax), ...already]);
  const kept = view.lines.filter((line) => !left.has(line));
  const strokes = strokesOf(kept);
  const lines = kept.map((line, place) => ({ ...line, ...strokes[place]! }));
  if (kind === "lines") return { ...view, lines, leftOut: view.leftOut + left.size };
  const rest = { ...view, lines: [...left] };
  const values = view.times.map((_, step) => totalAt(rest, step));
  const [only] = left;
  const label = left.size === 1 ? only!.label : already.length > 0 ? "others" : count(left.size, "other");
  const others = { key: othersKey, label, values, colour: othersColour, dash: [] };
  return { ...view, lines: [...lines, others] };
}

/** Several answers as one chart: their steps need not begin at the same instant. */
export function joined(parts: readonly Part[], colours: "meaning" | "place" = "meaning"): ChartView | undefined {
  const [first] = parts;
  if (first === undefined) return undefined;
  const times = [...new Set(parts.flatMap(({ view }) => view.times))].sort((a, b) => a - b);
  const at = new Map(times.map((time, step) => [time, step]));
  const named = parts.flatMap(({ view, name, words }) =>
    inOrder(view.series).map((line) => {
      const values: (number | null)[] = times.map(() => null);
      for (const [step, time] of view.times.entries()) values[at.get(time)!] = line.values[step] ?? null;
      const label = (line.key === "" ? name : words?.(line.key)) ?? line.label;
      return { key: line.key === "" ? (name ?? "") : line.key, label, values };
    }),
  );
  // A limit that an account does not have is no line.
  const known = named.filter(({ values }) => values.some((value) => value !== null));
  const shown = known.length === 0 ? named : known;
  const knownTo = Math.min(...parts.map(({ view }) => view.knownTo ?? Number.POSITIVE_INFINITY));
  const strokes = colours === "place" ? shown.map((_, place) => strokeOf(place)) : strokesOf(shown);
  const { unit, stepMs } = first.view;
  return {
    ...{ unit, stepMs, times },
    from: Math.min(...parts.map(({ view }) => view.from)),
    to: Math.max(...parts.map(({ view }) => view.to)),
    lines: shown.map((line, place) => ({ ...line, ...strokes[place]! })),
    leftOut: parts.reduce((sum, { view }) => sum + view.leftOut, 0),
    simulated: parts.some(({ view }) => view.series.some(({ simulated }) => simulated === true)),
    ...(Number.isFinite(knownTo) && { knownTo }),
  };
}

/**
 * With the period before drawn behind it, moved to where this one is: line by line, or of a stack its sum. Steps of the
 * two periods lie apart by a whole number of steps or not; each goes to the step that holds it.
 */
export function compared(view: ChartView, before: ChartView | undefined, kind: Kind): ChartView {
  if (before === undefined) return view;
  const shift = view.from - before.from;
  const stepOf = (time: number) => Math.round((time + shift - (view.times[0] ?? 0)) / view.stepMs);
  const moved = (values: readonly (number | null)[]) => {
    const into: (number | null)[] = view.times.map(() => null);
    for (const [step, value] of values.entries()) {
      const to = stepOf(before.times[step]!);
      if (to >= 0 && to < into.length) into[to] = value;
    }
    return into;
  };
  const ghost = { ghost: true as const, dash: [3, 3] };
  if (kind !== "lines") {
    const values = moved(before.times.map((_, step) => totalAt(before, step)));
    const line = { ...ghost, key: "before", label: "all, period before", values, colour: "var(--quiet)" };
    return { ...view, lines: [...view.lines, line] };
  }
  const lines = view.lines.flatMap(({ key, label, colour }) => {
    const then = before.lines.find((line) => line.key === key);
    if (then === undefined) return [];
    return { ...ghost, key: `${key} before`, label: `${label}, period before`, values: moved(then.values), colour };
  });
  return { ...view, lines: [...view.lines, ...lines] };
}

/** The sum of all lines at a step; null where none is known. */
export function totalAt({ lines }: ChartView, step: number): number | null {
  let sum: number | null = null;
  for (const { values, ghost } of lines) {
    const value = values[step];
    if (ghost !== true && value !== null && value !== undefined) sum = (sum ?? 0) + value;
  }
  return sum;
}

/**
 * Times in seconds, then the values of what is drawn, in the order of drawing; null leaves a gap, because it is not 0. Of
 * a stack each line is drawn as the sum of itself and all before it, the highest first: the next covers its lower part.
 */
export function columnsOf(view: ChartView, kind: Kind): [number[], ...(number | null | undefined)[][]] {
  const times = view.times.map((at) => at / 1000);
  if (kind === "lines") return [times, ...view.lines.map(({ values }) => bridged(values))];
  const solid = view.lines.filter(({ ghost }) => ghost !== true);
  const sums: (number | null)[][] = [];
  for (const [place, { values }] of solid.entries()) {
    const below = sums[place - 1];
    sums.push(
      view.times.map((_, step) => {
        const value = values[step] ?? null;
        const under = below?.[step] ?? null;
        return value === null && under === null ? null : (value ?? 0) + (under ?? 0);
      }),
    );
  }
  const ghosts = view.lines.filter(({ ghost }) => ghost === true).map(({ values }) => [...values]);
  return [times, ...sums.reverse(), ...ghosts];
}

/** The lines in the order of `columnsOf`. */
export function drawnLines({ lines }: ChartView, kind: Kind): ChartLine[] {
  if (kind === "lines") return [...lines];
  const isGhost = ({ ghost }: ChartLine) => ghost === true;
  return [...lines.filter((line) => !isGhost(line)).reverse(), ...lines.filter(isGhost)];
}

/** Nothing is known of the whole span. */
export function isEmpty({ lines }: ChartView): boolean {
  return lines.every(({ values }) => values.every((value) => value === null));
}

/** What a line shows at a step, in words. */
export function valueText(values: readonly (number | null)[], step: number, unit: string): string {
  const value = values[step];
  if (value === null || value === undefined) return "not known";
  if (unit === "s") return spellSpan(value * 1_000);
  // Means of what is counted in whole ones: from a hundred on, parts say nothing.
  const digits = (unit === "GPUs" || unit === "jobs") && value >= 100 ? 1 : 100;
  return `${spellNumber(Math.round(value * digits) / digits)} ${unit}`;
}

/** The step to begin with: the newest in which any line has a value, -1 if none has. */
export function newestStep({ times, lines, shown }: ChartView): number {
  if (shown !== undefined) return shown;
  for (let step = times.length - 1; step >= 0; step--) {
    if (lines.some(({ values, ghost }) => ghost !== true && (values[step] ?? null) !== null)) return step;
  }
  return -1;
}

/** A row for each step, for a file. */
export function tableOf({ times, lines, unit }: ChartView): Record<string, string>[] {
  return times.map((at, step) => ({
    from: new Date(at).toISOString(),
    ...Object.fromEntries(lines.map(({ label, values }) => [`${label} (${unit})`, String(values[step] ?? "")])),
  }));
}
