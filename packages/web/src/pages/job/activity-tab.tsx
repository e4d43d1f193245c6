import type { Job } from "@tessera/wire";
import { Chart } from "../../chart/chart.tsx";
import { Empty } from "../../design/parts.tsx";

/** What its GPUs and its processes did, by rank, from its first start on. */
export function ActivityTab({ job }: { job: Job }) {
  const from = job.attempts?.find(({ startedAt }) => startedAt !== undefined)?.startedAt ?? job.startedAt;
  if (from === undefined) return <Empty title="It has not started yet" />;
  const over = job.endedAt !== undefined;
  const of = {
    job: job.id,
    by: "rank" as const,
    from,
    ...(job.endedAt !== undefined && { to: job.endedAt }),
  };
  return (
    <div className="grid">
      <Chart title="GPU activity" metric="activity" of={of} over={over} />
      <Chart title="GPU memory" metric="memory_used" of={of} over={over} />
      <Chart title="Power" metric="power" of={of} over={over} />
      <Chart title="CPU" metric="cpu" of={of} over={over} />
    </div>
  );
}
