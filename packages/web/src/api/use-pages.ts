import { useInfiniteQuery } from "@tanstack/react-query";
import type { AnswerOf, PageOf, QueryOf, RouteId } from "@tessera/wire";
import { useMemo } from "react";
import { call, isNotShown } from "./call.ts";

/** Routes that answer a page of a list. */
export type PagedId = { [Id in RouteId]: AnswerOf<Id> extends PageOf<unknown> ? Id : never }[RouteId];
export type PagedItem<Id extends PagedId> = AnswerOf<Id> extends PageOf<infer Item> ? Item : never;

/** Some lists also say how long they are. */
type CountedPage<Item> = PageOf<Item> & { readonly total?: number };

/**
 * A list that is read page by page: the first at once, each other when `more` is called. The more pages have been
 * read, the less often all are read again, so that the number of requests stays level.
 */
export function usePages<Id extends PagedId>(id: Id, query: QueryOf<Id>, everyMs: number, on = true) {
  const { data, error, isFetching, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ["pages", id, query],
    queryFn: ({ pageParam, signal }) => {
      const cursor = pageParam === undefined ? {} : { cursor: pageParam };
      return call(id, { query: { ...(query as object), ...cursor } as QueryOf<Id>, signal }) as Promise<
        CountedPage<PagedItem<Id>>
      >;
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: CountedPage<PagedItem<Id>>) => page.next,
    refetchInterval: ({ state }) => everyMs * Math.max(1, state.data?.pages.length ?? 1),
    // Who comes to a page sees the list as it is, not as it was when the page was left.
    refetchOnMount: "always",
    enabled: on,
    throwOnError: on ? isNotShown : false,
  });
  const more = useMemo(
    () => (hasNextPage && !isFetchingNextPage ? () => void fetchNextPage() : undefined),
    [hasNextPage, isFetchingNextPage, fetchNextPage],
  );
  const items = useMemo(() => data?.pages.flatMap((page) => page.items), [data]);
  return {
    items,
    total: data?.pages[0]?.total,
    error,
    isFetching,
    isWhole: data !== undefined && !hasNextPage,
    more,
    retry: () => void refetch(),
  };
}
