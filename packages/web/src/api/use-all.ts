import { useQuery } from "@tanstack/react-query";
import type { QueryOf, RouteId } from "@tessera/wire";
import { type Ask, callAll, isNotShown } from "./call.ts";

/** Every page of a list, for what has to be whole: a field in which one is chosen, or a list without a search. */
export function useAll<Id extends RouteId>(id: Id, { at = {}, query }: Pick<Ask<Id>, "at" | "query">, on = true) {
  return useQuery({
    queryKey: ["all of", id, at, query ?? {}],
    queryFn: ({ signal }) => callAll(id, { ...(query as object) } as QueryOf<Id>, { signal, at }),
    enabled: on,
    throwOnError: isNotShown,
  });
}
