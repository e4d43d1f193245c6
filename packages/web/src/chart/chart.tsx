import type { SeriesMetric, SeriesView } from "@tessera/wire";
import { lazy, Suspense, useState } from "react";
import type { Ask } from "../api/call.ts";
import { useCall } from "../api/use-call.ts";
import { Button, Card, Empty, Skeleton } from "../design/parts.tsx";
import { TableBox } from "../design/table-box.tsx";
import { count } from "../format/numbers.ts";
import { OrElse } from "./fallback.tsx";
import { isEmpty, isSimulated, newestStep, strokeOf, valueText } from "./lines.ts";

const Plot = lazy(() => import("./plot.tsx"));

const lookEveryMs = 10_000;
const tableRows = 50;

interface ChartProps {
  readonly title: string;
  readonly metric: SeriesMetric;
  /** What it shows, as `GET /v1/series` takes it. */
  readonly of: Omit<NonNullable<Ask<"readSeries">["query"]>, "metric">;
  /** The span is over: it does not change any more. */
  readonly over?: boolean;
  readonly className?: string;
}

/** One metric over time, with the values under the cursor, or the newest; as a table on request. */
export function Chart({ title, metric, of, over = false, className = "span-6" }: ChartProps) {
  const { data, isError, error } = useCall(
    "readSeries",
    { query: { ...of, metric } },
    over ? {} : { everyMs: lookEveryMs },
  );
  const [table, setTable] = useState(false);
  const beside = data !== undefined && !isEmpty(data) && (
    <span className="row">
      {isSimulated(data) && <span className="quiet small">simulated</span>}
      <Button small onClick={() => setTable(!table)}>
        {table ? "Chart" : "Table"}
      </Button>
    </span>
  );
  return (
    <Card title={title} className={className} beside={beside}>
      {data === undefined && (isError ? <Empty title="Not available">{error.message}</Empty> : <Skeleton />)}
      {data !== undefined && isEmpty(data) && <p className="quiet">Nothing was measured in this time.</p>}
      {data !== undefined && !isEmpty(data) && (table ? <Values view={data} /> : <Lines view={data} title={title} />)}
    </Card>
  );
}

function Lines({ view, title }: { view: SeriesView; title: string }) {
  const [step, setStep] = useState<number>();
  const shown = step ?? newestStep(view);
  return (
    <>
      <OrElse instead={<Values view={view} />}>
        <Suspense fallback={<Skeleton />}>
          <Plot view={view} title={title} onStep={setStep} together="page" />
        </Suspense>
      </OrElse>
      <ul className="chart-legend" aria-label={`${title} at ${timeText(view, shown)}`}>
        <li className="quiet small">{timeText(view, shown)}</li>
        {view.series.map((line, place) => (
          <li key={line.key}>
            <i className="mark line" style={markOf(place)} />
            {line.label} <b>{valueText(line, shown, view.unit)}</b>
          </li>
        ))}
        {view.leftOut > 0 && <li className="quiet">and {count(view.leftOut, "smaller line")}</li>}
      </ul>
    </>
  );
}

/** A short piece of the line itself, so that dashes tell lines of one colour apart. */
function markOf(place: number) {
  const { colour, dash } = strokeOf(place);
  return { borderTop: `2px ${dash.length === 0 ? "solid" : "dashed"} ${colour}` };
}

function Values({ view }: { view: SeriesView }) {
  const steps = view.times.map((_, step) => step).reverse();
  return (
    <TableBox label="Values">
      <thead>
        <tr>
          <th>From</th>
          {view.series.map(({ key, label }) => (
            <th key={key} className="number">
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {steps.slice(0, tableRows).map((step) => (
          <tr key={view.times[step]}>
            <td>{timeText(view, step)}</td>
            {view.series.map((line) => (
              <td key={line.key} className="number">
                {valueText(line, step, view.unit)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </TableBox>
  );
}

function timeText({ times }: SeriesView, step: number): string {
  const at = times[step];
  return at === undefined ? "" : new Date(at).toLocaleTimeString();
}
