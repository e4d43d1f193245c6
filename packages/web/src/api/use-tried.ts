import { useQuery } from "@tanstack/react-query";
import type { BodyOf, RouteId } from "@tessera/wire";
import { useEffect, useState } from "react";
import { call } from "./call.ts";

/** Typing pauses for this long before the server is asked. */
const settleMs = 300;

/**
 * What would follow from what a form holds, as the server finds it without changing anything. The answer to an earlier
 * text is never shown; `ready` once there is one. `of` is what the answer depends on besides, such as a revision.
 */
export function useTried<Id extends RouteId>(
  id: Id,
  at: Readonly<Record<string, string>>,
  body: BodyOf<Id> | undefined,
  of = "",
) {
  const text = JSON.stringify([at, body]);
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), settleMs);
    return () => clearTimeout(timer);
  }, [text]);
  const { data, error, isFetching } = useQuery({
    queryKey: [id, settled, of],
    queryFn: ({ signal }) => call(id, { at, body: body!, signal }),
    enabled: body !== undefined && settled === text,
    retry: false,
  });
  const isOfText = settled === text && !isFetching && body !== undefined;
  return {
    data: isOfText ? data : undefined,
    error: isOfText ? error : null,
    ready: isOfText && data !== undefined,
  };
}
