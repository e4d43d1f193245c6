import type { Account } from "@tessera/wire";
import { Link } from "wouter";
import { useMe } from "../../api/me.tsx";
import { useCall } from "../../api/use-call.ts";
import { OrElse } from "../../chart/fallback.tsx";
import { StateChip } from "../../design/chip.tsx";
import { onDemand } from "../../design/on-demand.tsx";
import { ButtonLink, Card, Empty, Figure, Skeleton, Time } from "../../design/parts.tsx";
import { count, nounFor, spellGpus, spellNumber } from "../../format/numbers.ts";
import { inZone } from "../../format/times.ts";
import { useAccount } from "../../frame/account.ts";
import { useCarried } from "../../frame/carried.ts";
import { JobCard } from "./job-card.tsx";
import { LastLine } from "./last-line.tsx";
import { QuotaRing } from "./quota-ring.tsx";

const OwnCharts = onDemand(() => import("./own-charts.tsx"));

const failuresShown = 5;
const listed = 6;

/** Jobs with how far they are, what they cost and what they last said; last failures; the quota that is left. */
export function WorkHome({ mine }: { mine: boolean }) {
  const me = useMe();
  const account = useAccount();
  const carry = useCarried();
  const every = { everyMs: 3_000 };
  const cut = { ...(mine && { user: me.user }), ...(account !== "" && { project: account }) };
  const listedJobs = { ...cut, limit: listed, outlook: true, cost: true };
  const summary = useCall("readSummary", { query: cut }, every).data;
  const running = useCall("listJobs", { query: { ...listedJobs, state: "active" } }, every).data?.items;
  const waiting = useCall("listJobs", { query: { ...listedJobs, state: "waiting" } }, every).data?.items;
  const failed = useCall("listJobs", { query: { ...cut, state: "unsuccessful", limit: failuresShown } }, every).data
    ?.items;
  const quotaOf = account || (me.defaultProject ?? me.bindings[0]?.account ?? "");
  const own = useCall("getAccount", { at: { account: quotaOf } }, { ...every, on: quotaOf !== "" }).data;
  const held = useCall("readSummary", { query: { project: quotaOf } }, { ...every, on: quotaOf !== "" }).data?.fleet;
  if (summary === undefined || running === undefined || waiting === undefined) {
    return (
      <div className="page">
        <h1>Home</h1>
        <Skeleton lines={8} />
      </div>
    );
  }
  const whose = mine ? "of your jobs" : "of these jobs";
  const more = (all: number, state: string) =>
    all > listed && (
      <li className="quiet">
        <Link href={carry(`/jobs?state=${state}${mine ? "&mine=yes" : ""}`)}>
          and {count(all - listed, "job")} more
        </Link>
      </li>
    );
  return (
    <div className="page">
      <div className="head">
        <h1>{mine ? "My work" : `Work of ${account || placesOf(me.bindings)}`}</h1>
      </div>
      <Figures running={summary.running} waiting={summary.waiting} own={own} held={held} />
      <div className="grid">
        <Card title="Running" className="span-6">
          {running.length === 0 ? (
            <Empty title={`None ${whose} is running`} {...(mine && { command: "npx tess run --gpus 1 -- echo hello" })}>
              {mine && <ButtonLink href="/new">New job</ButtonLink>}
            </Empty>
          ) : (
            <ul className="job-cards">
              {running.map((job) => (
                <JobCard key={job.id} job={job} log />
              ))}
              {more(summary.running.jobs, "running")}
            </ul>
          )}
        </Card>
        <Card title="Waiting" className="span-6" beside={<Link href="/queue">Queue</Link>}>
          {waiting.length === 0 ? (
            <Empty title={`None ${whose} is waiting`} />
          ) : (
            <ul className="job-cards">
              {waiting.map((job) => (
                <JobCard key={job.id} job={job} />
              ))}
              {more(summary.waiting.jobs, "waiting")}
            </ul>
          )}
        </Card>
      </div>
      <Card title="Last failures">
        {failed === undefined ? (
          <Skeleton />
        ) : failed.length === 0 ? (
          <p className="quiet">None {whose} has failed recently.</p>
        ) : (
          <ul className="job-cards">
            {failed.map((job) => (
              <li key={job.id}>
                <div className="row wrap">
                  <Link href={`/jobs/${job.id}`}>{job.name}</Link>
                  <StateChip job={job} />
                  <span className="quiet small">{job.endedAt && <Time at={job.endedAt} />}</span>
                </div>
                {job.detail !== undefined && <p className="small">{inZone(job.detail)}</p>}
                <LastLine job={job} />
              </li>
            ))}
          </ul>
        )}
      </Card>
      <OrElse instead={null}>
        <OwnCharts />
      </OrElse>
    </div>
  );
}

function placesOf(bindings: readonly { readonly account: string }[]): string {
  return [...new Set(bindings.map(({ account }) => account || "the platform"))].join(", ");
}

interface FiguresProps {
  readonly running: { readonly jobs: number; readonly gpus: number };
  readonly waiting: { readonly jobs: number; readonly gpus: number };
  readonly own: Account | undefined;
  /** What the account holds, by class. */
  readonly held: { readonly guaranteed: number; readonly burst: number } | undefined;
}

function Figures({ running, waiting, own, held }: FiguresProps) {
  return (
    <div className="grid">
      <div className="span-3">
        <Figure
          label="Running"
          value={spellNumber(running.jobs)}
          unit={nounFor(running.jobs, "job")}
          beside={`on ${spellGpus(running.gpus)}`}
        />
      </div>
      <div className="span-3">
        <Figure
          label="Waiting"
          value={spellNumber(waiting.jobs)}
          unit={nounFor(waiting.jobs, "job")}
          beside={`for ${spellGpus(waiting.gpus)}`}
        />
      </div>
      <div className="span-6">{own !== undefined && held !== undefined && <QuotaRing account={own} held={held} />}</div>
    </div>
  );
}
