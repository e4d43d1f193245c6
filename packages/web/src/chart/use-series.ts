import { useQueries } from "@tanstack/react-query";
import type { SeriesView } from "@tessera/wire";
import { useMemo } from "react";
import { type Ask, call } from "../api/call.ts";
import { commonStep, ofOneStep } from "./one-step.ts";
import { isUnderWay, lengthOf, queryOf, type Range } from "./range.ts";
import { type KnownPlaces, usePlaces } from "./use-places.ts";
import { type ChartView, type Drawing, joined } from "./view.ts";

export type SeriesQuery = NonNullable<Ask<"readSeries">["query"]>;

/** One question of a chart, and how its answer is drawn. */
export interface SeriesAsk extends Omit<SeriesQuery, "from" | "to">, Drawing {}

/** A time to ask for, and the interval of repeats. */
interface Period {
  readonly time: { readonly from?: string; readonly to?: string };
  /** False = final. */
  readonly everyMs: () => number | false;
}

const minute = 60_000;
const hour = 60 * minute;
/** While the server still reads an old journal. */
const readingEveryMs = 3_000;

/** A chart of a time, repeated while it goes on. */
export function useSeries(asks: readonly SeriesAsk[], time: Period["time"], everyMs: number | undefined) {
  const { view, error } = usePeriods(asks, { time, everyMs: () => everyMs ?? false }, undefined);
  return { view, error };
}

/** A chart of the page's range, and on request one of the period before it. */
export function useSeriesOf(asks: readonly SeriesAsk[], range: Range, compares = false) {
  const isShort = lengthOf(range) <= 6 * hour;
  const whileItGoesOn = (everyMs: number) => () => (isUnderWay(range, Date.now()) ? everyMs : false);
  const now = { time: queryOf(range), everyMs: whileItGoesOn(isShort ? 10_000 : minute) };
  // The period before moves along with the range; a minute of delay does not show.
  const before = { time: queryOf(range, true), everyMs: whileItGoesOn(minute) };
  return usePeriods(asks, now, compares ? before : undefined);
}

/** Charts of a period and of the one before; undefined while loading. */
function usePeriods(asks: readonly SeriesAsk[], now: Period, before: Period | undefined) {
  const places = usePlaces(asks.some(({ by }) => by === "account" || by === "team"));
  const usual = [useAnswers(asks, now), useAnswers(asks, before)] as const;
  const found = (before === undefined ? usual.slice(0, 1) : usual).flatMap(({ answers }) => answers);
  const step = commonStep(found);
  const [again, againBefore] = step === undefined ? [] : [now, before];
  const alike = [useAnswers(asks, again, step), useAnswers(asks, againBefore, step)] as const;
  const [shown, shownBefore] = [0, 1].map((no) => ofOneStep(usual[no]!.answers, alike[no]!.answers));
  const error = [...usual, ...alike].find((each) => each.error !== null)?.error ?? null;
  return { view: useJoined(asks, shown!, places), before: useJoined(asks, shownBefore!, places), error };
}

function useAnswers(asks: readonly SeriesAsk[], period: Period | undefined, stepMs?: number) {
  const found = useQueries({
    queries: asks.map(({ name: _, words: __, over: ___, only: ____, ...ask }) => {
      const query = { ...ask, ...period?.time, ...(stepMs !== undefined && { step: `${stepMs / 1_000}s` }) };
      return {
        queryKey: ["readSeries", {}, query],
        queryFn: ({ signal }: { signal: AbortSignal }) => call("readSeries", { query, signal }),
        enabled: period !== undefined,
        refetchInterval: ({ state }: { state: { data?: SeriesView } }) =>
          state.data?.knownTo !== undefined ? readingEveryMs : (period?.everyMs() ?? false),
      };
    }),
  });
  const errors = found.map(({ error }, no) => (asks[no]!.over ? null : error));
  // The cache keeps answers of disabled queries: these are not wanted. A failed line over a stack is left out.
  const answers = found.map(({ data, error }, no) =>
    period && data === undefined && error !== null && asks[no]!.over ? null : period && data,
  );
  return { answers, error: errors.find((error) => error !== null) ?? null };
}

function useJoined(
  asks: readonly SeriesAsk[],
  answers: readonly (SeriesView | undefined | null)[],
  places: KnownPlaces,
) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the answers are what changes
  return useMemo((): ChartView | undefined => {
    if (places === "loading") return undefined;
    if (answers.includes(undefined)) return undefined;
    const parts = answers.flatMap((view, no) => (view ? { view, ...asks[no]! } : []));
    return joined(parts, places);
  }, [...answers, places]);
}
