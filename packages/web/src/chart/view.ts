import type { SeriesView } from "@tessera/wire";
import { othersKey } from "@tessera/wire/others";
import { count, spellNumber } from "../format/numbers.ts";
import { spellAbout, spellClock } from "../format/times.ts";
import { isOfDays, stepText } from "./axis.ts";
import { ghostLook, inOrder, type Look, looksOf, othersLook, type Places } from "./colours.ts";
import { bridged, held } from "./gaps.ts";
import { timeOfSteps } from "./range.ts";
import { type StepValue, stepValueOf } from "./words.ts";

export interface ChartLine extends Look {
  readonly key: string;
  readonly label: string;
  readonly values: readonly (number | null)[];
  /** Its colour has a fixed meaning, so it is never added to the others. */
  readonly isMeant?: boolean;
  /** Of the period before. */
  readonly ghost?: true;
  /** The key of the line whose period before this is; absent = of all lines. */
  readonly before?: string;
  /** Drawn as a line over a stack, and no part of it. */
  readonly over?: true;
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
  /** What the value of a step is; absent = that at its begin. */
  readonly each?: StepValue;
  readonly lines: readonly ChartLine[];
  readonly leftOut: number;
  /** How many lines only the table has. */
  readonly hidden?: number;
  /** The lines are ranks; beyond the limit, the most and the least active ones are shown. */
  readonly ofRanks?: true;
  readonly simulated: boolean;
  /** The journal is still being read, and has been up to here. */
  readonly knownTo?: number;
  /** The step whose values are shown while no step is pointed at; absent = the newest. */
  readonly shown?: number;
}

export type Kind = "lines" | "stack" | "bars";

/** How an answer is drawn. */
export interface Drawing {
  /** The name of the line of all. */
  readonly name?: string;
  readonly words?: (key: string) => string | undefined;
  /** Drawn as a line over a stack, and no part of it. */
  readonly over?: true;
  /** Shows only the line with this key, such as one model. */
  readonly only?: string;
}

/** An answer, and how it is drawn. */
export interface Part extends Drawing {
  readonly view: SeriesView;
}

/** More lines than these are hard to tell apart. */
const namesMax = 8;

/** The lines of which only some can be drawn. */
function namedLines({ lines, ofRanks }: ChartView): ChartLine[] {
  if (ofRanks) return [];
  return lines.filter(({ isMeant, ghost, key }) => isMeant !== true && ghost !== true && key !== othersKey);
}

/** Whether people choose by name which lines are drawn. */
export function isCrowded(view: ChartView): boolean {
  return namedLines(view).length > namesMax;
}

function isNamed({ label }: ChartLine, text: string): boolean {
  return label.toLowerCase().includes(text.trim().toLowerCase());
}

/** Only lines with this text in their name. */
export function narrowed(view: ChartView, text: string): ChartView {
  return { ...view, lines: view.lines.filter((line) => isNamed(line, text)) };
}

/**
 * Limits the lines to those with a meaning and a few others, in their order: those that have values in most steps, and of
 * these the largest; in a stack with the sum of the rest as one more line, so that the height stays.
 */
export function fewer(view: ChartView, kind: Kind, text = ""): ChartView {
  const knownOf = ({ values }: ChartLine) => values.filter((value) => value !== null).length;
  const sizeOf = ({ values }: ChartLine) =>
    values.reduce<number>((size, value) => (kind === "lines" ? Math.max(size, value ?? 0) : size + (value ?? 0)), 0);
  const named = namedLines(view);
  const already = view.lines.filter(({ key }) => key === othersKey);
  if (named.length <= namesMax && already.length === 0) return view;
  const drawn = named
    .filter((line) => named.length <= namesMax || isNamed(line, text))
    .sort((a, b) => knownOf(b) - knownOf(a) || sizeOf(b) - sizeOf(a))
    .slice(0, namesMax);
  const left = new Set([...named.filter((line) => !drawn.includes(line)), ...already]);
  const keysLeft = new Set([...left].map(({ key }) => key));
  const lines = view.lines.filter((line) => !left.has(line) && !keysLeft.has(line.before ?? ""));
  if (kind === "lines") return { ...view, lines, hidden: left.size };
  const rest = { ...view, lines: [...left] };
  const values = view.times.map((_, step) => totalAt(rest, step));
  const [only] = left;
  const label = left.size === 1 ? only!.label : already.length > 0 ? "others" : count(left.size, "other");
  return { ...view, lines: [...lines, { key: othersKey, label, values, ...othersLook }] };
}

/** Micros are drawn in whole cents. */
const perCent = 10_000;

function shownValue(value: number | null | undefined, unit: string): number | null {
  if (value === null || value === undefined) return null;
  return unit === "micros" ? Math.round(value / perCent) / 100 : value;
}

/** An answer with one of its lines as the line of all. */
function onlyLine(view: SeriesView, only: string): SeriesView {
  const series = view.series.filter(({ key }) => key === only).map((line) => ({ ...line, key: "" }));
  return { ...view, by: "none", series };
}

/** Joins answers to one chart. Their steps may begin at different instants. */
export function joined(parts: readonly Part[], places?: Places): ChartView | undefined {
  const [first] = parts;
  if (first === undefined) return undefined;
  const times = [...new Set(parts.flatMap(({ view }) => view.times))].sort((a, b) => a - b);
  const at = new Map(times.map((time, step) => [time, step]));
  const named = parts.flatMap(({ view: whole, name, words, over, only }) => {
    const view = only === undefined ? whole : onlyLine(whole, only);
    return inOrder(view.series, view).map((line) => {
      const values: (number | null)[] = times.map(() => null);
      for (const [step, time] of view.times.entries()) values[at.get(time)!] = shownValue(line.values[step], view.unit);
      const label = (line.key === "" ? name : words?.(line.key)) ?? line.label;
      const key = line.key === "" ? (name ?? "") : line.key;
      return { metric: view.metric, by: view.by, key, label, values, ...(over && { over }) };
    });
  });
  // A limit that an account does not have is no line.
  const known = named.filter(({ values }) => values.some((value) => value !== null));
  const shown = known.length === 0 ? named : known;
  const knownTo = Math.min(...parts.map(({ view }) => view.knownTo ?? Number.POSITIVE_INFINITY));
  const looks = looksOf(shown, places);
  const { unit, stepMs, currency } = first.view;
  const to = Math.max(...parts.map(({ view }) => view.to));
  return {
    ...{ unit: unit === "micros" ? (currency ?? "") : unit, stepMs, times, each: stepValueOf(first.view.metric) },
    from: Math.min(...parts.map(({ view }) => view.from)),
    // Today's bar is as wide as the others.
    to: isOfDays({ stepMs }) ? Math.max(to, (times.at(-1) ?? 0) + stepMs) : to,
    lines: shown.map(({ metric: _, by: __, ...line }, no) => ({ ...line, ...looks[no]! })),
    leftOut: parts.reduce((sum, { view }) => sum + view.leftOut, 0),
    ...(first.view.by === "rank" && { ofRanks: true }),
    simulated: parts.some(({ view }) => view.series.some(({ simulated }) => simulated === true)),
    ...(Number.isFinite(knownTo) && { knownTo }),
  };
}

/**
 * Adds the period before as ghost lines, moved later by the length of the range: line by line, or the sum of a stack. Both
 * have steps of the same length; where their starts are not aligned, values go to the nearest step.
 */
export function compared(view: ChartView, before: ChartView | undefined, kind: Kind, lengthMs: number): ChartView {
  // Sums over steps of different lengths cannot be compared.
  if (before?.stepMs !== view.stepMs) return view;
  const stepOf = (time: number) => Math.round((time + lengthMs - (view.times[0] ?? 0)) / view.stepMs);
  const moved = (values: readonly (number | null)[]) => {
    const into: (number | null)[] = view.times.map(() => null);
    for (const [step, value] of values.entries()) {
      const to = stepOf(before.times[step]!);
      if (to >= 0 && to < into.length) into[to] = value;
    }
    return into;
  };
  const ghost = { ...ghostLook, ghost: true as const };
  if (kind !== "lines") {
    // An answer without lines says that there was nothing.
    const sumAt = (step: number) => (before.lines.length === 0 ? 0 : totalAt(before, step));
    const values = moved(before.times.map((_, step) => sumAt(step)));
    const line = { ...ghost, key: "before", label: "all, period before", values };
    return { ...view, lines: [...view.lines, line] };
  }
  const lines = view.lines.flatMap(({ key, label, colour }) => {
    const then = before.lines.find((line) => line.key === key);
    if (then === undefined) return [];
    return {
      ...ghost,
      key: `${key} before`,
      before: key,
      label: `${label}, period before`,
      values: moved(then.values),
      colour,
    };
  });
  return { ...view, lines: [...view.lines, ...lines] };
}

/** The sum of all lines at a step; null where none is known. */
export function totalAt({ lines }: ChartView, step: number): number | null {
  let sum: number | null = null;
  for (const line of lines) {
    const value = line.values[step];
    if (isStacked(line) && value !== null && value !== undefined) sum = (sum ?? 0) + value;
  }
  return sum;
}

/**
 * Times in seconds, then one column for each line in drawing order; null leaves a gap, because it is not 0. In a stack a
 * line is drawn as the sum of itself and those below it, the highest first, so that the next covers its lower part.
 * Negative values, such as credits, are stacked downwards from zero and hide nothing.
 */
export function columnsOf(view: ChartView, kind: Kind): [number[], ...(number | null | undefined)[][]] {
  const times = view.times.map((at) => at / 1000);
  const line = ({ values }: ChartLine) => (isSampled(view) ? bridged(values) : [...values]);
  if (kind === "lines") return [times, ...view.lines.map(line)];
  const above: (number | null)[] = view.times.map(() => null);
  const below = [...above];
  const sums = view.lines.filter(isStacked).map(({ values }) =>
    view.times.map((_, step) => {
      const value = values[step] ?? null;
      const side = value !== null && value < 0 ? below : above;
      if (value !== null) side[step] = (side[step] ?? 0) + value;
      return side[step] ?? null;
    }),
  );
  return [times, ...sums.reverse(), ...view.lines.filter((line) => !isStacked(line)).map(line)];
}

/** Whether a step without a value lies between samples; otherwise nothing happened in it. */
function isSampled({ each }: ChartView): boolean {
  return each !== "starts";
}

/** The value of each line where the cursor is: that of the last sample, where a line is drawn through it. */
export function valuesAt(view: ChartView, kind: Kind, step: number): (number | null)[] {
  const isHeld = (line: ChartLine) => isSampled(view) && (kind === "lines" || !isStacked(line));
  return view.lines.map((line) => (isHeld(line) ? held(line.values) : line.values)[step] ?? null);
}

function isStacked({ ghost, over }: ChartLine): boolean {
  return ghost !== true && over !== true;
}

/** The lines in the order of `columnsOf`. */
export function drawnLines({ lines }: ChartView, kind: Kind): ChartLine[] {
  if (kind === "lines") return [...lines];
  return [...lines.filter(isStacked).reverse(), ...lines.filter((line) => !isStacked(line))];
}

/** Whether no value is known. */
export function isEmpty({ lines }: ChartView): boolean {
  return lines.every(({ values }) => values.every((value) => value === null));
}

const twoDigits = { minimumFractionDigits: 2, maximumFractionDigits: 2 };

/** Units that are currencies are told by the three letters of their code. */
function isCurrency(unit: string): boolean {
  return /^[A-Z]{3}$/.test(unit);
}

/** A value with its unit. */
export function valueText(value: number | null, unit: string): string {
  if (value === null) return "not known";
  if (unit === "s") return spellAbout(value * 1_000);
  if (isCurrency(unit)) return `${value.toLocaleString(undefined, twoDigits)} ${unit}`;
  // Means of whole numbers: above a hundred, fractions say nothing.
  const digits = (unit === "GPUs" || unit === "jobs") && value >= 100 ? 1 : 100;
  return `${spellNumber(Math.round(value * digits) / digits)} ${unit}`;
}

/** The value of a step of a chart, or why there is none. */
export function textIn(view: ChartView, step: number, value: number | null): string {
  const isRead = view.knownTo === undefined || view.times[step]! < view.knownTo;
  return value === null && view.each === "starts" && isRead ? "none started" : valueText(value, view.unit);
}

/** A step of a chart in a sentence, for people who do not see it. */
export function sentenceOf(view: ChartView, kind: Kind, step: number): string {
  const values = valuesAt(view, kind, step);
  const words = view.lines.map(({ label }, no) => `${label} ${textIn(view, step, values[no] ?? null)}`);
  return `${stepText(view, step, kind)}: ${words.join(", ")}`;
}

/** The time of some steps, the first and the last included, in a sentence that says what can be done with it. */
export function chosenText(view: Pick<ChartView, "times" | "stepMs">, ...ends: readonly [number, number]): string {
  const { from, to } = timeOfSteps(view, ...ends);
  const [begin, end] = [from, to].map((at) => spellClock(new Date(at).toISOString()));
  return `${begin} to ${end} is chosen; Enter zooms, Escape drops it`;
}

/** What is left out, in words; undefined if nothing is. */
export function leftOutText({ lines, leftOut, hidden = 0, ofRanks }: ChartView): string | undefined {
  if (leftOut > 0 && ofRanks) return ranksText(lines.length, leftOut);
  if (hidden === 0) return leftOut > 0 ? `and ${count(leftOut, "smaller line")}` : undefined;
  const nowhere = leftOut > 0 ? `; ${count(leftOut, "smaller line")} left out` : "";
  return `and ${count(hidden, "more line")} in the table${nowhere}`;
}

/** How many ranks are shown, and which if not all are. */
export function ranksText(shown: number, leftOut: number): string {
  if (leftOut === 0) return count(shown, "rank");
  return `${spellNumber(shown)} of ${count(shown + leftOut, "rank")}: those that did most and least`;
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
