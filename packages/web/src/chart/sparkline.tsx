import { alone, bridged } from "./gaps.ts";
import { useRange } from "./range.ts";
import { type SeriesAsk, useSeriesOf } from "./use-series.ts";

const width = 120;
const height = 28;

interface SparklineProps {
  /** One metric; or two, to draw the first as a share of the second in per cent. */
  readonly asks: readonly [SeriesAsk] | readonly [SeriesAsk, SeriesAsk];
  readonly most?: number;
  readonly label: string;
}

/** The history of a figure: a line without axes over the page's range. */
export function Sparkline({ asks, most, label }: SparklineProps) {
  const { range } = useRange();
  const { view } = useSeriesOf(asks, range);
  const [first = [], whole] = (view?.lines ?? []).map((line) => line.values);
  const values = whole === undefined ? first : sharesOf(first, whole);
  const known = values.filter((value) => value !== null);
  if (known.length < 2) return <span className="sparkline" />;
  const highest = most ?? Math.max(1, ...known);
  const path = pathOf(values, highest);
  return (
    <svg
      className="sparkline"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${label} over time`}
    >
      <title>{`${label} over time`}</title>
      <path
        d={path}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinecap="round"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}

/** Parts in per cent of the whole; null where the whole is 0 or unknown. */
export function sharesOf(parts: readonly (number | null)[], whole: readonly (number | null)[]): (number | null)[] {
  return parts.map((part, step) => (part === null || !whole[step] ? null : (100 * part) / whole[step]));
}

/** A line through the known values; unknown ones leave a gap, and what stands alone between two gaps is a point. */
export function pathOf(values: readonly (number | null)[], most: number): string {
  let path = "";
  let pen = "M";
  const drawn = bridged(values);
  const lone = new Set(alone(drawn));
  for (const [step, value] of drawn.entries()) {
    if (value === undefined) continue;
    if (value === null) {
      pen = "M";
      continue;
    }
    const x = (step / Math.max(1, values.length - 1)) * width;
    const y = height - 1 - (Math.min(value, most) / most) * (height - 2);
    path += `${pen}${x.toFixed(1)} ${y.toFixed(1)}${lone.has(step) ? "h0" : ""}`;
    pen = "L";
  }
  return path;
}
