import { keepPreviousData, useQueries } from "@tanstack/react-query";
import { useMemo } from "react";
import { type Ask, call } from "../api/call.ts";
import { lengthOf, queryOf, type Range } from "./range.ts";
import { type ChartView, joined } from "./view.ts";

export type SeriesQuery = NonNullable<Ask<"readSeries">["query"]>;

/** One question of a chart, and what its line is called where it is one for all. */
export interface SeriesAsk extends Omit<SeriesQuery, "from" | "to"> {
  readonly name?: string;
  readonly words?: (key: string) => string | undefined;
}

const hour = 3_600_000;

/** What is measured or counted in a time, asked for again while it goes on. */
export function useSeries(
  asks: readonly SeriesAsk[],
  time: { readonly from?: string; readonly to?: string },
  everyMs: number | undefined,
  on = true,
  colours?: "meaning" | "place",
): { readonly view: ChartView | undefined; readonly error: Error | null } {
  const found = useQueries({
    queries: asks.map(({ name: _, words: __, ...query }) => ({
      queryKey: ["readSeries", {}, { ...query, ...time }],
      queryFn: ({ signal }: { signal: AbortSignal }) => call("readSeries", { query: { ...query, ...time }, signal }),
      placeholderData: keepPreviousData,
      enabled: on,
      ...(everyMs !== undefined && { refetchInterval: everyMs }),
    })),
  });
  const error = found.find((each) => each.error !== null)?.error ?? null;
  const views = found.map(({ data, isPlaceholderData }) => (isPlaceholderData ? undefined : data));
  const view = useMemo(
    () => {
      const parts = views.flatMap((each, no) => {
        const { name, words } = asks[no]!;
        return each === undefined ? [] : [{ view: each, ...(name !== undefined && { name }), ...(words && { words }) }];
      });
      return parts.length < asks.length ? undefined : joined(parts, colours);
    },
    // biome-ignore lint/correctness/useExhaustiveDependencies: the answers are what changes
    views,
  );
  return { view, error };
}

/** The same for the range of a page. */
export function useSeriesOf(asks: readonly SeriesAsk[], range: Range, before = false, on = true) {
  const live = "name" in range && !before;
  const everyMs = live ? (lengthOf(range) <= 6 * hour ? 10_000 : 60_000) : undefined;
  return useSeries(asks, queryOf(range, before), everyMs, on);
}
