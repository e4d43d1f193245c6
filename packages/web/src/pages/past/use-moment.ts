import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Moment } from "@tessera/wire";
import type { waitingReasons } from "@tessera/wire/reasons";
import { call, isForbidden } from "../../api/call.ts";
import { useAddress } from "../../frame/address.ts";

export interface ShownMoment {
  /** Whether the page shows another moment than now. */
  readonly isThen: boolean;
  /** Whether that moment is to come: then all is as planned. */
  readonly isPlanned: boolean;
  /** What was asked for, as the address has it. */
  readonly asked: string | undefined;
  /** While another one loads, the previous one. It holds its own time. */
  readonly moment: Moment | undefined;
  /** Whether the moment shown is still that of another question. */
  readonly isReading: boolean;
  readonly error: Error | null;
}

const planEveryMs = 15_000;
/** A moment of a large fleet takes megabytes, so those passed over are dropped soon. */
const keptMs = 20_000;

interface Asked {
  /** Only the jobs below it; empty = all. */
  readonly account?: string;
  /** Only jobs that waited for this reason. */
  readonly reason?: keyof typeof waitingReasons | undefined;
  /** A job that the answer includes even if the list is cut. */
  readonly job?: string | undefined;
}

/** The moment of the page: it is in the address, so that a link keeps it. */
export function useMoment({ account = "", reason, job }: Asked = {}): ShownMoment {
  const [params] = useAddress();
  const asked = params.get("at") ?? undefined;
  const { data, error, isPlaceholderData, isPending } = useQuery({
    queryKey: ["readMoment", asked, account, reason, job],
    queryFn: ({ signal }) => {
      const cut = { ...(account !== "" && { project: account }), ...(reason && { reason }), ...(job && { job }) };
      return call("readMoment", { query: { at: asked ?? "", ...cut }, signal });
    },
    enabled: asked !== undefined,
    placeholderData: keepPreviousData,
    gcTime: keptMs,
    // The past is final; plans change.
    staleTime: (query) => (query.state.data?.planned === undefined ? Number.POSITIVE_INFINITY : 0),
    refetchInterval: (query) => (query.state.data?.planned === undefined ? false : planEveryMs),
    retry: false,
    // The page is not for this role then; other errors are said where the moment is chosen.
    throwOnError: (failure: Error) => isForbidden(failure),
  });
  const isThen = asked !== undefined;
  const moment = isThen ? data : undefined;
  const isReading = isPlaceholderData || isPending;
  return { isThen, isPlanned: moment?.planned !== undefined, asked, moment, isReading, error: isThen ? error : null };
}
