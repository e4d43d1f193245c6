import { useContext, useMemo, useState } from "react";
import { onDemand } from "../design/on-demand.tsx";
import { Button, Card, Empty, Skeleton } from "../design/parts.tsx";
import { saveCsv } from "../format/csv.ts";
import { count } from "../format/numbers.ts";
import { spellClock } from "../format/times.ts";
import type { Column } from "../table/column.ts";
import { Table } from "../table/table.tsx";
import { isOfDays, stepText } from "./axis.ts";
import type { Look } from "./colours.ts";
import { OrElse } from "./fallback.tsx";
import { Marked } from "./marked.ts";
import { coarseStep, lengthOf, type Range, type RangeName, useRange, wholeDays, zoomed } from "./range.ts";
import { type SeriesAsk, type SeriesQuery, useSeries, useSeriesOf } from "./use-series.ts";
import {
  type ChartView,
  compared,
  fewer,
  isCrowded,
  isEmpty,
  type Kind,
  leftOutText,
  narrowed,
  newestStep,
  tableOf,
  textIn,
  totalAt,
  valuesAt,
  valueText,
} from "./view.ts";

const Plot = onDemand(() => import("./plot.tsx"));

const lookEveryMs = 10_000;
const tableRows = 50;

interface Titled {
  readonly title: string;
  readonly kind?: Kind;
  readonly className?: string;
  /** What it shows, in a sentence. */
  readonly about?: string;
}

/** One metric of a job or another thing over its own time. */
export function Chart(
  props: Titled & {
    readonly metric: NonNullable<SeriesQuery["metric"]>;
    /** What it shows, as `GET /v1/series` takes it. */
    readonly of: Omit<SeriesQuery, "metric">;
    /** The span is over and final. */
    readonly over?: boolean;
    readonly onZoom?: (from: number, to: number) => void;
  },
) {
  const { metric, of, over = false, onZoom, ...look } = props;
  const { from, to, ...what } = of;
  const time = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
  const { view, error } = useSeries([{ ...what, metric }], time, over ? undefined : lookEveryMs);
  return <ChartCard {...look} view={view} error={error} {...(onZoom && { onZoom })} />;
}

/** Metrics over the page's range, on request with the period before. Dragging changes the range. */
export function RangeChart(
  props: Titled & {
    readonly asks: readonly SeriesAsk[];
    readonly usual?: RangeName;
    /** In about thirty long steps, for counts. */
    readonly coarse?: boolean;
    /** The data is by calendar day. */
    readonly ofDays?: boolean;
  },
) {
  const { usual, kind = "lines", ofDays = false, coarse = kind === "bars" && !ofDays, ...look } = props;
  const { range: chosen, choose, compares } = useRange(usual);
  const range = ofDays ? wholeDays(chosen, Date.now()) : chosen;
  const asks = coarse ? props.asks.map((ask) => ({ ...ask, step: coarseStep(range) })) : props.asks;
  const { view, before, error } = useSeriesOf(asks, range, compares);
  const shown = view && compared(view, before, kind, lengthOf(range));
  const zoom = (from: number, to: number) => {
    const next: Range | undefined = zoomed(from, to);
    if (next !== undefined) choose(next);
  };
  return <ChartCard {...look} kind={kind} view={shown} error={error} onZoom={zoom} />;
}

/** A chart with title and values at the cursor or the newest ones; also as table and CSV. */
export function ChartCard(
  props: Titled & {
    readonly view: ChartView | undefined;
    readonly error?: Error | null;
    readonly onZoom?: (from: number, to: number) => void;
  },
) {
  const { title, kind = "lines", className = "span-6", about, view, error, onZoom } = props;
  const [table, setTable] = useState(false);
  /** A part of the names of the lines to show, where there are more than can be told apart. */
  const [text, setText] = useState("");
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
      {view !== undefined && isOfDays(view) && <p className="quiet small">Calendar days of UTC.</p>}
      {view?.knownTo !== undefined && (
        <p className="quiet small" role="status">
          The journal is still being read, up to {spellClock(new Date(view.knownTo).toISOString())} so far.
        </p>
      )}
      {view === undefined && (error ? <Empty title="Not available">{error.message}</Empty> : <Skeleton lines={5} />)}
      {empty && <p className="quiet">Nothing in this time.</p>}
      {view !== undefined && !empty && isCrowded(view) && (
        <input
          className="input"
          style={{ width: 220, marginTop: 6 }}
          aria-label={`${title}: lines by name`}
          placeholder="Lines by name"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      )}
      {view !== undefined &&
        !empty &&
        (table ? (
          <Values view={isCrowded(view) ? narrowed(view, text) : view} kind={kind} />
        ) : (
          <Drawn view={fewer(view, kind, text)} kind={kind} title={title} onZoom={onZoom} />
        ))}
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
  const mark = useContext(Marked);
  const isMarked = mark !== undefined && mark >= view.from && mark <= view.to;
  const shown = step ?? newestStep(view);
  const total = kind === "lines" ? null : totalAt(view, shown);
  const values = valuesAt(view, kind, shown);
  return (
    <>
      <OrElse instead={<Values view={view} kind={kind} />}>
        <Plot view={view} kind={kind} title={title} onStep={setStep} onZoom={onZoom} mark={mark} together="page" />
      </OrElse>
      <ul className="chart-legend" aria-label={`${title} at ${stepText(view, shown, kind)}`}>
        <li className="quiet small">{stepText(view, shown, kind)}</li>
        {view.lines.map(({ key, label, ...line }, no) => (
          <li key={key}>
            <Mark look={line} isArea={kind !== "lines" && !line.ghost && !line.over} />
            {label} <b>{textIn(view, shown, values[no] ?? null)}</b>
          </li>
        ))}
        {total !== null && view.lines.filter(({ ghost, over }) => !ghost && !over).length > 1 && (
          <li className="quiet">
            together <b>{valueText(total, view.unit)}</b>
          </li>
        )}
        {isMarked && <li className="quiet">vertical line: the moment above</li>}
        {leftOutText(view) !== undefined && <li className="quiet">{leftOutText(view)}</li>}
      </ul>
    </>
  );
}

/** The mark of a line or an area in a legend. */
export function Mark({ look, isArea }: { look: Look; isArea: boolean }) {
  const { colour, dash, pattern } = look;
  if (isArea) return <i className={`mark area pattern-${pattern}`} style={{ backgroundColor: colour }} />;
  return <i className="mark line" style={{ borderTop: `2px ${dash.length === 0 ? "solid" : "dashed"} ${colour}` }} />;
}

function Values({ view, kind }: { view: ChartView; kind: Kind }) {
  const steps = useMemo(() => view.times.map((_, step) => step).reverse(), [view]);
  const columns = useMemo(
    (): readonly Column<number>[] => [
      { label: "Time", show: (step) => stepText(view, step, kind) },
      ...view.lines.map(({ key, label, values }) => ({
        key,
        label,
        number: true,
        show: (step: number) => textIn(view, step, values[step] ?? null),
      })),
    ],
    [view, kind],
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

function fileName(title: string): string {
  return title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
}
