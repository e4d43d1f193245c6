import type { JobCost } from "@tessera/wire";
import { useCall } from "../../api/use-call.ts";
import { ChartCard } from "../../chart/chart.tsx";
import { Figure } from "../../design/parts.tsx";
import { spellMoney } from "../../format/money.ts";
import { costView } from "./cost-view.ts";
import type { JobTime } from "./job-time.ts";

/** Shorter ones are no step of a series. */
const shortestMs = 10_000;

interface CostProps {
  readonly whole: JobTime;
  /** What the charts show: the whole run, or a part of it. */
  readonly time: JobTime;
  readonly cost: JobCost | undefined;
  readonly onZoom: (from: number, to: number) => void;
}

/** What it has cost so far, how fast, what it will come to, and how that came together. */
export function CostOverTime({ whole, time, cost, onZoom }: CostProps) {
  const { over, from: since } = whole;
  const { job, from, to } = time;
  const query = { metric: "spend", job, from, ...(to !== undefined && { to }) } as const;
  const { data, error } = useCall(
    "readSeries",
    { query },
    { on: cost !== undefined, ...(!time.over && { everyMs: 15_000 }) },
  );
  const beforeMs = Date.parse(from) - Date.parse(since);
  const isPart = beforeMs >= shortestMs;
  // All of it as one step.
  const earlier = { metric: "spend", job, from: since, to: from, step: `${Math.ceil(beforeMs / 1_000)}s` } as const;
  const before = useCall("readSeries", { query: earlier }, { on: cost !== undefined && isPart });
  const sumBefore = before.data?.series
    .flatMap(({ values }) => values)
    .reduce<number>((sum, each) => sum + (each ?? 0), 0);
  const microsBefore = isPart ? sumBefore : 0;
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
      <ChartCard
        title="Cost so far, over time"
        className="span-12"
        view={microsBefore === undefined || data === undefined ? undefined : costView(data, microsBefore)}
        error={error ?? before.error}
        onZoom={onZoom}
      />
    </>
  );
}
