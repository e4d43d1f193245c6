import { lazy, Suspense } from "react";
import { Link } from "wouter";
import { useMe } from "../../api/me.tsx";
import { useCall } from "../../api/use-call.ts";
import { OrElse } from "../../chart/fallback.tsx";
import { ReasonChip, StateChip } from "../../design/chip.tsx";
import { ButtonLink, Card, Empty, Figure, Skeleton, Time } from "../../design/parts.tsx";
import { count, spellGpus, spellNumber } from "../../format/numbers.ts";
import { spellSpan } from "../../format/times.ts";
import { QuotaRing } from "./quota-ring.tsx";

const OwnCharts = lazy(() => import("./own-charts.tsx"));

const failuresShown = 5;
const listed = 10;

/** The user's own jobs: running, waiting with their reasons, last failures, and the quota that is left. */
export function UserHome() {
  const me = useMe();
  const mine = { user: me.user, limit: listed };
  const every = { everyMs: 3_000 };
  const summary = useCall("readSummary", { query: { user: me.user } }, every).data;
  const running = useCall("listJobs", { query: { ...mine, state: "active" } }, every).data?.items;
  const waiting = useCall("listJobs", { query: { ...mine, state: "waiting" } }, every).data?.items;
  const failed = useCall("listJobs", { query: { ...mine, state: "unsuccessful", limit: failuresShown } }, every).data
    ?.items;
  const account = me.defaultProject ?? me.bindings[0]?.account ?? "";
  const own = useCall("getAccount", { at: { account } }, { ...every, on: account !== "" }).data;
  if (summary === undefined || running === undefined || waiting === undefined) {
    return (
      <div className="page">
        <h1>Home</h1>
        <Skeleton lines={8} />
      </div>
    );
  }
  return (
    <div className="page">
      <div className="head">
        <h1>My work</h1>
      </div>
      <div className="grid">
        <div className="span-3">
          <Figure
            label="Running"
            value={spellNumber(summary.running.jobs)}
            unit="jobs"
            beside={`on ${spellGpus(summary.running.gpus)}`}
          />
        </div>
        <div className="span-3">
          <Figure
            label="Waiting"
            value={spellNumber(summary.waiting.jobs)}
            unit="jobs"
            beside={`for ${spellGpus(summary.waiting.gpus)}`}
          />
        </div>
        <div className="span-6">{own !== undefined && <QuotaRing account={own} />}</div>
      </div>
      <div className="grid">
        <Card title="Running" className="span-6">
          {running.length === 0 ? (
            <Empty title="None of your jobs is running" command="npx tess run --gpus 1 -- echo hello">
              {me.may.includes("job.submit") && <ButtonLink href="/new">New job</ButtonLink>}
            </Empty>
          ) : (
            <ul className="list">
              {running.map((job) => (
                <li key={job.id}>
                  <Link href={`/jobs/${job.id}`} className="cut" style={{ flex: 1 }}>
                    {job.name}
                  </Link>
                  <span className="quiet small nowrap">{spellGpus(job.gpus)}</span>
                  <StateChip job={job} />
                  <span className="quiet small nowrap">
                    {job.startedAt && spellSpan(Date.now() - Date.parse(job.startedAt))}
                  </span>
                </li>
              ))}
              {summary.running.jobs > listed && (
                <li className="quiet">and {count(summary.running.jobs - listed, "job")} more</li>
              )}
            </ul>
          )}
        </Card>
        <Card title="Waiting" className="span-6" beside={<Link href="/queue">Queue</Link>}>
          {waiting.length === 0 ? (
            <Empty title="None of your jobs is waiting" />
          ) : (
            <ul className="list">
              {waiting.map((job) => (
                <li key={job.id}>
                  <Link href={`/jobs/${job.id}/why`} className="cut" style={{ flex: 1 }}>
                    {job.name}
                  </Link>
                  <span className="quiet small nowrap">{spellGpus(job.gpus)}</span>
                  <ReasonChip reason={job.reason} />
                </li>
              ))}
              {summary.waiting.jobs > listed && (
                <li className="quiet">and {count(summary.waiting.jobs - listed, "job")} more</li>
              )}
            </ul>
          )}
        </Card>
      </div>
      <Card title="Last failures">
        {failed === undefined ? (
          <Skeleton />
        ) : failed.length === 0 ? (
          <p className="quiet">None of your jobs has failed recently.</p>
        ) : (
          <ul className="list">
            {failed.map((job) => (
              <li key={job.id}>
                <Link href={`/jobs/${job.id}`}>{job.name}</Link>
                <StateChip job={job} />
                <span className="cut" style={{ flex: 1 }}>
                  {job.detail}
                </span>
                <span className="quiet small">{job.endedAt && <Time at={job.endedAt} />}</span>
              </li>
            ))}
          </ul>
        )}
      </Card>
      <OrElse instead={null}>
        <Suspense fallback={<Skeleton lines={6} />}>
          <OwnCharts />
        </Suspense>
      </OrElse>
    </div>
  );
}
