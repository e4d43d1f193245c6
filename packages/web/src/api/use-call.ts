import { type QueryClient, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { AnswerOf, RouteId } from "@tessera/wire";
import { flushSync } from "react-dom";
import { noteAct } from "../frame/attention.ts";
import { toast } from "../frame/toasts.tsx";
import { type Ask, call, isNotShown, isStale, wordsOf } from "./call.ts";

interface Options {
  readonly on?: boolean;
  /** How often to look again while the page is open. */
  readonly everyMs?: number;
  /** The caller tells of a refusal itself, or goes on without the answer: what stands around every page must not fall with it. */
  readonly mayFail?: boolean;
}

/**
 * A request to the API whose answer is cached for the next page that asks. While another question
 * is asked there is no answer: a page never shows an earlier answer under the words of the present question. The boundary
 * around the page shows a refusal that nothing on the page can mend.
 */
export function useCall<Id extends RouteId>(
  id: Id,
  ask: Ask<Id> = {},
  { on = true, everyMs, mayFail = false }: Options = {},
) {
  return useQuery({
    queryKey: [id, ask.at ?? {}, ask.query ?? {}],
    queryFn: ({ signal }) => call(id, { ...ask, signal }),
    enabled: on,
    // What is not asked for may have been refused before, on another page.
    throwOnError: on && !mayFail ? isNotShown : false,
    ...(everyMs !== undefined && { refetchInterval: everyMs }),
  });
}

interface After<Answer> {
  /**
   * Goes away from the page of a thing that the change deletes, before the page asks for it again; it is called even if
   * the page has noticed the deletion first.
   */
  readonly leave?: () => void;
  /** Takes the change back, and says what holds then; offered with the message. */
  readonly undo?: ((answer: Answer) => Promise<string>) | undefined;
}

/** A change through the API: says when it is done, and in the API's words when it was refused. */
export function useAct<Id extends RouteId>(
  id: Id,
  said?: (answer: AnswerOf<Id>) => string,
  { leave, undo }: After<AnswerOf<Id>> = {},
) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (ask: Ask<Id>) => call(id, ask),
    // By what the page knew before the change, which it may have read again before the answer comes.
    onMutate: () => undo,
    onSuccess: (answer, _, before) => {
      noteAct();
      if (said !== undefined) toast("good", said(answer), before && takingBack(queries, () => before(answer)));
      if (leave !== undefined) flushSync(leave);
      void queries.invalidateQueries();
    },
    onError: (error) => {
      toast("bad", wordsOf(error));
      // What the person goes by is not what there is: forms show what there is now, and keep what was typed.
      if (isStale(error)) void queries.invalidateQueries();
    },
  });
}

/** What Undo of a message does: the reverse of what was done, which says what holds then, or why it was refused. */
export function takingBack(queries: QueryClient, undo: () => Promise<string>): () => void {
  return async () => {
    try {
      const words = await undo();
      noteAct();
      toast("good", words);
    } catch (error) {
      toast("bad", wordsOf(error));
    }
    void queries.invalidateQueries();
  };
}
