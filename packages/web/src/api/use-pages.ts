import { useInfiniteQuery } from "@tanstack/react-query";
import type { AnswerOf, PageOf, QueryOf, RouteId } from "@tessera/wire";
import { call, isNotShown } from "./call.ts";

/** Routes that answer a page of a list. */
type PagedId = { [Id in RouteId]: AnswerOf<Id> extends PageOf<unknown> ? Id : never }[RouteId];
type ItemOf<Id extends PagedId> = AnswerOf<Id> extends PageOf<infer Item> ? Item : never;

/** A list that is read page by page: the first at once, each other when `more` is called. */
export function usePages<Id extends PagedId>(id: Id, query: QueryOf<Id>, everyMs: number) {
  const { data, isError, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ["pages", id, query],
    queryFn: ({ pageParam, signal }) => {
      const cursor = pageParam === undefined ? {} : { cursor: pageParam };
      return call(id, { query: { ...(query as object), ...cursor } as QueryOf<Id>, signal }) as Promise<
        PageOf<ItemOf<Id>>
      >;
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: PageOf<ItemOf<Id>>) => page.next,
    refetchInterval: everyMs,
    throwOnError: isNotShown,
  });
  return {
    items: data?.pages.flatMap((page) => page.items),
    isError,
    more: hasNextPage && !isFetchingNextPage ? () => void fetchNextPage() : undefined,
  };
}
