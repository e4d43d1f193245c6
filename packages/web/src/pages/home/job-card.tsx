import type { Job, JobOutlook } from "@tessera/wire";
import { Link } from "wouter";
import { ReasonChip, StateChip } from "../../design/chip.tsx";
import { useTick } from "../../design/tick.ts";
import { spellJobGpus } from "../../format/job-gpus.ts";
import { spellMoney } from "../../format/money.ts";
import { spellNumber } from "../../format/numbers.ts";
import { inZone, spellClock, spellSpan, spellStart } from "../../format/times.ts";
import { LastLine } from "./last-line.tsx";

const bases: Readonly<Record<NonNullable<JobOutlook["basis"]>, string>> = {
  expected_time: "by its expected_time",
  max_time: "by its max_time at the latest",
  "run-times": "by how long jobs like it took",
};

/** A job with how far it is, what it has cost, and what it last said. */
export function JobCard({ job, log = false }: { job: Job; log?: boolean }) {
  useTick(5_000);
  const { outlook, elements, cost, startedAt } = job;
  const isWaiting = job.state === "waiting";
  return (
    <li>
      <div className="row wrap">
        <Link href={isWaiting ? `/jobs/${job.id}/why` : `/jobs/${job.id}`} className="cut">
          {job.name}
        </Link>
        {elements === undefined && <StateChip job={job} />}
        {isWaiting && <ReasonChip reason={job.reason} />}
        <span className="quiet small nowrap">
          {spellJobGpus(job)}
          {startedAt !== undefined && !isWaiting && `, ${spellSpan(Date.now() - Date.parse(startedAt))}`}
          {cost !== undefined && cost.micros !== "0" && `, ${spellMoney(cost.micros, cost.currency)}`}
        </span>
      </div>
      {elements !== undefined && <Elements elements={elements} />}
      {outlook?.percent !== undefined && <Progress outlook={outlook} />}
      {isWaiting && (
        <p className="small">
          {inZone(job.reason?.detail ?? "")}{" "}
          {outlook?.start !== undefined && <strong>{spellStart(outlook.start)}.</strong>}
        </p>
      )}
      {log && elements === undefined && <LastLine job={job} />}
    </li>
  );
}

function Bar({ percent, label }: { percent: number; label: string }) {
  return (
    <div className="bar" role="img" aria-label={label}>
      <div className="part used" style={{ left: 0, width: `${percent}%` }} />
    </div>
  );
}

function Progress({ outlook: { percent = 0, endsAt, basis } }: { outlook: JobOutlook }) {
  const how = basis === undefined ? "" : ` (${bases[basis]})`;
  const ends = endsAt === undefined ? "" : `, ends about ${spellClock(endsAt)}${how}`;
  return (
    <>
      <Bar percent={percent} label={`${percent} % of its time`} />
      <p className="quiet small">
        {percent} % of its time{ends}
      </p>
    </>
  );
}

/** How many elements of an array are over, and how they ended. */
function Elements({ elements }: { elements: NonNullable<Job["elements"]> }) {
  const { size, waiting, active, succeeded, failed } = elements;
  const over = size - waiting - active;
  return (
    <>
      <Bar percent={(100 * over) / Math.max(1, size)} label={`${over} of ${size} elements are over`} />
      <p className="quiet small">
        {spellNumber(over)} of {spellNumber(size)} over: {spellNumber(succeeded)} succeeded, {spellNumber(failed)}{" "}
        failed; {spellNumber(active)} run, {spellNumber(waiting)} wait
      </p>
    </>
  );
}
