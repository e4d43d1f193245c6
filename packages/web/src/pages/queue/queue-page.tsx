import type { Job } from "@tessera/wire";
import { waitingReasons } from "@tessera/wire/reasons";
import { useState } from "react";
import { Link } from "wouter";
import { wordsOf } from "../../api/call.ts";
import { useMay } from "../../api/me.tsx";
import { useCall } from "../../api/use-call.ts";
import { OrElse } from "../../chart/fallback.tsx";
import { Marked } from "../../chart/marked.ts";
import { ReasonChip, StateChip } from "../../design/chip.tsx";
import { colourOf } from "../../design/hues.ts";
import { meanings } from "../../design/meanings.ts";
import { onDemand } from "../../design/on-demand.tsx";
import { ButtonLink, Card, Empty, Figure, Notice, Skeleton, Span } from "../../design/parts.tsx";
import { jobGpus, spellJobGpus } from "../../format/job-gpus.ts";
import { count, nounFor, spellGpus, spellNumber } from "../../format/numbers.ts";
import { inZone, spellStart } from "../../format/times.ts";
import { useAccount } from "../../frame/account.ts";
import { useAddress } from "../../frame/address.ts";
import { useCarried } from "../../frame/carried.ts";
import type { Column } from "../../table/column.ts";
import { useLook } from "../../table/look.tsx";
import { NotRead, Paged, type PagedList } from "../../table/paged.tsx";
import { Views } from "../../table/views.tsx";
import {
  gpusColumn,
  idColumn,
  labelsColumn,
  nameColumn,
  priorityColumn,
  projectColumn,
  reasonColumn,
  sinceColumn,
  userColumn,
  waitedColumn,
} from "../jobs/job-columns.tsx";
import { LookElsewhere, TimeBar } from "../past/time-bar.tsx";
import { useMoment } from "../past/use-moment.ts";
import { UntilThen } from "../plan/until-then.tsx";
import { type JobSort, type ReasonKind, reasonIn, useQueue, type Waiting } from "./use-queue.ts";

const PlanPicture = onDemand(() => import("../plan/plan-picture.tsx"));
const QueueCharts = onDemand(() => import("./queue-charts.tsx"));

const columns: readonly Column<Job>[] = [
  nameColumn,
  projectColumn,
  userColumn,
  gpusColumn,
  reasonColumn,
  sinceColumn,
  priorityColumn,
  waitedColumn,
  labelsColumn,
  idColumn,
];
/** Beside the chosen job there is room for these. */
const besideChosen = [nameColumn, gpusColumn, reasonColumn];
const filters = ["reason"];
const usualSort = "priority-age";
const keyOf = ({ id }: Job) => id;

/** The columns at a past or coming moment, which is in no other order: how long a job had waited by then. */
function columnsAt(moment: string): readonly Column<Job>[] {
  const waited: Column<Job> = {
    ...waitedColumn,
    usual: true,
    show: ({ submittedAt }) => <Span from={submittedAt} to={moment} />,
  };
  return [
    nameColumn,
    projectColumn,
    userColumn,
    gpusColumn,
    reasonColumn,
    waited,
    priorityColumn,
    labelsColumn,
    idColumn,
  ].map(({ sort: _, ...column }) => column);
}

/** The waiting jobs, their order and reasons. The chosen job and reason are in the address. */
export function QueuePage() {
  const may = useMay();
  const account = useAccount();
  const [lit, setLit] = useState<Lit>();
  const [params, set] = useAddress();
  const reason = reasonIn(params.get("reason"));
  const chosen = params.get("job");
  const then = useMoment({ account, reason, job: chosen ?? undefined });
  const { isThen, isPlanned, asked, moment, isReading, error } = then;
  const { look, choice } = useLook(columns, { usualSort });
  const read = useQueue(then, reason, account, look.sort as JobSort);
  const hrefWith = (name: string, value: string | undefined) => {
    const next = new URLSearchParams(params);
    if (value === undefined) next.delete(name);
    else next.set(name, value);
    return `/queue?${next}`;
  };
  const { queue } = read;
  if (queue === undefined) {
    return (
      <div className="page">
        <h1>Queue</h1>
        {asked !== undefined && <TimeBar then={then} />}
        {read.error !== null ? (
          <NotRead error={read.error} busy={read.isFetching} onRetry={read.retry} />
        ) : (
          error === null && <Skeleton lines={8} />
        )}
      </div>
    );
  }
  const { waiting, inOrder, laneJobs } = queue;
  const lanes = waiting.byAccount;
  const shownColumns =
    moment !== undefined ? columnsAt(moment.at) : chosen !== null && look.columns === "" ? besideChosen : columns;
  const { oldestAt } = waiting;
  // Elements of an array under way wait for reasons too, and are in no list of waiting jobs.
  const reasons = waiting.byReason.filter(({ jobs }) => jobs > 0);
  const picture = (!isThen || isPlanned) && (
    <OrElse instead={null}>
      <PlanPicture lit={lit} moment={asked} />
    </OrElse>
  );
  return (
    <div className="page">
      <div className="head">
        <h1>Queue</h1>
        <div className="row wrap">
          {reasons.map(({ reason: kind, jobs: many }) => (
            <button
              key={kind}
              type="button"
              className="chip"
              aria-pressed={reason === kind}
              onClick={() => set({ reason: reason === kind ? "" : kind }, { push: true })}
            >
              <i className="mark square" style={{ background: colourOf(meanings.reason[kind]) }} />
              {waitingReasons[kind].title} <span className="quiet">{spellNumber(many)}</span>
            </button>
          ))}
          {!isThen && <LookElsewhere />}
        </div>
      </div>
      {asked !== undefined && <TimeBar then={then} />}
      <Views filters={filters} />
      <div className="grid">
        <div className="span-4">
          <Figure
            label="Waiting"
            value={spellNumber(waiting.jobs)}
            unit={nounFor(waiting.jobs, "job")}
            beside={`in ${count(waiting.accounts, "account")}`}
          />
        </div>
        <div className="span-4">
          <Figure
            label="GPUs asked for"
            value={spellNumber(waiting.gpus)}
            unit="GPUs"
            beside={lanes[0] === undefined ? "by no account" : `most: ${lanes[0].account}`}
          />
        </div>
        <div className="span-4">
          <Figure
            label="Longest wait"
            value={oldestAt === undefined ? "none" : <Span from={oldestAt} to={isThen ? moment!.at : undefined} />}
            beside={isPlanned ? "of all that will wait" : isThen ? "of all that waited" : "of all that wait now"}
          />
        </div>
      </div>
      {moment?.planned !== undefined && <UntilThen planned={moment.planned} />}
      {waiting.jobs === 0 ? (
        <>
          <Card>
            <Empty
              title={isPlanned ? "Nothing will be waiting" : isThen ? "Nothing was waiting" : "Nothing waits"}
              command="npx tess run --gpus 8 -- ./train.sh"
            >
              {may("job.submit") && (
                <ButtonLink href="/new" kind="primary">
                  New job
                </ButtonLink>
              )}
            </Empty>
          </Card>
          {picture}
        </>
      ) : (
        <>
          <Card
            title="Lanes"
            beside={<span className="quiet small">one per account, by priority, then age, as wide as its GPUs</span>}
          >
            <div className="stack tight">
              {lanes.slice(0, lanesShown).map((lane) => (
                <LaneRow
                  key={lane.account}
                  lane={lane}
                  jobs={laneJobs?.(lane.account)}
                  widest={lanes[0]!.gpus}
                  hrefOf={(id) => hrefWith("job", id)}
                  chosen={chosen}
                  onLook={setLit}
                />
              ))}
              {waiting.accounts > lanesShown && (
                <p className="quiet small">and {count(waiting.accounts - lanesShown, "account")} more</p>
              )}
            </div>
          </Card>
          {picture}
          <div className="grid">
            <Paged
              list={inOrder}
              noun={["job", "jobs"]}
              title={titleOf(reason, isThen || look.sort === usualSort)}
              className={chosen === null ? "span-12" : "span-7"}
              filters={filters}
              beside={
                <span className="row wrap">
                  {isThen && <FirstOf list={inOrder} />}
                  {choice}
                </span>
              }
              empty={<Empty title="None of them is in this list any more" />}
              table={{
                label: "Waiting jobs",
                columns: shownColumns,
                look,
                keyOf,
                hrefOf: ({ id }) => hrefWith("job", id),
                current: chosen ?? undefined,
                about: JSON.stringify([reason, account, moment?.at]),
                height: 560,
              }}
            />
            {chosen !== null && (
              <div className="span-5 chosen">
                <Chosen
                  id={chosen}
                  job={[moment?.job, ...(inOrder.items ?? [])].find((job) => job?.id === chosen)}
                  then={isThen ? (isPlanned ? "planned" : "past") : undefined}
                  isReading={isReading}
                  closeHref={hrefWith("job", undefined)}
                />
              </div>
            )}
          </div>
        </>
      )}
      <OrElse instead={null}>
        <Marked value={moment && Date.parse(moment.at)}>
          <QueueCharts />
        </Marked>
      </OrElse>
    </div>
  );
}

function titleOf(reason: ReasonKind | undefined, isUsual: boolean): string {
  const order = isUsual ? "by priority, then age" : "waiting jobs";
  const title = reason === undefined ? order : `waiting: ${waitingReasons[reason].title}${isUsual ? `, ${order}` : ""}`;
  return `${title[0]!.toUpperCase()}${title.slice(1)}`;
}

/** A job that is pointed at. */
type Lit = Pick<Job, "id" | "name">;

const lanesShown = 12;
const chipsShown = 16;
const chipsEveryMs = 10_000;

interface LaneProps {
  readonly lane: Waiting["byAccount"][number];
  /** Of a past moment; at present they are asked for. */
  readonly jobs: readonly Job[] | undefined;
  readonly widest: number;
  readonly hrefOf: (id: string) => string;
  readonly chosen: string | null;
  /** Told the job that is pointed at; undefined = none any more. */
  readonly onLook: (job: Lit | undefined) => void;
}

function LaneRow({ lane, jobs, widest, hrefOf, chosen, onLook }: LaneProps) {
  const query = {
    state: "waiting",
    sort: "priority-age",
    project: lane.account,
    own: true,
    limit: chipsShown,
  } as const;
  const now = useCall("listJobs", { query }, { on: jobs === undefined, everyMs: chipsEveryMs }).data?.items;
  const next = (jobs ?? now ?? []).slice(0, chipsShown);
  const rest = lane.gpus - next.reduce((sum, job) => sum + jobGpus(job), 0);
  return (
    <div className="lane">
      <span className="cut small">{lane.account}</span>
      <div className="lane-jobs" style={{ width: `${Math.max(6, (100 * lane.gpus) / Math.max(1, widest))}%` }}>
        {next.map((job) => (
          <Link
            key={job.id}
            href={hrefOf(job.id)}
            className={`lane-job ${job.priority > 0 ? "high" : ""}`}
            style={{ flexGrow: Math.max(1, jobGpus(job)) }}
            title={`${job.name}: ${spellJobGpus(job)}, ${inZone(job.reason?.detail ?? "")}`}
            aria-label={`${job.name}, ${spellJobGpus(job)}`}
            onPointerEnter={() => onLook(job)}
            onPointerLeave={() => onLook(undefined)}
            onFocus={() => onLook(job)}
            onBlur={() => onLook(undefined)}
            {...(chosen === job.id && { "aria-current": "true" as const })}
          />
        ))}
        {lane.jobs > next.length && rest > 0 && (
          <span
            className="lane-job"
            style={{ flexGrow: rest, opacity: 0.4 }}
            title={`${count(lane.jobs - next.length, "job")} more: ${spellGpus(rest)}`}
          />
        )}
      </div>
      <span className="quiet small nowrap">
        <span className="many">{count(lane.jobs, "job")}, </span>
        {spellGpus(lane.gpus)}
      </span>
    </div>
  );
}

/** How many of the jobs of a past moment a list has that is cut. */
function FirstOf({ list: { items = [], total = items.length } }: { list: PagedList<Job> }) {
  if (items.length === total) return null;
  return (
    <span className="quiet small">
      the first {spellNumber(items.length)} of {count(total, "job")}
    </span>
  );
}

/** What a job did at a past moment, or is planned to do. */
function wordsThen(job: Job | undefined, then: "past" | "planned"): string {
  if (job?.state === "waiting") return job.reason?.detail ?? (then === "past" ? "It waited." : "It will wait.");
  if (job !== undefined) return then === "past" ? "It did not wait: it held GPUs." : "It will hold GPUs.";
  return then === "past" ? "It was not there, or had ended." : "It is planned to have ended by then.";
}

/** The chosen job beside the list: why it waits, when it starts, what is ahead. */
function Chosen(props: {
  id: string;
  job: Job | undefined;
  then: "past" | "planned" | undefined;
  isReading: boolean;
  closeHref: string;
}) {
  const { id, job, then, isReading, closeHref } = props;
  const carry = useCarried();
  const { data: why, error } = useCall("explainJob", { at: { job: id } }, { on: then === undefined, everyMs: 5_000 });
  return (
    <Card
      title={job?.name ?? id}
      beside={
        <Link href={closeHref} className="small">
          Close
        </Link>
      }
    >
      {then !== undefined && job === undefined && isReading ? (
        <Skeleton />
      ) : then !== undefined ? (
        <div className="stack tight">
          {job?.state === "waiting" ? <ReasonChip reason={job.reason} /> : job && <StateChip job={job} />}
          <p>{inZone(wordsThen(job, then))}</p>
          <ButtonLink href={carry(`/jobs/${id}`)}>Open the job</ButtonLink>
        </div>
      ) : error !== null ? (
        <Notice kind="bad">{wordsOf(error)}</Notice>
      ) : why === undefined ? (
        <Skeleton />
      ) : why.state !== "waiting" ? (
        <div className="stack tight">
          <p className="quiet">The job no longer waits: it is {why.state}.</p>
          <ButtonLink href={carry(`/jobs/${id}`)}>Open the job</ButtonLink>
        </div>
      ) : (
        <div className="stack tight">
          <div className="row wrap">
            <ReasonChip reason={why.reason} />
            {why.position !== undefined && (
              <span className="quiet small">
                {why.position === 1
                  ? "next for the scheduler"
                  : `number ${spellNumber(why.position)} for the scheduler`}
              </span>
            )}
          </div>
          <p>{inZone(why.reason?.detail ?? "Nothing prevents its start.")}</p>
          <p className="quiet">{spellStart(why.start)}</p>
          {why.aheadBy !== undefined && (
            <p className="quiet small">
              Ahead: {count(why.aheadBy.account.guaranteed + why.aheadBy.account.burst, "job")} in its own account,{" "}
              {spellNumber(why.aheadBy.others.guaranteed + why.aheadBy.others.burst)} in others. Jobs inside a guarantee
              are first, then accounts with the smaller share; priority and age count inside an account.
            </p>
          )}
          <div className="row wrap">
            <ButtonLink href={carry(`/jobs/${id}/why`)} kind="primary">
              Why it waits, and what would help
            </ButtonLink>
            <ButtonLink href={carry(`/jobs/${id}`)}>Open the job</ButtonLink>
          </div>
        </div>
      )}
    </Card>
  );
}
