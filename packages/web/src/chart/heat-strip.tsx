import { type KeyboardEvent, type PointerEvent, useEffect, useMemo, useRef, useState } from "react";
import { readColour } from "../design/colour.ts";
import { Button, Card, Empty, Skeleton } from "../design/parts.tsx";
import { saveCsv } from "../format/csv.ts";
import { count } from "../format/numbers.ts";
import { useTheme } from "../frame/use-theme.ts";
import type { Column } from "../table/column.ts";
import { useLook } from "../table/look.tsx";
import { Table } from "../table/table.tsx";
import { stepText } from "./axis.ts";
import { held } from "./gaps.ts";
import { type Heat, heatStep, heatSteps, spreadOf } from "./heat.ts";
import { timeOfSteps } from "./range.ts";
import { chosenText, ranksText, valueText } from "./view.ts";

const rowPx = 16;
const heightMax = 320;
const heightMin = 28;
const rowsShown = 64;

interface Cell {
  readonly row: number;
  readonly column: number;
}

interface StripProps {
  readonly title: string;
  readonly heat: Heat | undefined;
  readonly error: Error | null;
  /** The control that chooses the measure. */
  readonly choice: React.ReactNode;
  /** Told the time over which the pointer was dragged. */
  readonly onZoom: (from: number, to: number) => void;
}

/** Ranks × time as a strip of colours, with the value under the cursor; as a table or a file on request. */
export default function HeatStrip({ title, heat, error, choice, onZoom }: StripProps) {
  const [table, setTable] = useState(false);
  const empty = heat?.rows.every(({ values }) => values.every((value) => value === null));
  return (
    <Card
      title={title}
      className="span-12"
      beside={
        <span className="row wrap">
          {choice}
          {heat !== undefined && !empty && (
            <>
              <Button small aria-label={`${title}: ${table ? "strip" : "table"}`} onClick={() => setTable(!table)}>
                {table ? "Strip" : "Table"}
              </Button>
              <Button small aria-label={`${title}: CSV`} onClick={() => saveCsv("ranks-over-time.csv", fileOf(heat))}>
                CSV
              </Button>
            </>
          )}
        </span>
      }
    >
      {heat === undefined ? (
        error === null ? (
          <Skeleton lines={3} />
        ) : (
          <Empty title="Not available">{error.message}</Empty>
        )
      ) : empty ? (
        <p className="quiet">Nothing was measured in this time.</p>
      ) : table ? (
        <Spreads heat={heat} />
      ) : (
        <Strip heat={heat} title={title} onZoom={onZoom} />
      )}
    </Card>
  );
}

/** A drag of fewer pixels is a click. */
const dragMinPx = 4;

function Strip({ heat, title, onZoom }: { heat: Heat; title: string; onZoom: StripProps["onZoom"] }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  /** Start and present place of a drag, as shares of the width. */
  const [drag, setDrag] = useState<readonly [number, number]>();
  /** The column at which the choice of a time with the keys began. */
  const [begun, setBegun] = useState<number>();
  const theme = useTheme();
  const [cell, setCell] = useState<Cell>();
  const { rows, times, stepMs } = heat;
  const span = Math.max(1, heat.to - heat.from);
  const left = (column: number) => (100 * (times[0]! + column * stepMs - heat.from)) / span;
  const height = Math.min(heightMax, Math.max(heightMin, rows.length * rowPx));
  // biome-ignore lint/correctness/useExhaustiveDependencies: another theme has other colours
  useEffect(() => {
    if (canvas.current !== null) draw(canvas.current, heat);
  }, [heat, theme]);
  const within = ({ row, column }: Cell): Cell => ({
    row: Math.min(rows.length - 1, Math.max(0, row)),
    column: Math.min(times.length - 1, Math.max(0, column)),
  });
  const shareAt = (event: PointerEvent<HTMLDivElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    return Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
  };
  const at = (event: PointerEvent<HTMLDivElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    const share = shareAt(event);
    const time = heat.from + share * span;
    if (drag !== undefined) setDrag([drag[0], share]);
    const row = Math.floor(((event.clientY - box.top) / box.height) * rows.length);
    setCell(within({ row, column: Math.floor((time - times[0]!) / stepMs) }));
  };
  const onKey = (event: KeyboardEvent) => {
    const { row, column } = cell ?? { row: 0, column: times.length - 1 };
    if (event.key === "Enter" && begun !== undefined) {
      const { from, to } = timeOfSteps(heat, begun, column);
      setBegun(undefined);
      onZoom(from, to);
    }
    const to: Readonly<Record<string, Cell>> = {
      ArrowLeft: { row, column: column - 1 },
      ArrowRight: { row, column: column + 1 },
      ArrowUp: { row: row - 1, column },
      ArrowDown: { row: row + 1, column },
      Home: { row, column: 0 },
      End: { row, column: times.length - 1 },
    };
    if (event.key === "Escape") {
      setBegun(undefined);
      if (begun === undefined) setCell(undefined);
    }
    const next = to[event.key];
    if (next === undefined) return;
    event.preventDefault();
    setBegun(event.shiftKey ? (begun ?? column) : undefined);
    setCell(within(next));
  };
  const ofKeys = begun === undefined || cell === undefined ? undefined : timeOfSteps(heat, begun, cell.column);
  const shareOf = (time: number) => (time - heat.from) / span;
  const ends = ofKeys ? [shareOf(ofKeys.from), shareOf(ofKeys.to)] : (drag ?? []);
  const [begin, end] = ends.toSorted((a, b) => a - b);
  const [width, tall] = [(100 * stepMs) / span, 100 / rows.length];
  return (
    <div className="on-axis">
      <div className="heat-ranks quiet" aria-hidden>
        <span>{rows[0]?.key}</span>
        {rows.length > 1 && <span>{rows.at(-1)?.key}</span>}
      </div>
      <div
        className="heat"
        // Keys reach it past a screen reader's own.
        role="application"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard reads values as the pointer does
        tabIndex={0}
        aria-label={`${title}. Arrow keys move through ranks and time, Shift with them chooses a time, Enter zooms into it; the values are also in its table`}
        style={{ height }}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          setBegun(undefined);
          setDrag([shareAt(event), shareAt(event)]);
        }}
        onPointerUp={(event) => {
          const [begin, end] = (drag ?? [0, 0]).toSorted((a, b) => a - b);
          setDrag(undefined);
          const width = event.currentTarget.clientWidth;
          if ((end! - begin!) * width > dragMinPx) onZoom(heat.from + begin! * span, heat.from + end! * span);
        }}
        onPointerCancel={() => setDrag(undefined)}
        onPointerMove={at}
        onPointerLeave={() => setCell(undefined)}
        onKeyDown={onKey}
      >
        <canvas
          ref={canvas}
          width={times.length}
          height={rows.length}
          style={{ left: `${left(0)}%`, width: `${times.length * width}%` }}
        />
        {begin !== undefined && end !== undefined && (
          <span className="dragged" style={{ left: `${100 * begin}%`, width: `${100 * (end - begin)}%` }} />
        )}
        {cell !== undefined && (
          <i
            style={{
              left: `${left(cell.column)}%`,
              top: `${cell.row * tall}%`,
              width: `${width}%`,
              height: `${tall}%`,
            }}
          />
        )}
      </div>
      <p className="small heat-words" aria-live="polite">
        {cell === undefined
          ? `${ranksText(rows.length, heat.leftOut)}; point at one, or use the arrow keys.`
          : `${begun === undefined ? "" : `${chosenText(heat, begun, cell.column)}. `}${cellText(heat, cell)}`}
      </p>
      <Ramp heat={heat} />
    </div>
  );
}

function cellText(heat: Heat, { row, column }: Cell): string {
  const { unit } = heat;
  const line = heat.rows[row];
  if (line === undefined) return "";
  const when = stepText({ ...heat, each: "mean" }, column, "lines");
  return `${line.label}, ${when}: ${valueText(held(line.values)[column] ?? null, unit)}`;
}

/** One pixel for each value; the browser scales the canvas up. */
function draw(canvas: HTMLCanvasElement, { rows, times, most }: Heat): void {
  const pen = canvas.getContext("2d");
  if (pen === null) return;
  const ramp = Array.from({ length: heatSteps }, (_, step) => readColour(`--heat-${step}`));
  const unknown = readColour("--map-unmeasured");
  for (const [row, { values: samples }] of rows.entries()) {
    const values = held(samples);
    for (let column = 0; column < times.length; column++) {
      const step = heatStep(values[column], most);
      pen.fillStyle = step === undefined ? unknown : ramp[step]!;
      pen.fillRect(column, row, 1, 1);
    }
  }
}

function Ramp({ heat: { most, unit } }: { heat: Heat }) {
  const from = (step: number) => valueText(Math.round((most * step) / heatSteps), unit);
  return (
    <ul className="chart-legend">
      {Array.from({ length: heatSteps }, (_, step) => `--heat-${step}`).map((name, step) => (
        <li key={name}>
          <i className="mark area edged" style={{ background: `var(${name})` }} />
          from {from(step)}
        </li>
      ))}
      <li>
        <i className="mark area edged" style={{ background: "var(--map-unmeasured)" }} />
        not measured
      </li>
    </ul>
  );
}

function Spreads({ heat: { rows, unit } }: { heat: Heat }) {
  const spreads = useMemo(() => rows.map((row) => ({ ...row, spread: spreadOf(row.values) })), [rows]);
  const text = (value: number | undefined) => valueText(value ?? null, unit);
  const columns: readonly Column<(typeof spreads)[number]>[] = [
    { label: "Rank", show: ({ label }) => label },
    {
      label: "Least",
      number: true,
      show: ({ spread }) => text(spread?.least),
      by: ({ spread }) => spread?.least ?? -1,
    },
    { label: "Mean", number: true, show: ({ spread }) => text(spread?.mean), by: ({ spread }) => spread?.mean ?? -1 },
    { label: "Most", number: true, show: ({ spread }) => text(spread?.most), by: ({ spread }) => spread?.most ?? -1 },
  ];
  const { look } = useLook(columns, { name: "ranks" });
  return (
    <Table
      label="Values by rank"
      items={spreads}
      columns={columns}
      look={look}
      keyOf={({ key }) => key}
      most={rowsShown}
      rest={() => `The first ${rowsShown} of ${count(rows.length, "rank")}; the CSV file has all, with all values.`}
    />
  );
}

/** A row for each instant, a column for each rank. */
function fileOf({ rows, times, unit }: Heat) {
  return times.map((at, column) => ({
    from: new Date(at).toISOString(),
    ...Object.fromEntries(rows.map(({ label, values }) => [`${label} (${unit})`, values[column] ?? ""])),
  }));
}
