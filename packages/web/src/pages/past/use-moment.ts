import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Moment } from "@tessera/wire";
import type { waitingReasons } from "@tessera/wire/reasons";
import { call } from "../../api/call.ts";
import { useAddress } from "../../frame/address.ts";

export interface ShownMoment {
  /** Whether the page shows another moment than now. */
  readonly isThen: boolean;
  /** Whether that moment is to come: then all is as planned. */
  readonly isPlanned: boolean;
  /** What was asked for, as the address has it. */
  readonly asked: string | undefined;
  /** While another one is on its way, the one before, which says itself when it is. */
  readonly moment: Moment | undefined;
  /** Whether what is shown is still of another moment or another account. */
  readonly isReading: boolean;
  readonly error: Error | null;
}

const planEveryMs = 15_000;
/** A moment of a large fleet is megabytes: those that the hand went over are soon forgotten. */
const keptMs = 20_000;

interface Asked {
  /** Only the jobs below it; empty = all. */
  readonly account?: string;
  /** Only jobs that waited for this reason. */
  readonly reason?: keyof typeof waitingReasons | undefined;
  /** A job to tell of, however many there were. */
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
    // What was does not change; plans do.
    staleTime: (query) => (query.state.data?.planned === undefined ? Number.POSITIVE_INFINITY : 0),
    refetchInterval: (query) => (query.state.data?.planned === undefined ? false : planEveryMs),
    retry: false,
  });
  const isThen = asked !== undefined;
  const moment = isThen ? data : undefined;
  const isReading = isPlaceholderData || isPending;
  return { isThen, isPlanned: moment?.planned !== undefined, asked, moment, isReading, error: isThen ? error : null };
}
