import { Link } from "wouter";
import { useCall } from "../../api/use-call.ts";
import { ReasonChip } from "../../design/chip.tsx";
import { Card, Empty, Skeleton, Time } from "../../design/parts.tsx";
import { spellJobGpus } from "../../format/job-gpus.ts";

const shown = 6;

/** The jobs of an account that have waited longest, with their reasons. */
export function WaitsLongest({ account }: { account: string }) {
  const query = {
    state: "waiting",
    sort: "submitted",
    limit: shown,
    ...(account !== "" && { project: account }),
  } as const;
  const jobs = useCall("listJobs", { query }, { everyMs: 10_000 }).data?.items;
  return (
    <Card title="Waits longest" className="span-6">
      {jobs === undefined ? (
        <Skeleton />
      ) : jobs.length === 0 ? (
        <Empty title="Nothing waits" />
      ) : (
        <ul className="list">
          {jobs.map((job) => (
            <li key={job.id}>
              <Link href={`/jobs/${job.id}/why`} className="cut" style={{ flex: 1 }}>
                {job.name}
              </Link>
              <span className="quiet small cut">{job.userName ?? job.user}</span>
              <span className="quiet small nowrap">{spellJobGpus(job)}</span>
              <ReasonChip reason={job.reason} />
              <span className="quiet small">
                <Time at={job.submittedAt} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
