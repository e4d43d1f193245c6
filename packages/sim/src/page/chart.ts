/** A line of a chart: values by place on the horizontal axis. */
export interface Line {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

const width = 720;
const height = 200;
const left = 56;
const bottom = 24;
const top = 12;
const pointsMax = 480;
const colours = ["#1f6feb", "#d1242f", "#1a7f37"] as const;

/** Lines over time as inline SVG; hours from the beginning below, values at the left. */
export function lineChart(title: string, lines: readonly Line[], unit: string): string {
  const all = lines.flatMap(({ points }) => points);
  if (all.length === 0) return "";
  const xMax = Math.max(1, ...all.map(([x]) => x));
  const yMax = niceMax(Math.max(0, ...all.map(([, y]) => y)));
  const x = (value: number) => left + (value / xMax) * (width - left - 8);
  const y = (value: number) => height - bottom - (value / yMax) * (height - bottom - top);
  const paths = lines.map(({ points }, i) => {
    const path = thinned(points).map(([px, py], at) => `${at === 0 ? "M" : "L"}${fixed(x(px))} ${fixed(y(py))}`);
    return `<path d="${path.join("")}" fill="none" stroke="${colours[i % colours.length]}" stroke-width="1.5"/>`;
  });
  const marks = [0, 0.5, 1].map((part) => {
    const at = fixed(y(part * yMax));
    return `<line x1="${left}" x2="${width - 8}" y1="${at}" y2="${at}" class="grid"/><text x="${left - 6}" y="${at}" dy="4" text-anchor="end">${numberText(part * yMax)}</text>`;
  });
  const hours = [0, 0.25, 0.5, 0.75, 1].map((part) => {
    const anchor = part === 0 ? "start" : part === 1 ? "end" : "middle";
    return `<text x="${fixed(x(part * xMax))}" y="${height - 6}" text-anchor="${anchor}">${numberText(part * xMax)} h</text>`;
  });
  const legend = lines.length < 2 ? "" : `<p>${lines.map(({ name }, i) => key(name, i)).join(" ")}</p>`;
  return figure(title, unit, `${svg(height, [...marks, ...hours, ...paths].join(""))}${legend}`);
}

/** Bars from the left, one for each name, with a second one where two are compared. */
export function barChart(
  title: string,
  bars: readonly { readonly name: string; readonly values: readonly number[] }[],
  names: readonly string[],
  unit: string,
): string {
  if (bars.length === 0) return "";
  const max = Math.max(1e-9, ...bars.flatMap(({ values }) => values));
  const each = 10 * names.length + 8;
  const from = 150;
  const rows = bars.flatMap(({ name, values }, row) => [
    `<text x="${from - 8}" y="${row * each + each / 2}" dy="4" text-anchor="end">${escaped(name)}</text>`,
    ...values.flatMap((value, i) => {
      const [at, long] = [row * each + 4 + i * 10, (value / max) * (width - from - 90)];
      return [
        `<rect x="${from}" y="${at}" width="${fixed(Math.max(1, long))}" height="8" fill="${colours[i % colours.length]}"/>`,
        `<text x="${fixed(from + long + 6)}" y="${at + 8}" class="small">${numberText(value)}</text>`,
      ];
    }),
  ]);
  const legend = names.length < 2 ? "" : `<p>${names.map(key).join(" ")}</p>`;
  return figure(title, unit, `${svg(bars.length * each + 4, rows.join(""))}${legend}`);
}

function svg(tall: number, inside: string): string {
  return `<svg viewBox="0 0 ${width} ${tall}" role="img">${inside}</svg>`;
}

function figure(title: string, unit: string, inside: string): string {
  return `<figure><figcaption>${escaped(title)} <span>${escaped(unit)}</span></figcaption>${inside}</figure>`;
}

function key(name: string, i: number): string {
  return `<span class="key"><i style="background:${colours[i % colours.length]}"></i>${escaped(name)}</span>`;
}

/** At most as many points as a screen shows; of each stretch the mean. */
function thinned(points: Line["points"]): Line["points"] {
  const step = Math.ceil(points.length / pointsMax);
  if (step <= 1) return points;
  return Array.from({ length: Math.ceil(points.length / step) }, (_, i) => {
    const part = points.slice(i * step, (i + 1) * step);
    return [part[0]![0], part.reduce((sum, [, y]) => sum + y, 0) / part.length] as const;
  });
}

function niceMax(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 2.5, 5, 10].map((each) => each * power).find((each) => each >= value)!;
}

function numberText(value: number): string {
  const rounded = Math.abs(value) >= 100 ? Math.round(value) : Math.round(value * 100) / 100;
  return String(rounded).replace(/\B(?=(\d{3})+$)/g, ",");
}

function fixed(value: number): string {
  return value.toFixed(1);
}

/** Text as it may stand in a page. */
export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
