import { useQueries } from "@tanstack/react-query";
import type { QueryOf } from "@tessera/wire";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { useCall } from "../../api/use-call.ts";
import { isUnderWay, type Part, partsOf, type Range, timeOf } from "../../chart/range.ts";

const newestEveryMs = 60_000;
const wholeEveryMs = 30_000;
/** Late reports of use are rare. */
const pastEveryMs = 300_000;
/** Rows of the table, and of a step: a large fleet has 30,000 jobs a day. */
const rowsMax = 200;
const stepRowsMax = 50;

export interface UsageAsked {
  readonly by: "account" | "user" | "job" | "node";
  readonly range: Range;
  readonly account: string;
}

interface Query {
  readonly by: UsageAsked["by"];
  readonly account?: string;
}

/** Use in a range as a whole, by step, and in the same length of time before. */
export function useUsageDays({ by, range, account }: UsageAsked, compares: boolean) {
  const now = Date.now();
  const steps = partsOf(range, now);
  const lengthMs = steps.parts.length * steps.stepMs;
  const query = { by, ...(account !== "" && { account }) };
  const asked = { ...query, ...timeOf(range, now), limit: rowsMax };
  const whole = useCall("readUsage", { query: asked }, { ...(isUnderWay(range, now) && { everyMs: wholeEveryMs }) });
  const before = useCall("readUsage", { query: { ...query, ...timeOf(range, now, true), limit: 1 } });
  const partsBefore = steps.parts.map(({ from }) => ({ from: from - lengthMs, to: from - lengthMs + steps.stepMs }));
  const perStep = useEach(query, steps.parts, now, true);
  const perStepBefore = useEach(query, partsBefore, now, compares);
  return {
    ...{ steps, lengthMs, whole: whole.data, wholeError: whole.error, before: before.data },
    ...{ perStep: perStep.all, perStepBefore: compares ? perStepBefore.all : undefined },
    error: perStep.error ?? perStepBefore.error,
  };
}

/** A report for each part; undefined until all are there, because a missing part is not one without use. */
function useEach(query: Query, parts: readonly Part[], now: number, on: boolean) {
  const reports = useQueries({
    queries: parts.map((part) => ({
      // The running part ends later with each repeat, and keeps its key.
      queryKey: ["usage", query, part.from, part.to === now ? "now" : part.to],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        call("readUsage", { query: { ...query, ...queryOf(part, now), limit: stepRowsMax }, signal }),
      enabled: on,
      ...(part.to === now ? { refetchInterval: newestEveryMs } : { staleTime: pastEveryMs }),
    })),
  });
  const all = reports.flatMap(({ data }) => data ?? []);
  return {
    all: all.length === parts.length ? all : undefined,
    error: reports.find(({ error }) => error !== null)?.error ?? null,
  };
}

/** Without an end where the part ends now. */
function queryOf({ from, to }: Part, now: number) {
  return { from: new Date(from).toISOString(), ...(to !== now && { to: new Date(to).toISOString() }) };
}

/** Reads every row, however many there are. */
export function useWholeUsage({ by, range, account }: UsageAsked) {
  const [busy, setBusy] = useState(false);
  const read = async () => {
    setBusy(true);
    const query: QueryOf<"readUsage"> = {
      ...{ by, ...timeOf(range, Date.now()) },
      ...(account !== "" && { account }),
    };
    return call("readUsage", { query }).finally(() => setBusy(false));
  };
  return { read, busy };
}
