import type { Job } from "@tessera/wire";
import { stringify } from "yaml";
import { useCall } from "../../api/use-call.ts";
import { Card } from "../../design/parts.tsx";
import { diffLines } from "./diff.ts";

/** The job file as it was understood, and what is different from the run before of the same name. */
export default function SpecTab({ job }: { job: Job }) {
  const { data } = useCall("listJobs", { query: { name: job.name, project: job.project, state: "all", limit: 50 } });
  const before = data?.items.find(({ id, submittedAt }) => id !== job.id && submittedAt < job.submittedAt);
  const lines = stringify(job.spec).trimEnd().split("\n");
  const shown =
    before === undefined
      ? lines.map((text) => ({ sign: " " as const, text }))
      : diffLines(stringify(before.spec).trimEnd().split("\n"), lines);
  const signs = { " ": "same", "+": "came", "-": "gone" };
  return (
    <Card title={before === undefined ? "As it was understood" : `Compared with ${before.id}`}>
      <pre className="spec">
        {shown.map(({ sign, text }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other key, and all of them are rendered again
          <div key={i} className={signs[sign]}>{`${sign} ${text}`}</div>
        ))}
      </pre>
    </Card>
  );
}
