import type { Job } from "@tessera/wire";
import { useState } from "react";
import { Link } from "wouter";
import { Button } from "../../design/parts.tsx";
import { LabelDialog } from "../jobs/label-dialog.tsx";

/** The labels of a job, each a link to the jobs that have it too. */
export function JobLabels({ job, mayChange }: { job: Job; mayChange: boolean }) {
  const [asking, setAsking] = useState(false);
  const labels = Object.entries(job.labels ?? {});
  if (labels.length === 0 && !mayChange) return null;
  return (
    <section className="small row wrap" aria-label="Labels">
      {labels.map(([key, value]) => (
        <Link key={key} className="chip" href={`/jobs?label=${encodeURIComponent(`${key}=${value}`)}`}>
          {key}={value}
        </Link>
      ))}
      {mayChange && (
        <Button small kind="plain" onClick={() => setAsking(true)}>
          {labels.length === 0 ? "Add a label" : "Change labels"}
        </Button>
      )}
      {asking && <LabelDialog jobs={[job]} onClose={() => setAsking(false)} onDone={() => {}} />}
    </section>
  );
}
