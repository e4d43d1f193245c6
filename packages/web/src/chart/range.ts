import { spellSpan } from "../format/times.ts";
import { useAddress } from "../frame/address.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

export const rangeNames = ["1h", "6h", "1d", "7d", "30d", "90d"] as const;
export type RangeName = (typeof rangeNames)[number];

const lengths: Readonly<Record<RangeName, number>> = {
  "1h": hour,
  "6h": 6 * hour,
  "1d": day,
  "7d": 7 * day,
  "30d": 30 * day,
  "90d": 90 * day,
};
/** A shorter one would hold fewer than five steps. */
const shortestMs = 5 * minute;
const longestMs = 90 * day;
/** Of what is older nothing is kept. */
const keptMs = 400 * day;

/** The time that all charts of a page show: up to now, or between two instants that were chosen on a chart. */
export type Range = { readonly name: RangeName } | { readonly from: number; readonly to: number };

/** What a range is in the address: `1d`, or two instants. */
export function readRange(text: string | null, usual: RangeName): Range {
  const name = rangeNames.find((each) => each === text);
  if (name !== undefined) return { name };
  const [from = Number.NaN, to = Number.NaN] = (text ?? "").split("~").map((instant) => Date.parse(instant));
  return from < to && to - from <= longestMs ? { from, to } : { name: usual };
}

export function writeRange(range: Range): string {
  return "name" in range ? range.name : `${new Date(range.from).toISOString()}~${new Date(range.to).toISOString()}`;
}

export function lengthOf(range: Range): number {
  return "name" in range ? lengths[range.name] : range.to - range.from;
}

/** The time as `GET /v1/series` takes it; `before` = the period of the same length before it. */
export function queryOf(range: Range, before = false): { readonly from: string; readonly to?: string } {
  const length = lengthOf(range);
  if ("name" in range) {
    const minutes = length / minute;
    return before ? { from: `${2 * minutes}m`, to: `${minutes}m` } : { from: `${minutes}m` };
  }
  const shift = before ? length : 0;
  return { from: new Date(range.from - shift).toISOString(), to: new Date(range.to - shift).toISOString() };
}

/** Reports can reach the server this late, so a range that ends earlier is final. */
const lateMs = 2 * minute;

/** Whether data of a range can still change. */
export function isUnderWay(range: Range, now: number): boolean {
  return "name" in range || range.to + lateMs > now;
}

/** The calendar days (UTC) that a range touches. The last 7 days are today and the six before. */
export function wholeDays(range: Range, now: number): { readonly from: number; readonly to: number } {
  const end = Math.ceil(("name" in range ? now : range.to) / day) * day;
  const length = lengthOf(range);
  if ("name" in range && length >= day) return { from: end - length, to: end };
  return { from: Math.floor(("name" in range ? now - length : range.from) / day) * day, to: end };
}

const words: Readonly<Record<RangeName, string>> = {
  "1h": "1 hour",
  "6h": "6 hours",
  "1d": "1 day",
  "7d": "7 days",
  "30d": "30 days",
  "90d": "90 days",
};

/** The length of a range in words. */
export function rangeWords(range: Range): string {
  return "name" in range ? words[range.name] : spellSpan(lengthOf(range));
}

const coarseSteps = [1, 5, 15, 60, 360, 1440, 4320] as const;

/** Steps for what is counted: about thirty in a range, so that each holds enough to compare. */
export function coarseStep(range: Range): string {
  return `${coarseMinutes(range)}m`;
}

function coarseMinutes(range: Range): number {
  const least = lengthOf(range) / minute / 30;
  return coarseSteps.find((minutes) => minutes >= least) ?? coarseSteps[6];
}

/** Ranges of this length and more are divided by calendar day. */
const byDaysFrom = 2 * day;

/**
 * A range as steps that are asked for one by one, oldest first: parts of a day, days of UTC, or several days. Steps are
 * aligned, and the running one counts as a whole one: the last 7 days are today and the six before.
 */
export function partsOf(range: Range, now: number): { readonly stepMs: number; readonly parts: readonly Part[] } {
  const ofDays = lengthOf(range) >= byDaysFrom;
  const stepMs = Math.max(ofDays ? day : 0, coarseMinutes(range) * minute);
  const align = Math.min(day, stepMs);
  const end = Math.ceil(("name" in range ? now : range.to) / align) * align;
  const from = "name" in range ? end - lengthOf(range) : Math.floor(range.from / align) * align;
  const parts = Array.from({ length: Math.ceil((end - from) / stepMs) }, (_, no) => from + no * stepMs)
    .filter((at, no) => no === 0 || at < now)
    .map((at) => ({ from: at, to: Math.min(at + stepMs, end, Math.max(now, at)) }));
  return { stepMs, parts };
}

/** The time that figures of a range are of, with no end where that is now; `before` = the same length of time before it. */
export function timeOf(range: Range, now: number, before = false): { readonly from: string; readonly to?: string } {
  const { stepMs, parts } = partsOf(range, now);
  const [from, to] = [parts[0]!.from, parts.at(-1)!.to];
  const earlier = from - parts.length * stepMs;
  if (before) return { from: new Date(earlier).toISOString(), to: new Date(from).toISOString() };
  return { from: new Date(from).toISOString(), ...(to !== now && { to: new Date(to).toISOString() }) };
}

/** A part of a range, in milliseconds. */
export interface Part {
  readonly from: number;
  readonly to: number;
}

/** The range of a dragged part of a chart, in whole minutes; undefined if it is too short to show anything. */
export function zoomed(from: number, to: number): Range | undefined {
  const whole = { from: Math.floor(from / minute) * minute, to: Math.ceil(to / minute) * minute };
  return to - from < minute ? undefined : { ...whole, to: Math.max(whole.to, whole.from + shortestMs) };
}

/** The range half its length earlier (-1) or later (1). One that would pass now ends now, and is as long as before. */
export function moved(range: Range, direction: -1 | 1, now = Date.now()): Range {
  const length = lengthOf(range);
  const to = ("name" in range ? now : range.to) + (direction * length) / 2;
  const name = rangeNames.find((each) => lengths[each] === length);
  if (to >= now && name !== undefined) return { name };
  const end = Math.min(to, now);
  return { from: end - length, to: end };
}

/** What is wrong with one end of a range. */
export interface WrongEnd {
  readonly end: "from" | "to";
  readonly why: string;
}

/** The range between two instants as they were typed, empty where none was; or what is wrong with them. */
export function rangeBetween(from: string, to: string, now: number): Range | WrongEnd {
  const [begin, end] = [Date.parse(from), Date.parse(to)];
  if (Number.isNaN(begin)) return { end: "from", why: "Give a day and a time" };
  if (begin >= now) return { end: "from", why: "This has not come yet; give a time before now" };
  if (begin < now - keptMs) return { end: "from", why: `Only ${keptMs / day} days are kept; give a later time` };
  if (Number.isNaN(end)) return { end: "to", why: "Give a day and a time" };
  if (end <= begin) return { end: "to", why: "This is not after the begin; give a later time" };
  if (end - begin < shortestMs) return { end: "to", why: "Less than 5 minutes after the begin; give a later time" };
  if (end - begin > longestMs)
    return { end: "to", why: `More than ${longestMs / day} days after the begin; give an earlier time` };
  return { from: begin, to: end };
}

/** The time of some steps of a chart, the first and the last included, in either order. */
export function timeOfSteps(
  { times, stepMs }: { readonly times: readonly number[]; readonly stepMs: number },
  ...ends: readonly [number, number]
): Part {
  return { from: times[Math.min(...ends)]!, to: times[Math.max(...ends)]! + stepMs };
}

/** A part of the time of one thing, such as a job, that was chosen on one of its charts; undefined = all of it. */
export function useZoom() {
  const [params, set] = useAddress();
  const range = readRange(params.get("range"), "1d");
  const zoom = "name" in range ? undefined : range;
  const onZoom = (from: number, to: number) => {
    const next = zoomed(from, to);
    if (next !== undefined) set({ range: writeRange(next) }, { push: true });
  };
  return { zoom, onZoom, showAll: () => set({ range: undefined }, { push: true }) };
}

/** The range of the page, which is in its address. */
export function useRange(usual: RangeName = "1d") {
  const [params, set] = useAddress();
  const range = readRange(params.get("range"), usual);
  const choose = (next: Range) =>
    set({ range: "name" in next && next.name === usual ? undefined : writeRange(next) }, { push: true });
  const compares = params.get("compare") === "before";
  const compare = (on: boolean) => set({ compare: on ? "before" : undefined }, { push: true });
  return { range, choose, compares, compare };
}
