import "uplot/dist/uPlot.min.css";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import UPlot from "uplot";
import { paintOf, readColour } from "../design/colour.ts";
import { spellNumber } from "../format/numbers.ts";
import { spellSpan } from "../format/times.ts";
import { useTheme } from "../frame/use-theme.ts";
import { isOfDays, timeTexts, zoneOf } from "./axis.ts";
import { fillOf } from "./fills.ts";
import { alone } from "./gaps.ts";
import { timeOfSteps } from "./range.ts";
import { type ChartView, chosenText, columnsOf, drawnLines, type Kind, newestStep, sentenceOf } from "./view.ts";

const height = 190;
const day = 86_400;
/** Between two times on the axis, which may have seconds; between two days; and from the left end to the first. */
const timeSpacePx = 80;
const daySpacePx = 48;
const edgePx = 16;
/** Strips beside charts leave the same space on both sides: `.on-axis`. */
const leftPx = 66;
const rightPx = 24;

interface PlotProps {
  readonly view: ChartView;
  readonly kind: Kind;
  readonly title: string;
  /** Told the step under the cursor; undefined = the cursor has left. */
  readonly onStep: (step: number | undefined) => void;
  /** Told the time over which the pointer was dragged. */
  readonly onZoom?: ((from: number, to: number) => void) | undefined;
  /** An instant to mark. */
  readonly mark: number | undefined;
  /** Charts with the same word show the same instant. */
  readonly together: string;
}

/** The lines on a canvas. Other lines or another theme make a new plot; new values only update it. */
export default function Plot({ view, kind, title, onStep, onZoom, mark, together }: PlotProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(undefined);
  const newest = useRef({ view, onStep, onZoom, mark });
  newest.current = { view, onStep, onZoom, mark };
  const theme = useTheme();
  const names = view.lines.map(({ key, label, colour }) => `${key} ${label} ${colour}`).join("\n");
  const zone = zoneOf(view);
  const ofDays = isOfDays(view);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other lines, another theme or zone are another plot
  useEffect(() => {
    const { current: element } = box;
    if (element === null) return;
    const drawn = new UPlot(
      optionsOf(() => newest.current, kind, element.clientWidth, together, zone),
      columnsOf(newest.current.view, kind),
      element,
    );
    plot.current = drawn;
    const sizes = new ResizeObserver(() => drawn.setSize({ width: element.clientWidth, height }));
    sizes.observe(element);
    return () => {
      sizes.disconnect();
      drawn.destroy();
      plot.current = undefined;
    };
  }, [names, theme, together, view.unit, kind, zone, ofDays]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another mark is drawn with the same values
  useEffect(() => plot.current?.setData(columnsOf(view, kind)), [view, kind, mark]);

  /** What a screen reader is told after a key. */
  const [told, tell] = useState("");
  /** The step at which the choice of a time with the keys began. */
  const begun = useRef<number>(undefined);
  const choose = (drawn: UPlot, step: number | undefined) => {
    const { from, to } = timeOfSteps(view, begun.current ?? 0, step ?? 0);
    const [left, right] = [from, to].map((at) => drawn.valToPos(at / 1000, "x"));
    const none = { left: 0, top: 0, width: 0, height: 0 };
    const some = { left: left!, top: 0, width: right! - left!, height: drawn.over.clientHeight };
    drawn.setSelect(step === undefined ? none : some, false);
    if (step === undefined) begun.current = undefined;
  };
  /** Arrow keys move the cursor as the pointer does, and with Shift choose a time as dragging does. */
  const onKey = (event: KeyboardEvent) => {
    const drawn = plot.current;
    if (drawn === undefined) return;
    const last = view.times.length - 1;
    const now = drawn.cursor.idx ?? Math.max(0, newestStep(view));
    const steps: Readonly<Record<string, number>> = {
      ArrowLeft: now - 1,
      ArrowRight: now + 1,
      PageUp: now - 10,
      PageDown: now + 10,
      Home: 0,
      End: newestStep(view),
    };
    if (event.key === "Enter" && begun.current !== undefined) {
      const { from, to } = timeOfSteps(view, begun.current, now);
      choose(drawn, undefined);
      onZoom?.(from, to);
    }
    if (event.key === "Escape") {
      if (begun.current === undefined) drawn.setCursor({ left: -10, top: -10 });
      choose(drawn, undefined);
      tell("");
    }
    const to = steps[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const step = Math.min(last, Math.max(0, to));
    // The first step begins before the left edge, where there is no cursor.
    drawn.setCursor({ left: Math.max(0, drawn.valToPos(view.times[step]! / 1000, "x")), top: 10 });
    const chooses = event.shiftKey && onZoom !== undefined;
    if (chooses) begun.current ??= now;
    choose(drawn, chooses ? step : undefined);
    const sentence = sentenceOf(view, kind, step);
    tell(begun.current === undefined ? sentence : `${chosenText(view, begun.current, step)}. ${sentence}`);
  };
  const zooms = onZoom === undefined ? "" : ", Shift with them chooses a time, Enter zooms into it";
  return (
    <>
      <div
        ref={box}
        className="plot"
        // Keys reach it past a screen reader's own.
        role="application"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard reads values as the pointer does
        tabIndex={0}
        aria-label={`${title}. Arrow keys move through its values${zooms}; they are also in its table`}
        onKeyDown={onKey}
        onPointerDown={() => {
          begun.current = undefined;
        }}
      />
      <p className="hidden-text" aria-live="polite">
        {told}
      </p>
    </>
  );
}

type Newest = () => Pick<PlotProps, "view" | "onStep" | "onZoom" | "mark">;

function optionsOf(newest: Newest, kind: Kind, width: number, together: string, zone: string): UPlot.Options {
  const { view, onZoom } = newest();
  const { unit } = view;
  const axis = {
    stroke: readColour("--quiet"),
    grid: { stroke: readColour("--line"), width: 1 },
    ticks: { show: false },
  };
  const bars = UPlot.paths.bars?.({ size: [0.8, 60], align: 1 });
  const stepped = UPlot.paths.stepped?.({ align: 1 });
  const ground = readColour("--surface");
  const lines = drawnLines(view, kind).map(({ label, colour, dash, pattern, ghost, over }): UPlot.Series => {
    const stroke = paintOf(colour);
    const points = { show: true, size: 4, fill: stroke, filter: lonePoints };
    const line = { label, stroke, width: ghost ? 1 : 1.5, dash: [...dash], points };
    // Drawn by drawOver, above the areas.
    if (over) return { ...line, stroke: "transparent", points: { show: false } };
    const fill = fillOf(stroke, pattern, ground);
    // A stroke would draw a line where a bar has no height.
    if (kind === "bars" && bars)
      return { ...line, paths: bars, points: { show: false }, ...(!ghost && { width: 0, fill: () => fill, dash: [] }) };
    if (ghost || kind === "lines") return ghost ? { ...line, alpha: 0.7 } : line;
    // The edge separates areas of similar colours.
    const area = { stroke: ground, width: 1, fill: () => fill, dash: [], points: { show: false } };
    return { ...line, ...area, ...(stepped && { paths: stepped }) };
  });
  return {
    width,
    height,
    legend: { show: false },
    padding: [null, rightPx, null, null],
    tzDate: (at) => UPlot.tzDate(new Date(at * 1000), zone),
    cursor: {
      sync: { key: together },
      drag: { x: onZoom !== undefined, y: false, setScale: false },
      points: { show: kind === "lines" },
    },
    scales: {
      x: { time: true, range: () => [newest().view.from / 1000, newest().view.to / 1000] },
      // From 0, so that heights can be compared, or below where values are negative; shares up to 100 %.
      y: { range: (_, least, most) => [Math.min(0, least * 1.08), unit === "%" ? 100 : Math.max(1, most * 1.08)] },
    },
    axes: [
      {
        ...axis,
        space: isOfDays(view) ? daySpacePx : timeSpacePx,
        values: ({ valToPos }, splits, __, ___, step) =>
          // Half of a text at the left end would lie under the values of the other axis.
          timeTexts(splits, step, zone, (split) => valToPos(split, "x") >= edgePx),
        // Between days that are one step there is nothing to point at.
        ...(isOfDays(view) && { incrs: [day, 2 * day, 7 * day, 30 * day] }),
      },
      {
        ...axis,
        size: leftPx,
        values: (_, splits) => splits.map((split) => tickText(split, unit)),
        ...(unit === "s" && {
          incrs: [1, 5, 15, 30, 60, 300, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400, 432_000],
        }),
      },
    ],
    series: [{}, ...lines],
    ...bandsOf(view, kind),
    hooks: {
      draw: [
        (drawn) => {
          for (const [no, { over, colour }] of drawnLines(newest().view, kind).entries())
            if (over) drawOver(drawn, no + 1, paintOf(colour), ground);
          drawMark(drawn, newest().mark);
        },
      ],
      setCursor: [({ cursor }) => newest().onStep(cursor.idx ?? undefined)],
      setSelect: [
        (drawn) => {
          const { left, width: wide } = drawn.select;
          if (wide > 4) newest().onZoom?.(drawn.posToVal(left, "x") * 1000, drawn.posToVal(left + wide, "x") * 1000);
          if (wide > 0) drawn.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        },
      ],
    },
  };
}

/** The values of a line that no line leads to. */
function lonePoints({ data }: UPlot, no: number): number[] {
  return alone([...(data[no] ?? [])]);
}

/** A line over areas, with an edge in the background colour, visible on all of theirs. */
function drawOver(drawn: UPlot, no: number, colour: string, edge: string): void {
  const { ctx: pen, data } = drawn;
  const lone = new Set(lonePoints(drawn, no));
  pen.save();
  pen.beginPath();
  let isDown = false;
  for (const [step, value] of (data[no] ?? []).entries()) {
    if (value === undefined) continue;
    if (value !== null) {
      const [x, y] = [drawn.valToPos(data[0][step]!, "x", true), drawn.valToPos(value, "y", true)];
      if (isDown) pen.lineTo(x, y);
      else pen.moveTo(x, y);
      if (lone.has(step)) pen.arc(x, y, devicePixelRatio, 0, 2 * Math.PI);
    }
    isDown = value !== null;
  }
  for (const [stroke, width] of [
    [edge, 5],
    [colour, 2],
  ] as const) {
    pen.strokeStyle = stroke;
    pen.lineWidth = width * devicePixelRatio;
    pen.lineJoin = "round";
    pen.stroke();
  }
  pen.restore();
}

/** A vertical line at the moment that the page shows. */
function drawMark(drawn: UPlot, mark: number | undefined): void {
  const at = mark === undefined ? Number.NaN : drawn.valToPos(mark / 1000, "x", true);
  const { ctx: pen, bbox } = drawn;
  if (!(at >= bbox.left && at <= bbox.left + bbox.width)) return;
  pen.save();
  pen.strokeStyle = readColour("--text");
  pen.lineWidth = 2 * devicePixelRatio;
  pen.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
  pen.beginPath();
  pen.moveTo(at, bbox.top);
  pen.lineTo(at, bbox.top + bbox.height);
  pen.stroke();
  pen.restore();
}

/** The space between the low and the high line, where a chart has them. */
function bandsOf(view: ChartView, kind: Kind): Pick<UPlot.Options, "bands"> {
  const drawn = drawnLines(view, kind);
  const [high, low] = (["high", "low"] as const).map((side) => drawn.findIndex(({ band }) => band === side) + 1);
  return high && low ? { bands: [{ series: [high, low], fill: bandFill }] } : {};
}

/** Of the forecast's colour, so faint that lines in it can be read. */
const bandFill = "rgb(86 180 233 / 22%)";

function tickText(split: number, unit: string): string {
  if (unit === "s") return split === 0 ? "0" : spellSpan(split * 1_000);
  const short =
    split >= 1_000_000
      ? `${spellNumber(split / 1_000_000)}M`
      : split >= 10_000
        ? `${spellNumber(split / 1_000)}k`
        : spellNumber(split);
  // A long unit would not fit; the values below the chart have it.
  return unit.startsWith("GPU") || unit === "jobs" || /^[A-Z]{3}$/.test(unit) ? short : `${short} ${unit}`;
}
