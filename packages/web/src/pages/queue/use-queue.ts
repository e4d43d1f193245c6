import type { Job, SummaryShape } from "@tessera/wire";
import { waitingReasons } from "@tessera/wire/reasons";
import { useMemo } from "react";
import { useCall } from "../../api/use-call.ts";
import { usePages } from "../../api/use-pages.ts";
import type { useMoment } from "../past/use-moment.ts";
import { lanesOf } from "./lanes.ts";

export type ReasonKind = keyof typeof waitingReasons;
export type Waiting = SummaryShape["waiting"];

/** The waiting jobs as the page shows them. */
export interface Queue {
  /** Counted by the server. */
  readonly waiting: Waiting;
  readonly inOrder: readonly Job[] | undefined;
  /** How many jobs `inOrder` has in all, at a past moment; the list may be cut. */
  readonly inOrderMany: number | undefined;
  readonly more: (() => void) | undefined;
  /** The jobs of a lane at a past moment; at present each lane asks for its own. */
  readonly laneJobs: ((account: string) => readonly Job[]) | undefined;
}

const everyMs = 3_000;

/** A reason of the address, which may be any text. */
export function reasonIn(text: string | null): ReasonKind | undefined {
  return (Object.keys(waitingReasons) as ReasonKind[]).find((kind) => kind === text);
}

/** The queue now, or as it was; undefined until it has arrived. */
export function useQueue(
  { isThen, moment }: ReturnType<typeof useMoment>,
  reason: ReasonKind | undefined,
  account: string,
): Queue | undefined {
  const of = account === "" ? {} : { project: account };
  const now = useCall("readSummary", { query: of }, { on: !isThen, everyMs }).data?.waiting;
  const query = { state: "waiting", sort: "queue", limit: 100, ...of, ...(reason && { reason }) } as const;
  const { items, more } = usePages("listJobs", query, everyMs, !isThen);
  const past = useMemo(() => (isThen && moment !== undefined ? pastQueue(moment) : undefined), [isThen, moment]);
  if (isThen) return past;
  return now && { waiting: now, inOrder: items, inOrderMany: undefined, more, laneJobs: undefined };
}

type Moment = NonNullable<ReturnType<typeof useMoment>["moment"]>;

function pastQueue({ summary, jobs, waiting }: Moment): Queue {
  const lanes = lanesOf(jobs);
  return {
    waiting: summary,
    inOrder: jobs.filter((job) => job.state === "waiting"),
    inOrderMany: waiting,
    more: undefined,
    laneJobs: (account) => lanes.find((lane) => lane.account === account)?.jobs ?? [],
  };
}
