import { colours, escaped } from "./frame.ts";

/** A line of a chart: values by hours from the beginning. */
export interface Line {
  readonly name: string;
  readonly points: readonly (readonly [hours: number, value: number])[];
}

const width = 560;
const height = 220;
const left = 48;
const right = 12;
const bottom = 26;
const top = 10;
const pointsMax = 480;

/** How several values become one where there are more than a screen shows. */
const merges = {
  mean: (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length,
  highest: (values: readonly number[]) => Math.max(...values),
} as const;

/** Lines over time as inline SVG; the first stands on a soft ground. `most` is the end of the scale where it is known. */
export function lineChart(
  title: string,
  whole: readonly Line[],
  unit: string,
  merge: keyof typeof merges,
  most?: number,
): string {
  const lines = whole.map(({ name, points }) => ({ name, points: thinned(points, merges[merge]) }));
  const all = lines.flatMap(({ points }) => points);
  if (all.length === 0) return "";
  const last = Math.max(1 / 60, ...all.map(([hours]) => hours));
  const values = ticksOf(most ?? Math.max(0, ...all.map(([, value]) => value)), 4);
  const highest = most ?? values.at(-1)!;
  const x = (hours: number) => left + (hours / last) * (width - left - right);
  const y = (value: number) => height - bottom - (value / highest) * (height - bottom - top);
  const grid = values.map((value) => {
    const at = fixed(y(value));
    return `<line x1="${left}" x2="${width - right}" y1="${at}" y2="${at}" class="grid"/><text x="${left - 8}" y="${at}" dy="4" text-anchor="end">${numberText(value)}</text>`;
  });
  const drawn = lines.map(({ name, points }, i) => {
    const path = points
      .map(([hours, value], at) => `${at === 0 ? "M" : "L"}${fixed(x(hours))} ${fixed(y(value))}`)
      .join("");
    const ground = `${path}L${fixed(x(points.at(-1)![0]))} ${fixed(y(0))}L${fixed(x(points[0]![0]))} ${fixed(y(0))}Z`;
    const soft = i === 0 ? `<path d="${ground}" fill="${colourOf(i)}" opacity=".14"/>` : "";
    return `${soft}<path d="${path}" fill="none" stroke="${colourOf(i)}" stroke-width="2" stroke-linejoin="round"><title>${escaped(name)}</title></path>`;
  });
  const inside = [...grid, ...timeMarks(last, x), ...drawn].join("");
  return figure(title, unit, `${svg(title, inside)}${keys(lines.map(({ name }) => name))}`);
}

/** Marks of hours, or of days where there are many. */
function timeMarks(last: number, x: (hours: number) => number): string[] {
  const [per, sign] = last > 96 ? [24, "d"] : [1, "h"];
  return ticksOf(last / per, 6)
    .filter((tick) => tick * per <= last)
    .map((tick) => {
      const at = x(tick * per);
      const anchor = tick === 0 ? "start" : at > width - 40 ? "end" : "middle";
      return `<text x="${fixed(at)}" y="${height - 6}" text-anchor="${anchor}">${numberText(tick)} ${sign}</text>`;
    });
}

/** A bar for each name, with a second one below where two are compared. */
export function barChart(
  title: string,
  bars: readonly { readonly name: string; readonly values: readonly number[] }[],
  names: readonly string[],
  unit: string,
  text: (value: number) => string = numberText,
): string {
  if (bars.length === 0) return figure(title, unit, "", "wide");
  const most = Math.max(1e-9, ...bars.flatMap(({ values }) => values));
  const rows = bars.map(({ name, values }) => {
    const each = values.map((value, i) => {
      return `<i style="--part:${(value / most).toFixed(4)};background:${colourOf(i)}"></i><span>${escaped(text(value))}</span>`;
    });
    return `<dt>${escaped(name)}</dt><dd>${each.map((bar) => `<div>${bar}</div>`).join("")}</dd>`;
  });
  return figure(title, unit, `<dl class="bars">${rows.join("")}</dl>${keys(names)}`, "wide");
}

function svg(title: string, inside: string): string {
  return `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">${inside}</svg>`;
}

function figure(title: string, unit: string, inside: string, name = ""): string {
  const kind = name === "" ? "" : ` class="${name}"`;
  return `<figure${kind}><figcaption>${escaped(title)}<span>${escaped(unit)}</span></figcaption>${inside}</figure>`;
}

function keys(names: readonly string[]): string {
  if (names.length < 2) return "";
  const each = names.map((name, i) => `<span><i style="background:${colourOf(i)}"></i>${escaped(name)}</span>`);
  return `<div class="keys">${each.join("")}</div>`;
}

function colourOf(i: number): string {
  return colours[i % colours.length]!;
}

/** At most as many points as a screen shows. */
function thinned(points: Line["points"], merge: (values: readonly number[]) => number): Line["points"] {
  const step = Math.ceil(points.length / pointsMax);
  if (step <= 1) return points;
  return Array.from({ length: Math.ceil(points.length / step) }, (_, i) => {
    const part = points.slice(i * step, (i + 1) * step);
    return [part[0]![0], merge(part.map(([, value]) => value))] as const;
  });
}

/** Round values from 0 to at least `most`; `about` is their approximate number. */
function ticksOf(most: number, about: number): number[] {
  const rough = most <= 0 ? 1 / about : most / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((each) => each * power).find((each) => each >= rough * 0.999)!;
  return Array.from({ length: Math.ceil((most <= 0 ? 1 : most) / step - 1e-9) + 1 }, (_, i) => i * step);
}

/** A number as people read it: thousands apart, no more digits than it has meaning. */
export function numberText(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  const [whole, part] = String(Number(value.toFixed(digits))).split(".");
  const grouped = whole!.replace(/\B(?=(\d{3})+$)/g, ",");
  return part === undefined ? grouped : `${grouped}.${part}`;
}

function fixed(value: number): string {
  return value.toFixed(1);
}
