import type { Job } from "@tessera/wire";
import { useLive } from "../../api/live.ts";
import { Card, Skeleton } from "../../design/parts.tsx";
import { Rows } from "../../design/rows.tsx";
import { nameColumn, sinceColumn, stateColumn } from "../jobs/job-columns.tsx";

/** The elements of an array; each has its own page. */
export function Elements({ job }: { job: Job }) {
  const elements = useLive("listJobs", { state: "all", array: job.id });
  const { waiting = 0, active = 0, succeeded = 0, failed = 0 } = job.elements ?? {};
  return (
    <Card flush title={`${waiting} waiting, ${active} active, ${succeeded} succeeded, ${failed} failed`}>
      {elements === undefined ? (
        <Skeleton />
      ) : (
        <Rows
          label="Elements"
          items={elements}
          columns={[{ ...nameColumn, show: ({ id }) => id }, stateColumn, sinceColumn]}
          keyOf={({ id }) => id}
          hrefOf={({ id }) => `/jobs/${id}`}
        />
      )}
    </Card>
  );
}
