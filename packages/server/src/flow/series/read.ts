import { othersKey } from "@tessera/wire/others";
import type { SeriesFile } from "./file.ts";
import { LineSums } from "./line-sums.ts";
import { amountKey, divisorKey } from "./lines.ts";
import type { AccountGroup, RollUpAnswer, RollUpQuery } from "./query.ts";
import type { RollUps } from "./roll-ups.ts";
import { stepsOf } from "./steps.ts";
import { quantileOf, slotsMax } from "./waits.ts";

/** Answers from what is on the disk and from the hour that is under way. */
export function readRollUps(rollUps: RollUps, file: SeriesFile, asked: RollUpQuery): RollUpAnswer {
  const query = { ...asked, groups: asked.groups.flatMap((group) => withFormer(rollUps, group)) };
  const steps = stepsOf(query, rollUps.sampledUntil);
  const { stepMs, first, count } = steps;
  const reading = { rollUps, lineSums: new LineSums(rollUps, file, steps, asked.kind === "last"), query, count };
  const samples = samplesOf(reading);
  const open = Math.floor((rollUps.openMinute - first) / stepMs);
  const found = linesOf(reading);
  // A question for one line gets one, also if nothing was ever added to it.
  if (found.size === 0 && isOneLine(query))
    found.set(query.groups[0]!.key, new Float64Array(count).fill(nothing(query)));
  const lines = [...found].map(([key, amounts]) => {
    const values = amounts.map((amount, step) => valueIn(query.kind, amount, samples[step]!, step === open));
    return { key, values, size: values.reduce((sum, value) => (Number.isNaN(value) ? sum : sum + value), 0) };
  });
  lines.sort((a, b) => b.size - a.size || (a.key < b.key ? -1 : 1));
  const rests = new Set(query.groups.filter(isRest).map(({ key }) => key));
  const { shown = [], hidden = [] } = Object.groupBy(lines, (line) =>
    isShown(query, rests, line) ? "shown" : "hidden",
  );
  const left = shown.length - query.linesMax;
  // Quantiles do not add up.
  const isSum = typeof query.kind === "string";
  // Hidden lines count too: if the quotient of one is unknown, the sum of all others is.
  const answered =
    left > 0 && isSum ? withOthers([...shown, ...hidden], query.linesMax) : shown.slice(0, query.linesMax);
  return {
    stepMs,
    times: Array.from({ length: count }, (_, step) => first + step * stepMs),
    lines: answered.map(({ key, values }) => ({
      key,
      values: Array.from(values, (value) => (Number.isNaN(value) ? null : value)),
    })),
    leftOut: isSum ? 0 : Math.max(0, left),
  };
}

/** A group with its deleted accounts filled in; none if it would be empty. */
function withFormer(rollUps: RollUps, group: AccountGroup): AccountGroup[] {
  const below = (ids: readonly string[] = []) =>
    ids.flatMap((id) => [...(rollUps.line("former", id)?.keys.keys() ?? [])]);
  const plus = [...group.plus, ...below(group.plusFormerOf)];
  const minus = [...group.minus, ...below(group.minusFormerOf)];
  return plus.length === 0 ? [] : [{ ...group, plus, minus }];
}

/** A remainder, or deleted accounts: often empty, and then no line. */
function isRest({ minus, plusFormerOf }: AccountGroup): boolean {
  return minus.length > 0 || plusFormerOf !== undefined;
}

/**
 * The value of a step, given the sum in it. NaN, null in the answer, is unknown, which is not 0:
 *
 * | kind     | a minute of it was sampled           | only the minute under way is in it | neither |
 * |----------|--------------------------------------|------------------------------------|---------|
 * | gauge    | mean of its minutes, 0 if none added | NaN                                | NaN     |
 * | last     | that of the last one, 0 if none added | NaN                               | NaN     |
 * | counter  | sum, 0 if none added                 | sum so far                         | NaN     |
 * | quotient | quotient, NaN without a divisor      | NaN, nothing is divided yet        | NaN     |
 * | quantile | quantile, NaN if none counted        | of those so far                    | NaN     |
 */
function valueIn(kind: RollUpQuery["kind"], amount: number, samples: number, isUnderWay: boolean): number {
  if (kind === "gauge") return samples > 0 ? rounded(amount / samples) : Number.NaN;
  if (kind === "last") return samples > 0 ? amount : Number.NaN;
  if (kind === "counter") return samples > 0 || isUnderWay ? rounded(amount) : Number.NaN;
  // Quotients and quantiles are already NaN without amounts.
  return rounded(amount);
}

/** The sum of a line to which nothing was ever added. */
function nothing({ kind }: RollUpQuery): number {
  return kind === "quotient" ? Number.NaN : 0;
}

/** Whether the answer is a single sum. */
function isOneLine({ kind, byKey, groups }: RollUpQuery): boolean {
  return typeof kind === "string" && !byKey && groups.length === 1;
}

/**
 * Whether a line is in the answer. Empty remainders are not; nor are quotients without any known value, such as the limit
 * of an account without one, unless nothing else was asked for.
 */
function isShown(query: RollUpQuery, rests: ReadonlySet<string>, { key, values }: SummedLine): boolean {
  if (rests.has(key) && values.every((value) => value === 0 || Number.isNaN(value))) return false;
  return query.kind !== "quotient" || isOneLine(query) || !values.every(Number.isNaN);
}

interface SummedLine {
  readonly key: string;
  readonly values: Float64Array;
}

/** The first lines and the sum of all others, so that a stack keeps its height. */
function withOthers(lines: readonly SummedLine[], most: number): SummedLine[] {
  const [shown, rest] = [lines.slice(0, most - 1), lines.slice(most - 1)];
  const values = new Float64Array(rest[0]!.values);
  for (const line of rest.slice(1)) for (const step of values.keys()) values[step]! += line.values[step]!;
  return [...shown, { key: othersKey, values: values.map(rounded) }];
}

/** A millionth is less than any part of a GPU; a difference of sums is never quite 0. */
function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

interface Reading {
  readonly rollUps: RollUps;
  readonly lineSums: LineSums;
  readonly query: RollUpQuery;
  readonly count: number;
}

/** How many minutes of each step are known. */
function samplesOf({ rollUps, lineSums, count }: Reading): Float64Array {
  const sums = new Float64Array(count);
  const line = rollUps.line("samples", "");
  if (line !== undefined) lineSums.add(line, [{ sums, sign: 1 }], () => 0);
  return sums;
}

function linesOf(reading: Reading): Map<string, Float64Array> {
  const { kind, byKey } = reading.query;
  if (typeof kind === "object") return quantilesByGroup(reading, kind.quantile);
  if (kind === "quotient") return quotients(reading);
  return byKey ? sumsByKey(reading) : sumsByGroup(reading, 1, () => 0);
}

/** One line for each key, of all groups together. */
function sumsByKey(reading: Reading): Map<string, Float64Array> {
  const { rollUps, query, count } = reading;
  const places = new Map<string, number>();
  for (const account of groupsByAccount(query.groups).keys())
    for (const key of rollUps.line(query.name, account)?.keys.keys() ?? [])
      if (isAsked(query, key) && !places.has(key)) places.set(key, places.size);
  const groups = query.groups.map((group) => ({ ...group, key: "" }));
  const sums = sumsByGroup({ ...reading, query: { ...query, groups } }, places.size, (key) => places.get(key)!).get("");
  return new Map([...places].map(([key, no]) => [key, sums!.subarray(no * count, (no + 1) * count)]));
}

/**
 * Adds up the quotients of accounts, by account group or by key. NaN where the quotient of any of them is unknown.
 */
function quotients(reading: Reading): Map<string, Float64Array> {
  const { query, count } = reading;
  const accounts = [...groupsByAccount(query.groups)].map(([id, groups]) => ({ groups, sums: sumsOf(reading, id) }));
  const keys = new Set(accounts.flatMap(({ sums }) => [...sums.keys()].map(amountKey)));
  const found = new Map<string, Float64Array>();
  const add = (line: string, sign: 1 | -1, sums: ReadonlyMap<string, Float64Array>, of: Iterable<string>) => {
    const values = found.get(line) ?? new Float64Array(count);
    found.set(line, values);
    for (let step = 0; step < count; step++) values[step]! += sign * quotientAt(step, sums, of);
  };
  for (const { groups, sums } of accounts)
    for (const { group, sign } of groups)
      if (query.byKey) for (const key of keys) add(key, sign, sums, [key]);
      else add(group, sign, sums, keys);
  return found;
}

/** The sums of an account's keys that are asked for, with those of their divisors. */
function sumsOf({ rollUps, lineSums, query, count }: Reading, account: string): Map<string, Float64Array> {
  const line = rollUps.line(query.name, account);
  const keys = [...(line?.keys.keys() ?? [])].filter((key) => isAsked(query, amountKey(key)));
  const places = new Map(keys.map((key, no) => [key, no * count]));
  const sums = new Float64Array(keys.length * count);
  if (line !== undefined) lineSums.add(line, [{ sums, sign: 1 }], (key) => places.get(key));
  return new Map([...places].map(([key, first]) => [key, sums.subarray(first, first + count)]));
}

function quotientAt(step: number, sums: ReadonlyMap<string, Float64Array>, keys: Iterable<string>): number {
  let [amount, divisor] = [0, 0];
  for (const key of keys) {
    amount += sums.get(key)?.[step] ?? 0;
    divisor += sums.get(divisorKey(key))?.[step] ?? 0;
  }
  return amount / divisor;
}

/**
 * Quantiles do not add up, so counts are added up by slot and the quantile is read from them. Counts take a hundred times
 * the room of the answer: they are kept only for groups of several accounts.
 */
function quantilesByGroup(reading: Reading, part: number): Map<string, Float64Array> {
  const { rollUps, lineSums, query, count } = reading;
  const found = new Map<string, Float64Array>();
  const several = new Map<string, Float64Array>();
  const isAlone = new Set(
    query.groups.flatMap(({ key, plus, minus }) => (plus.length + minus.length === 1 ? key : [])),
  );
  const counts = new Float64Array(slotsMax * count);
  for (const [account, groups] of groupsByAccount(query.groups)) {
    const line = rollUps.line(query.name, account);
    if (line === undefined) continue;
    counts.fill(0);
    lineSums.add(line, [{ sums: counts, sign: 1 }], (key) => Number(key) * count);
    for (const { group, sign } of groups) {
      if (isAlone.has(group)) found.set(group, quantilesOf(counts, count, part));
      else {
        const sums = several.get(group) ?? new Float64Array(counts.length);
        several.set(group, sums);
        for (let at = 0; at < sums.length; at++) sums[at]! += sign * counts[at]!;
      }
    }
  }
  for (const [group, sums] of several) found.set(group, quantilesOf(sums, count, part));
  return found;
}

function quantilesOf(sums: Float64Array, count: number, part: number): Float64Array {
  const counts = new Float64Array(slotsMax);
  return Float64Array.from({ length: count }, (_, step) => {
    for (let slot = 0; slot < slotsMax; slot++) counts[slot] = sums[slot * count + step]!;
    return quantileOf(counts, part) ?? Number.NaN;
  });
}

/** Sums by account group: the steps of the first part of its keys, then those of the next part. */
function sumsByGroup(
  { rollUps, lineSums, query, count }: Reading,
  parts: number,
  partOf: (key: string) => number,
): Map<string, Float64Array> {
  const found = new Map<string, Float64Array>();
  for (const [account, groups] of groupsByAccount(query.groups)) {
    const line = rollUps.line(query.name, account);
    if (line === undefined || ![...line.keys.keys()].some((key) => isAsked(query, key))) continue;
    const into = groups.map(({ group, sign }) => {
      const sums = found.get(group) ?? new Float64Array(parts * count);
      found.set(group, sums);
      return { sums, sign };
    });
    lineSums.add(line, into, (key) => (isAsked(query, key) ? partOf(key) * count : undefined));
  }
  return found;
}

function isAsked(query: RollUpQuery, key: string): boolean {
  return query.key === undefined || query.key === key;
}

/** The groups that each account counts in, with its sign. */
function groupsByAccount(groups: readonly AccountGroup[]): Map<string, { group: string; sign: 1 | -1 }[]> {
  const found = new Map<string, { group: string; sign: 1 | -1 }[]>();
  const put = (account: string, group: string, sign: 1 | -1) => {
    const known = found.get(account);
    if (known === undefined) found.set(account, [{ group, sign }]);
    else known.push({ group, sign });
  };
  for (const { key, plus, minus } of groups) {
    for (const account of plus) put(account, key, 1);
    for (const account of minus) put(account, key, -1);
  }
  return found;
}
