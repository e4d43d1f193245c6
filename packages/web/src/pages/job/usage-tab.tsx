import type { Job } from "@tessera/wire";
import { useMay } from "../../api/me.tsx";
import { useCall } from "../../api/use-call.ts";
import { Card, Empty, Figure, Skeleton } from "../../design/parts.tsx";
import { gpuHoursOf, spellNumber, spellShare } from "../../format/numbers.ts";

/** GPU time that was held, by what it was held for. */
export function UsageTab({ job }: { job: Job }) {
  const may = useMay();
  const { data } = useCall(
    "readUsage",
    { query: { by: "account", account: job.project, job: job.id, from: job.submittedAt } },
    { on: may("usage.read"), everyMs: 10_000 },
  );
  if (data === undefined) return <Skeleton />;
  const { rows, total } = data;
  const states = new Map<string, bigint>();
  for (const { byState } of rows) {
    for (const [state, unitMs] of Object.entries(byState))
      states.set(state, (states.get(state) ?? 0n) + BigInt(unitMs));
  }
  if (rows.length === 0) {
    return (
      <Card>
        <Empty title="No usage yet" command={`npx tess usage --by job`} />
      </Card>
    );
  }
  return (
    <div className="grid">
      <div className="span-4">
        <Figure label="Held" value={spellNumber(gpuHoursOf(total))} unit="GPU-hours" beside="since it was submitted" />
      </div>
      {[...states].map(([state, unitMs]) => (
        <div className="span-4" key={state}>
          <Figure
            label={state}
            value={spellNumber(gpuHoursOf(unitMs.toString()))}
            unit="GPU-hours"
            beside={spellShare(Number(unitMs), Number(total))}
          />
        </div>
      ))}
    </div>
  );
}
