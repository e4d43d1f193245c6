import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { AnswerOf, RouteId } from "@tessera/wire";
import { toast } from "../frame/toasts.tsx";
import { type Ask, call, wordsOf } from "./call.ts";

interface Options {
  readonly on?: boolean;
  /** How often to look again while the page is open. */
  readonly everyMs?: number;
}

/** A request to the API whose answer is cached for the next page that asks. */
export function useCall<Id extends RouteId>(id: Id, ask: Ask<Id> = {}, { on = true, everyMs }: Options = {}) {
  return useQuery({
    queryKey: [id, ask.at ?? {}, ask.query ?? {}],
    queryFn: ({ signal }) => call(id, { ...ask, signal }),
    enabled: on,
    placeholderData: keepPreviousData,
    ...(everyMs !== undefined && { refetchInterval: everyMs }),
  });
}

/** A change through the API: says when it is done, and in the API's words when it was refused. */
export function useAct<Id extends RouteId>(id: Id, said?: (answer: AnswerOf<Id>) => string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (ask: Ask<Id>) => call(id, ask),
    onSuccess: (answer) => {
      if (said !== undefined) toast("good", said(answer));
      void queries.invalidateQueries();
    },
    onError: (error) => toast("bad", wordsOf(error)),
  });
}
