import { useQueries } from "@tanstack/react-query";
import type { SeriesView } from "@tessera/wire";
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
/** While the server still reads an old journal. */
const readingEveryMs = 3_000;

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
      enabled: on,
      refetchInterval: ({ state }: { state: { data?: SeriesView } }) =>
        state.data?.knownTo === undefined ? (everyMs ?? false) : readingEveryMs,
    })),
  });
  const error = found.find((each) => each.error !== null)?.error ?? null;
  const views = found.map(({ data }) => data);
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
  // What was before moves along with what is now, but nobody waits for it.
  const isShort = lengthOf(range) <= 6 * hour && !before;
  const everyMs = "name" in range ? (isShort ? 10_000 : 60_000) : undefined;
  return useSeries(asks, queryOf(range, before), everyMs, on);
}
