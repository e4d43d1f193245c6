import type { Job } from "@tessera/wire";
import { Link } from "wouter";
import { Card } from "../../design/parts.tsx";
import type { Difference } from "./rerun.ts";

/** In what the file differs from the run that it came from. */
export function Differs({ run, differences }: { run: Pick<Job, "id" | "name">; differences: readonly Difference[] }) {
  return (
    <Card title={`Compared with ${run.name}`} beside={<Link href={`/jobs/${run.id}`}>that run</Link>}>
      {differences.length === 0 ? (
        <p className="quiet">The same. Change a field to run it differently.</p>
      ) : (
        <ul className="stack tight">
          {differences.map(({ field, before, after }) => (
            <li key={field}>
              <strong>{field}</strong>: <code>{before ?? "default"}</code> → <code>{after ?? "default"}</code>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
