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

const coarseSteps = [1, 5, 15, 60, 360, 1440, 4320] as const;

/** Steps for what is counted: about thirty in a range, so that each holds enough to compare. */
export function coarseStep(range: Range): string {
  const least = lengthOf(range) / minute / 30;
  return `${coarseSteps.find((minutes) => minutes >= least) ?? coarseSteps[6]}m`;
}

/** The range that a part of a chart is; undefined where it is too short to show anything. */
export function zoomed(from: number, to: number): Range | undefined {
  const whole = { from: Math.floor(from / minute) * minute, to: Math.ceil(to / minute) * minute };
  return to - from < minute ? undefined : { ...whole, to: Math.max(whole.to, whole.from + shortestMs) };
}

/** Half its length earlier (-1) or later (1); what would reach beyond now is up to now. */
export function moved(range: Range, direction: -1 | 1, now = Date.now()): Range {
  const length = lengthOf(range);
  const to = ("name" in range ? now : range.to) + (direction * length) / 2;
  if (to < now) return { from: to - length, to };
  return { name: rangeNames.find((name) => lengths[name] >= length) ?? "90d" };
}

/** A part of the time of one thing, such as a job, that was chosen on one of its charts; undefined = all of it. */
export function useZoom() {
  const [params, set] = useAddress();
  const range = readRange(params.get("range"), "1d");
  const zoom = "name" in range ? undefined : range;
  const onZoom = (from: number, to: number) => {
    const next = zoomed(from, to);
    if (next !== undefined) set({ range: writeRange(next) });
  };
  return { zoom, onZoom, showAll: () => set({ range: undefined }) };
}

/** The range of the page, which is in its address. */
export function useRange(usual: RangeName = "1d") {
  const [params, set] = useAddress();
  const range = readRange(params.get("range"), usual);
  const choose = (next: Range) => set({ range: "name" in next && next.name === usual ? undefined : writeRange(next) });
  const compares = params.get("compare") === "before";
  const compare = (on: boolean) => set({ compare: on ? "before" : undefined });
  return { range, choose, compares, compare };
}
