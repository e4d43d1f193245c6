import type { JobCost, SeriesView } from "@tessera/wire";
import { useCall } from "../../api/use-call.ts";
import { ChartCard } from "../../chart/chart.tsx";
import { Figure } from "../../design/parts.tsx";
import { spellMoney } from "../../format/money.ts";
import { costView } from "./cost-view.ts";
import type { JobTime } from "./job-time.ts";

/** What it has cost so far, how fast, what it will come to, and how that came together. */
export function CostOverTime({ time, cost }: { time: JobTime; cost: JobCost | undefined }) {
  const { job, from, to, over } = time;
  const query = { metric: "spend", job, from, ...(to !== undefined && { to }) } as const;
  const { data } = useCall("readSeries", { query }, { on: cost !== undefined, ...(!over && { everyMs: 15_000 }) });
  if (cost === undefined) return null;
  const { currency, micros, perHourMicros, atEndMicros } = cost;
  return (
    <>
      <div className="span-4">
        <Figure
          label={over ? "It cost" : "Cost so far"}
          value={spellMoney(micros, currency)}
          beside="by the class it had"
        />
      </div>
      {!over && (
        <>
          <div className="span-4">
            <Figure label="An hour costs" value={spellMoney(perHourMicros, currency)} beside="as it runs now" />
          </div>
          <div className="span-4">
            <Figure
              label="Expected at its end"
              value={atEndMicros === undefined ? "not known" : spellMoney(atEndMicros, currency)}
              beside={atEndMicros === undefined ? "it has no max_time" : "at its max_time or expected_time"}
            />
          </div>
        </>
      )}
      <ChartCard title="Cost so far, over time" className="span-12" view={viewOf(data)} />
    </>
  );
}

function viewOf(data: SeriesView | undefined) {
  return data === undefined || data.series.length === 0 ? undefined : costView(data);
}
