import "uplot/dist/uPlot.min.css";
import type { SeriesView } from "@tessera/wire";
import { useEffect, useRef } from "react";
import UPlot from "uplot";
import { readColour } from "../design/colour.ts";
import { useTheme } from "../frame/use-theme.ts";
import { columnsOf, strokeOf } from "./lines.ts";

const height = 180;

interface PlotProps {
  readonly view: SeriesView;
  readonly title: string;
  /** Told the step under the cursor; undefined = the cursor has left. */
  readonly onStep: (step: number | undefined) => void;
  /** Charts with the same word show the same instant. */
  readonly together: string;
}

/** The lines on a canvas. It is drawn again as a whole when the theme changes, and gets new values otherwise. */
export default function Plot({ view, title, onStep, together }: PlotProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(undefined);
  const newest = useRef({ view, onStep });
  newest.current = { view, onStep };
  const theme = useTheme();
  const names = view.series.map(({ key, label }) => `${key} ${label}`).join("\n");
  // biome-ignore lint/correctness/useExhaustiveDependencies: other lines or another theme are another plot
  useEffect(() => {
    const { current: element } = box;
    if (element === null) return;
    const drawn = new UPlot(
      optionsOf(newest.current.view, element.clientWidth, together, (step) => newest.current.onStep(step)),
      columnsOf(newest.current.view),
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
  }, [names, theme, together, view.unit]);
  useEffect(() => plot.current?.setData(columnsOf(view)), [view]);
  return <div ref={box} role="img" aria-label={`${title}; its values are in the table below it`} />;
}

function optionsOf(
  { series, unit, from, to }: SeriesView,
  width: number,
  together: string,
  onStep: (step: number | undefined) => void,
): UPlot.Options {
  const axis = {
    stroke: readColour("--quiet"),
    grid: { stroke: readColour("--line"), width: 1 },
    ticks: { show: false },
  };
  const lines = series.map(({ label }, place) => {
    const { colour, dash } = strokeOf(place);
    return { label, stroke: colour, width: 1.5, dash: [...dash], points: { show: false } };
  });
  return {
    width,
    height,
    legend: { show: false },
    cursor: { sync: { key: together }, drag: { x: false, y: false } },
    scales: {
      x: { time: true, range: [from / 1000, to / 1000] },
      // From 0, so that heights can be compared; shares up to the whole.
      y: { range: (_, __, most) => [0, unit === "%" ? 100 : Math.max(1, most * 1.1)] },
    },
    axes: [axis, { ...axis, size: 60, values: (_, splits) => splits.map((split) => `${split} ${unit}`) }],
    series: [{}, ...lines],
    hooks: { setCursor: [({ cursor }) => onStep(cursor.idx ?? undefined)] },
  };
}
