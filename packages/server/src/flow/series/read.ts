import type { SeriesFile } from "./file.ts";
import { type LevelNo, levels } from "./levels.ts";
import type { RollUpAnswer, RollUpQuery } from "./query.ts";
import type { Line, RollUps } from "./roll-ups.ts";
import { quantileOf, slotsMax } from "./waits.ts";

const hour = 3_600_000;
const minute = 60_000;

/** Where a question is answered from: a level, and the steps of the answer. */
interface Steps {
  readonly level: LevelNo;
  readonly stepMs: number;
  readonly first: number;
  readonly count: number;
}

/** Answers from what is on the disk and from the hour that is under way. */
export function readRollUps(rollUps: RollUps, file: SeriesFile, query: RollUpQuery): RollUpAnswer {
  const steps = stepsOf(query, rollUps.sampledUntil);
  const { stepMs, first, count } = steps;
  // What is in an account and not below it is a difference: a line may count twice.
  const known = new Map<Line, Float64Array>();
  const sumOf = (line: Line) => {
    const sum = known.get(line) ?? sumLine(rollUps, file, steps, line);
    known.set(line, sum);
    return sum;
  };
  const samples = new Float64Array(count);
  for (const line of rollUps.byName.get("samples") ?? []) addInto(samples, sumOf(line), 1);
  // The minute that is under way has counts before it has samples.
  const open = Math.floor((rollUps.sampledUntil - first) / stepMs);
  const isKnown = (step: number) => samples[step]! > 0 || (query.kind !== "gauge" && step === open);
  const found =
    typeof query.kind === "object" ? quantiles(rollUps, query, count, sumOf) : sums(rollUps, query, count, sumOf);
  // Where all is one line, nothing is 0 and not unknown.
  const [only, ...others] = query.groups;
  if (found.size === 0 && typeof query.kind === "string" && !query.byKey && only !== undefined && others.length === 0)
    found.set(only.key, new Float64Array(count));
  const lines = [...found].flatMap(([key, amounts]) => {
    const values = Array.from(amounts, (amount, step) => {
      if (!isKnown(step) || Number.isNaN(amount)) return null;
      return rounded(query.kind === "gauge" ? amount / samples[step]! : amount);
    });
    const size = values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
    // What is in an account itself, and not below it, is often nothing.
    const isRest = query.groups.some((group) => group.key === key && group.minus.length > 0);
    return isRest && values.every((value) => (value ?? 0) === 0) ? [] : [{ key, values, size }];
  });
  lines.sort((a, b) => b.size - a.size || (a.key < b.key ? -1 : 1));
  return {
    stepMs,
    times: Array.from({ length: count }, (_, step) => first + step * stepMs),
    lines: lines.slice(0, query.linesMax).map(({ key, values }) => ({ key, values })),
    leftOut: Math.max(0, lines.length - query.linesMax),
  };
}

/** A millionth is less than any part of a GPU; a difference of sums is never quite 0. */
function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

/** The coarsest level whose steps make up the asked ones; coarser where the time asked for is no longer kept in it. */
function stepsOf({ from, to, stepMs: asked }: RollUpQuery, sampledUntil: number): Steps {
  const fits = ([3, 2, 1, 0] as const).find((level) => asked % levels[level].stepMs === 0) ?? 0;
  let level: LevelNo = fits;
  while (level < 2 && from < sampledUntil - levels[level].keptMs) level = level === 0 ? 1 : 2;
  const least = levels[level].stepMs;
  const stepMs = Math.ceil(asked / least) * least;
  const first = Math.floor(from / stepMs) * stepMs;
  return { level, stepMs, first, count: Math.max(1, Math.ceil((to - first) / stepMs)) };
}

function sums(rollUps: RollUps, query: RollUpQuery, count: number, sumOf: (line: Line) => Float64Array) {
  const found = new Map<string, Float64Array>();
  for (const [line, sign, key] of linesFor(rollUps, query)) {
    const into = found.get(key) ?? new Float64Array(count);
    found.set(key, into);
    addInto(into, sumOf(line), sign);
  }
  return found;
}

/** A quantile of waits cannot be added up: the counts of each slot are, and it is read from those. */
function quantiles(rollUps: RollUps, query: RollUpQuery, count: number, sumOf: (line: Line) => Float64Array) {
  const counts = new Map<string, Float64Array>();
  for (const [line, sign, key] of linesFor(rollUps, { ...query, byKey: false })) {
    const into = counts.get(key) ?? new Float64Array(count * slotsMax);
    counts.set(key, into);
    const slot = Number(line.key);
    const sum = sumOf(line);
    for (let step = 0; step < count; step++) into[step * slotsMax + slot]! += sign * sum[step]!;
  }
  const part = typeof query.kind === "object" ? query.kind.quantile : 0.5;
  const quantileAt = (of: Float64Array, step: number) =>
    quantileOf(of.subarray(step * slotsMax, (step + 1) * slotsMax), part) ?? Number.NaN;
  return new Map(
    [...counts].map(([key, of]) => [key, Float64Array.from({ length: count }, (_, step) => quantileAt(of, step))]),
  );
}

/** The lines that count, with their sign, and the line of the answer that they belong to. */
function* linesFor(rollUps: RollUps, { name, key, groups, byKey }: RollUpQuery): Generator<[Line, 1 | -1, string]> {
  const into = new Map<string, [1 | -1, string][]>();
  for (const group of groups) {
    for (const [accounts, sign] of [
      [group.plus, 1],
      [group.minus, -1],
    ] as const)
      for (const account of accounts) into.set(account, [...(into.get(account) ?? []), [sign, group.key]]);
  }
  for (const line of rollUps.byName.get(name) ?? []) {
    if (key !== undefined && line.key !== key) continue;
    for (const [sign, group] of into.get(line.account) ?? []) yield [line, sign, byKey ? line.key : group];
  }
}

function addInto(into: Float64Array, more: Float64Array, sign: 1 | -1): void {
  for (let step = 0; step < into.length; step++) into[step]! += sign * more[step]!;
}

/** A line summed up to the steps of the answer. */
function sumLine(rollUps: RollUps, file: SeriesFile, { level, stepMs, first, count }: Steps, line: Line): Float64Array {
  const sum = new Float64Array(count);
  const end = first + count * stepMs;
  const { openHour } = rollUps;
  const { stepMs: each } = levels[level];
  for (const [start, amounts] of file.chunks(level, line.id, first, Math.min(end, openHour))) {
    const last = Math.min(amounts.length, Math.ceil((Math.min(end, openHour) - start) / each));
    for (let at = Math.max(0, Math.floor((first - start) / each)); at < last; at++)
      sum[Math.floor((start + at * each - first) / stepMs)]! += amounts[at]!;
  }
  for (let at = Math.max(openHour, first); at < Math.min(end, openHour + hour); at += minute)
    sum[Math.floor((at - first) / stepMs)]! += line.minutes[(at - openHour) / minute]!;
  return sum;
}
