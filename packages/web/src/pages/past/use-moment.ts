import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Moment } from "@tessera/wire";
import { call } from "../../api/call.ts";
import { useAddress } from "../../frame/address.ts";

interface ShownMoment {
  /** Whether the page shows another moment than now. */
  readonly isThen: boolean;
  /** Whether that moment is to come: then all is as planned. */
  readonly isPlanned: boolean;
  /** What was asked for, as the address has it. */
  readonly asked: string | undefined;
  /** While another one is on its way, the one before, which says itself when it is. */
  readonly moment: Moment | undefined;
  readonly error: Error | null;
}

const planEveryMs = 15_000;

/** The moment of the page: it is in the address, so that a link keeps it. */
export function useMoment(): ShownMoment {
  const [params] = useAddress();
  const asked = params.get("at") ?? undefined;
  const { data, error } = useQuery({
    queryKey: ["readMoment", asked],
    queryFn: ({ signal }) => call("readMoment", { query: { at: asked ?? "" }, signal }),
    enabled: asked !== undefined,
    placeholderData: keepPreviousData,
    // What was does not change; plans do.
    staleTime: (query) => (query.state.data?.planned === undefined ? Number.POSITIVE_INFINITY : 0),
    refetchInterval: (query) => (query.state.data?.planned === undefined ? false : planEveryMs),
    retry: false,
  });
  const isThen = asked !== undefined;
  const moment = isThen ? data : undefined;
  return { isThen, isPlanned: moment?.planned !== undefined, asked, moment, error: isThen ? error : null };
}
