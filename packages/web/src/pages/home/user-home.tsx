import type { Job } from "@tessera/wire";
import { lazy, Suspense } from "react";
import { Link } from "wouter";
import { useLive } from "../../api/live.ts";
import { useMe } from "../../api/me.tsx";
import { OrElse } from "../../chart/fallback.tsx";
import { ReasonChip, StateChip } from "../../design/chip.tsx";
import { ButtonLink, Card, Empty, Figure, Skeleton, Time } from "../../design/parts.tsx";
import { count, spellGpus, spellNumber } from "../../format/numbers.ts";
import { spellSpan } from "../../format/times.ts";
import { QuotaRing } from "./quota-ring.tsx";

const OwnCharts = lazy(() => import("./own-charts.tsx"));

const failuresShown = 5;

/** The user's own jobs: running, waiting with their reasons, last failures, and the quota that is left. */
export function UserHome() {
  const me = useMe();
  const jobs = useLive("listJobs", { state: "all", user: me.user });
  const accounts = useLive("listAccounts", {});
  if (jobs === undefined) {
    return (
      <div className="page">
        <h1>Home</h1>
        <Skeleton lines={8} />
      </div>
    );
  }
  const running = jobs.filter(({ state }) => ["running", "starting", "stopping"].includes(state));
  const waiting = jobs.filter(({ state }) => state === "waiting");
  const failed = jobs
    .filter(({ state, outcome }) => state === "ended" && outcome !== "succeeded" && outcome !== "cancelled")
    .sort((a, b) => ((a.endedAt ?? "") < (b.endedAt ?? "") ? 1 : -1));
  const gpus = (list: readonly Job[]) => list.reduce((sum, job) => sum + job.gpus, 0);
  return (
    <div className="page">
      <div className="head">
        <h1>My work</h1>
      </div>
      <div className="grid">
        <div className="span-3">
          <Figure
            label="Running"
            value={spellNumber(running.length)}
            unit="jobs"
            beside={`on ${spellGpus(gpus(running))}`}
          />
        </div>
        <div className="span-3">
          <Figure
            label="Waiting"
            value={spellNumber(waiting.length)}
            unit="jobs"
            beside={`for ${spellGpus(gpus(waiting))}`}
          />
        </div>
        <div className="span-6">
          <QuotaRing accounts={accounts ?? []} />
        </div>
      </div>
      <div className="grid">
        <Card title="Running" className="span-6">
          {running.length === 0 ? (
            <Empty title="None of your jobs is running" command="npx tess run --gpus 1 -- echo hello">
              {me.may.includes("job.submit") && <ButtonLink href="/new">New job</ButtonLink>}
            </Empty>
          ) : (
            <ul className="list">
              {running.slice(0, 10).map((job) => (
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
              {running.length > 10 && <li className="quiet">and {count(running.length - 10, "job")} more</li>}
            </ul>
          )}
        </Card>
        <Card title="Waiting" className="span-6" beside={<Link href="/queue">Queue</Link>}>
          {waiting.length === 0 ? (
            <Empty title="None of your jobs is waiting" />
          ) : (
            <ul className="list">
              {waiting.slice(0, 10).map((job) => (
                <li key={job.id}>
                  <Link href={`/jobs/${job.id}/why`} className="cut" style={{ flex: 1 }}>
                    {job.name}
                  </Link>
                  <span className="quiet small nowrap">{spellGpus(job.gpus)}</span>
                  <ReasonChip reason={job.reason} />
                </li>
              ))}
              {waiting.length > 10 && <li className="quiet">and {count(waiting.length - 10, "job")} more</li>}
            </ul>
          )}
        </Card>
      </div>
      <Card title="Last failures">
        {failed.length === 0 ? (
          <p className="quiet">None of your jobs has failed recently.</p>
        ) : (
          <ul className="list">
            {failed.slice(0, failuresShown).map((job) => (
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
