import { useQueries } from "@tanstack/react-query";
import type { QueryOf } from "@tessera/wire";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { useCall } from "../../api/use-call.ts";
import { lastDays } from "./days.ts";

const dayMs = 86_400_000;
const todayEveryMs = 60_000;
const wholeEveryMs = 30_000;
/** Use that is reported late is seldom. */
const pastEveryMs = 300_000;
/** Rows of the table, and of a day: a large fleet has 30,000 jobs a day. */
const rowsMax = 200;
const dayRowsMax = 50;

export interface UsageAsked {
  readonly by: "account" | "user" | "job" | "node";
  readonly days: number;
  readonly account: string;
}

/** What was used in the last days: as a whole, day by day, and in as many days before. */
export function useUsageDays({ by, days, account }: UsageAsked) {
  const spans = lastDays(days, Date.now());
  const from = spans[0]!.from;
  const query = { by, ...(account !== "" && { account }) };
  const whole = useCall("readUsage", { query: { ...query, from, limit: rowsMax } }, { everyMs: wholeEveryMs });
  const earlier = new Date(Date.parse(from) - days * dayMs).toISOString();
  const before = useCall("readUsage", { query: { ...query, from: earlier, to: from, limit: 1 } });
  const reports = useQueries({
    queries: spans.map((span, no) => ({
      // Today ends later each time it is asked for, and is the same question.
      queryKey: ["usage", by, account, span.from],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        call("readUsage", { query: { ...query, ...span, limit: dayRowsMax }, signal }),
      ...(no === spans.length - 1 ? { refetchInterval: todayEveryMs } : { staleTime: pastEveryMs }),
    })),
  });
  const perDay = reports.flatMap(({ data }) => data ?? []);
  return {
    ...{ spans, whole: whole.data, before: before.data },
    /** Undefined until all are there: a day that is missing is no day without use. */
    perDay: perDay.length === spans.length ? perDay : undefined,
    error: reports.find(({ error }) => error !== null)?.error ?? null,
  };
}

/** Reads every row, however many there are. */
export function useWholeUsage({ by, days, account }: UsageAsked) {
  const [busy, setBusy] = useState(false);
  const read = async () => {
    setBusy(true);
    const query: QueryOf<"readUsage"> = {
      ...{ by, from: lastDays(days, Date.now())[0]!.from },
      ...(account !== "" && { account }),
    };
    return call("readUsage", { query }).finally(() => setBusy(false));
  };
  return { read, busy };
}
