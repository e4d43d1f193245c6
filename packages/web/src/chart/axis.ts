import { spellClock, spellSeconds, spellTimeOfDay, spellUtcDay } from "../format/times.ts";
import { zoneName } from "../format/zone.ts";
import type { ChartView, Kind } from "./view.ts";

const dayMs = 86_400_000;

/** Whether each step is one or more calendar days. The server counts them in UTC. */
export function isOfDays({ stepMs }: Pick<ChartView, "stepMs">): boolean {
  return stepMs >= dayMs;
}

/** The zone of the axis: UTC where steps are days, otherwise the zone that the reader has chosen. */
export function zoneOf(view: Pick<ChartView, "stepMs">, chosen = zoneName()): string {
  return isOfDays(view) ? "UTC" : chosen;
}

/** Hours, with the day where it begins; days alone where the ticks are days. `step`: from tick to tick, in seconds. */
export function timeTexts(
  splits: readonly number[],
  step: number,
  timeZone: string,
  hasRoom: (split: number) => boolean,
): string[] {
  const seconds = step < 60 ? ({ second: "2-digit" } as const) : {};
  const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", ...seconds, timeZone });
  const date = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric", timeZone });
  const first = splits.findIndex(hasRoom);
  return splits.map((split, no) => {
    if (no < first) return "";
    const at = new Date(split * 1000);
    if (step * 1000 >= dayMs) return date.format(at);
    const text = clock.format(at);
    return no === first || text === "00:00" ? `${text}\n${date.format(at)}` : text;
  });
}

const minuteMs = 60_000;

/** What stands in a minute is sampled once: a longer step has a span, and its value is one over it. */
const suffixes = { mean: ", mean", end: ", at its end", sum: "", starts: "" } as const;

/** The name of a step: its instant, its day, or its span where that is longer than a minute, and what its value is. */
export function stepText(
  { times, stepMs, to, each }: Pick<ChartView, "times" | "stepMs" | "to" | "each">,
  step: number,
  kind: Kind,
): string {
  const at = times[step];
  if (at === undefined) return "";
  const text = new Date(at).toISOString();
  const suffix = each === undefined ? "" : suffixes[each];
  if (stepMs === dayMs) return `${spellUtcDay(at)}${suffix}`;
  if (stepMs > dayMs) return `${Math.round(stepMs / dayMs)} days from ${spellUtcDay(at)}${suffix}`;
  if (stepMs < minuteMs) return spellSeconds(text);
  if (stepMs === minuteMs || (each === undefined && kind !== "bars")) return spellClock(text);
  // The last step may be under way.
  return `${spellClock(text)} to ${spellTimeOfDay(Math.min(at + stepMs, Math.max(at, to)))}${suffix}`;
}
