import type { Job } from "@tessera/wire";
import { Link } from "wouter";
import { Card, Skeleton } from "../../design/parts.tsx";
import { compareAddress } from "../compare/address.ts";
import { useRunsBefore } from "./run-before.ts";
import { SpecDiff } from "./spec-diff.tsx";

/** The job file as it was understood, and what is different from the run before of the same name. */
export default function SpecTab({ job }: { job: Job }) {
  const runs = useRunsBefore(job);
  if (runs === undefined) return <Skeleton lines={6} />;
  const [before] = runs;
  return (
    <Card
      title={before === undefined ? "As it was understood" : `Compared with ${before.id}`}
      beside={before !== undefined && <Link href={compareAddress(before.id, job.id)}>Compare the runs</Link>}
    >
      <SpecDiff before={before} job={job} />
    </Card>
  );
}
