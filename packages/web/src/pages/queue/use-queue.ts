import type { Job, QueryOf, SummaryShape } from "@tessera/wire";
import { waitingReasons } from "@tessera/wire/reasons";
import { useMemo } from "react";
import { useCall } from "../../api/use-call.ts";
import { usePages } from "../../api/use-pages.ts";
import type { PagedList } from "../../table/paged.tsx";
import type { useMoment } from "../past/use-moment.ts";
import { lanesOf } from "./lanes.ts";

export type ReasonKind = keyof typeof waitingReasons;
export type Waiting = SummaryShape["waiting"];
export type JobSort = NonNullable<QueryOf<"listJobs">["sort"]>;

/** The waiting jobs as the page shows them. */
export interface Queue {
  /** Counted by the server. */
  readonly waiting: Waiting;
  /** At a past moment the list may be cut: `total` is how many there were. */
  readonly inOrder: PagedList<Job>;
  /** The jobs of a lane at a past moment; at present each lane asks for its own. */
  readonly laneJobs: ((account: string) => readonly Job[]) | undefined;
}

interface Read {
  /** Undefined until it has arrived. */
  readonly queue: Queue | undefined;
  readonly error: Error | null;
  readonly isFetching: boolean;
  readonly retry: () => void;
}

const everyMs = 3_000;

/** A reason of the address, which may be any text. */
export function reasonIn(text: string | null): ReasonKind | undefined {
  return (Object.keys(waitingReasons) as ReasonKind[]).find((kind) => kind === text);
}

/** The queue now, or as it was; what keeps a past one away is said by its moment. */
export function useQueue(
  { isThen, moment }: ReturnType<typeof useMoment>,
  reason: ReasonKind | undefined,
  account: string,
  sort: JobSort,
): Read {
  const of = account === "" ? {} : { project: account };
  const { data, error, isFetching, refetch } = useCall("readSummary", { query: of }, { on: !isThen, everyMs });
  const query = { state: "waiting", sort, limit: 100, ...of, ...(reason && { reason }) } as const;
  const inOrder = usePages("listJobs", query, everyMs, !isThen);
  const past = useMemo(() => (isThen && moment !== undefined ? pastQueue(moment) : undefined), [isThen, moment]);
  const now = data && { waiting: data.waiting, inOrder, laneJobs: undefined };
  return { queue: isThen ? past : now, error: isThen ? null : error, isFetching, retry: () => void refetch() };
}

/** What a moment shows has been read with it. */
const whole = { error: null, isFetching: false, isWhole: true, more: undefined, retry: () => {} };

type Moment = NonNullable<ReturnType<typeof useMoment>["moment"]>;

function pastQueue({ summary, jobs, waiting }: Moment): Queue {
  const lanes = lanesOf(jobs);
  return {
    waiting: summary,
    inOrder: { ...whole, items: jobs.filter((job) => job.state === "waiting"), total: waiting },
    laneJobs: (account) => lanes.find((lane) => lane.account === account)?.jobs ?? [],
  };
}
