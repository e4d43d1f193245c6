import { useMemo, useState } from "react";
import { onDemand } from "../design/on-demand.tsx";
import { Button, Card, Empty, Skeleton } from "../design/parts.tsx";
import { saveCsv } from "../format/csv.ts";
import { count } from "../format/numbers.ts";
import { spellClock, spellSeconds, spellUtcDay } from "../format/times.ts";
import type { Column } from "../table/column.ts";
import { Table } from "../table/table.tsx";
import { OrElse } from "./fallback.tsx";
import { coarseStep, type Range, type RangeName, useRange, zoomed } from "./range.ts";
import { type SeriesAsk, type SeriesQuery, useSeries, useSeriesOf } from "./use-series.ts";
import {
  type ChartView,
  compared,
  fewer,
  isEmpty,
  type Kind,
  newestStep,
  tableOf,
  totalAt,
  valueText,
} from "./view.ts";

const Plot = onDemand(() => import("./plot.tsx"));

const dayMs = 86_400_000;
const lookEveryMs = 10_000;
const tableRows = 50;

interface Look {
  readonly title: string;
  readonly kind?: Kind;
  readonly className?: string;
  /** What it shows, in a sentence. */
  readonly about?: string;
}

/** One metric of a job or another thing over its own time. */
export function Chart(
  props: Look & {
    readonly metric: NonNullable<SeriesQuery["metric"]>;
    /** What it shows, as `GET /v1/series` takes it. */
    readonly of: Omit<SeriesQuery, "metric">;
    /** The span is over: it does not change any more. */
    readonly over?: boolean;
    readonly onZoom?: (from: number, to: number) => void;
  },
) {
  const { metric, of, over = false, onZoom, ...look } = props;
  const { from, to, ...what } = of;
  const time = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
  const { view, error } = useSeries([{ ...what, metric }], time, over ? undefined : lookEveryMs, true, "place");
  return <ChartCard {...look} view={view} error={error} {...(onZoom && { onZoom })} />;
}

/** Metrics over the range of the page, with the period before it on request; dragging chooses another range. */
export function RangeChart(
  props: Look & {
    readonly asks: readonly SeriesAsk[];
    readonly usual?: RangeName;
    /** In few long steps: for what is counted. */
    readonly coarse?: boolean;
  },
) {
  const { usual, kind = "lines", coarse = kind === "bars", ...look } = props;
  const { range, choose, compares } = useRange(usual);
  const asks = coarse ? props.asks.map((ask) => ({ ...ask, step: coarseStep(range) })) : props.asks;
  const { view, error } = useSeriesOf(asks, range);
  const before = useSeriesOf(asks, range, true, compares);
  const shown = view && compared(fewer(view, kind), compares ? before.view : undefined, kind);
  const zoom = (from: number, to: number) => {
    const next: Range | undefined = zoomed(from, to);
    if (next !== undefined) choose(next);
  };
  return <ChartCard {...look} kind={kind} view={shown} error={error} onZoom={zoom} />;
}

/** A chart with its title, its values under the cursor or the newest; as a table or a file on request. */
export function ChartCard(
  props: Look & {
    readonly view: ChartView | undefined;
    readonly error?: Error | null;
    readonly onZoom?: (from: number, to: number) => void;
  },
) {
  const { title, kind = "lines", className = "span-6", about, view, error, onZoom } = props;
  const [table, setTable] = useState(false);
  const empty = view !== undefined && isEmpty(view);
  const beside = view !== undefined && !empty && (
    <span className="row">
      {view.simulated && <span className="quiet small">simulated</span>}
      <Button small aria-label={`${title}: ${table ? "chart" : "table"}`} onClick={() => setTable(!table)}>
        {table ? "Chart" : "Table"}
      </Button>
      <Button small aria-label={`${title}: CSV`} onClick={() => saveCsv(`${fileName(title)}.csv`, tableOf(view))}>
        CSV
      </Button>
    </span>
  );
  return (
    <Card title={title} className={className} beside={beside}>
      {about !== undefined && <p className="quiet small">{about}</p>}
      {view?.knownTo !== undefined && (
        <p className="quiet small" role="status">
          The journal is still being read, up to {spellClock(new Date(view.knownTo).toISOString())} so far.
        </p>
      )}
      {view === undefined && (error ? <Empty title="Not available">{error.message}</Empty> : <Skeleton lines={5} />)}
      {empty && <p className="quiet">Nothing in this time.</p>}
      {view !== undefined &&
        !empty &&
        (table ? <Values view={view} /> : <Drawn view={view} kind={kind} title={title} onZoom={onZoom} />)}
    </Card>
  );
}

interface DrawnProps {
  readonly view: ChartView;
  readonly kind: Kind;
  readonly title: string;
  readonly onZoom: ((from: number, to: number) => void) | undefined;
}

function Drawn({ view, kind, title, onZoom }: DrawnProps) {
  const [step, setStep] = useState<number>();
  const shown = step ?? newestStep(view);
  const total = kind === "lines" ? null : totalAt(view, shown);
  return (
    <>
      <OrElse instead={<Values view={view} />}>
        <Plot view={view} kind={kind} title={title} onStep={setStep} onZoom={onZoom} together="page" />
      </OrElse>
      <ul className="chart-legend" aria-label={`${title} at ${timeText(view, shown)}`}>
        <li className="quiet small">{timeText(view, shown)}</li>
        {view.lines.map(({ key, label, values, colour, dash, ghost }) => (
          <li key={key}>
            <i
              className={kind !== "lines" && !ghost ? "mark area" : "mark line"}
              style={
                kind !== "lines" && !ghost
                  ? { background: colour }
                  : { borderTop: `2px ${dash.length === 0 ? "solid" : "dashed"} ${colour}` }
              }
            />
            {label} <b>{valueText(values, shown, view.unit)}</b>
          </li>
        ))}
        {total !== null && view.lines.filter(({ ghost }) => ghost !== true).length > 1 && (
          <li className="quiet">
            together <b>{valueText([total], 0, view.unit)}</b>
          </li>
        )}
        {view.leftOut > 0 && <li className="quiet">and {count(view.leftOut, "smaller line")}</li>}
      </ul>
    </>
  );
}

function Values({ view }: { view: ChartView }) {
  const steps = useMemo(() => view.times.map((_, step) => step).reverse(), [view]);
  const columns = useMemo(
    (): readonly Column<number>[] => [
      { label: "From", show: (step) => timeText(view, step) },
      ...view.lines.map(({ key, label, values }) => ({
        key,
        label,
        number: true,
        show: (step: number) => valueText(values, step, view.unit),
      })),
    ],
    [view],
  );
  return (
    <Table
      label="Values"
      items={steps}
      columns={columns}
      keyOf={String}
      most={tableRows}
      rest={() => `The newest ${tableRows} of ${count(steps.length, "step")}; the CSV file has all.`}
    />
  );
}

function timeText({ times, stepMs }: ChartView, step: number): string {
  const at = times[step];
  if (at === undefined) return "";
  const text = new Date(at).toISOString();
  // Days are those of UTC.
  if (stepMs >= dayMs && at % dayMs === 0) return spellUtcDay(at);
  return stepMs < 60_000 ? spellSeconds(text) : spellClock(text);
}

function fileName(title: string): string {
  return title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
}
