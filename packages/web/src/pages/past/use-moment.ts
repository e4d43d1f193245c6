import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { Moment } from "@tessera/wire";
import { call } from "../../api/call.ts";
import { useAddress } from "../../frame/address.ts";

interface ShownMoment {
  /** Whether the page shows the past. */
  readonly isPast: boolean;
  /** What was asked for, as the address has it. */
  readonly asked: string | undefined;
  /** Of the past; while another one is on its way, the one before, which says itself when it was. */
  readonly moment: Moment | undefined;
  readonly error: Error | null;
}

/** The moment of the page: it is in the address, so that a link keeps it. */
export function useMoment(): ShownMoment {
  const [params] = useAddress();
  const asked = params.get("at") ?? undefined;
  const { data, error } = useQuery({
    queryKey: ["readMoment", asked],
    queryFn: ({ signal }) => call("readMoment", { query: { at: asked ?? "" }, signal }),
    enabled: asked !== undefined,
    placeholderData: keepPreviousData,
    // What was does not change.
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const isPast = asked !== undefined;
  return { isPast, asked, moment: isPast ? data : undefined, error: isPast ? error : null };
}
