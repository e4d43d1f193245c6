import { type Instant, isRefusal, parseDuration, type Refusal, refuse } from "@tessera/core";
import { instantOrAgo } from "../zones.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

export const stepsMax = 2_000;
export const linesMax = 50;
const usualSpan = "1h";
/** So many steps make a smooth line; a screen shows little more. */
const usualSteps = 400;
const handySteps = [10 * second, 30 * second, minute, 5 * minute, 15 * minute, hour, 3 * hour, 6 * hour, day];
const stepMsMin = 10 * second;

export interface SeriesSpan {
  readonly from: Instant;
  readonly to: Instant;
  readonly stepMs: number;
}

/** The time that a question covers: each end an instant or a duration back from now; by default the last hour. */
export function seriesSpan(
  { from, to, step }: { readonly from?: string; readonly to?: string; readonly step?: string },
  now: Instant,
): SeriesSpan | Refusal {
  const duration = (field: string) => (text: string) => parseDuration(text, field);
  const until = to === undefined ? now : instantOrAgo(to, "to", now, duration("to"));
  if (isRefusal(until)) return until;
  const since = instantOrAgo(from ?? usualSpan, "from", now, duration("from"));
  if (isRefusal(since)) return since;
  const end = Math.min(until, now); // nothing was measured in the future
  if (since >= end)
    return refuse("invalid", "from", from ?? usualSpan, "is not before to", "give the earlier time first");
  const span = { from: Math.max(0, since), to: end };
  const stepMs = step === undefined ? handyStep(span.to - span.from) : parseDuration(step, "step");
  if (isRefusal(stepMs)) return stepMs;
  if (stepMs < stepMsMin)
    return refuse("invalid", "step", step ?? "", "is shorter than 10s", "give a step of 10s or more");
  const steps = Math.ceil((span.to - span.from) / stepMs) + 1;
  if (steps <= stepsMax) return { ...span, stepMs };
  const hint = `give a longer step or a shorter span: at most ${stepsMax} steps are answered`;
  return refuse("not-allowed", "step", step ?? "", `makes ${steps} steps (limit ${stepsMax})`, hint);
}

function handyStep(spanMs: number): number {
  const least = spanMs / usualSteps;
  return handySteps.find((step) => step >= least) ?? Math.ceil(least / day) * day;
}
