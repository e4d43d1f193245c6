import { hour, type Instant, type MeasuredTime, minute } from "@tessera/core";
import { type TelemetryReader, TelemetryTooWide } from "@tessera/telemetry";

/** What telemetry knows of a lease in a span. */
export interface LeaseActivity extends MeasuredTime {
  readonly memoryPeakMiB?: number;
}

/** The leases that telemetry knows of, by id. */
export type ActivityBetween = (from: Instant, to: Instant) => Promise<ReadonlyMap<string, LeaseActivity>>;

/** The activity of all leases in a span. One that is too wide for one answer is asked for in halves: each can be read. */
export async function activityBetween(
  telemetry: Pick<TelemetryReader, "busy">,
  from: Instant,
  to: Instant,
): Promise<ReadonlyMap<string, LeaseActivity>> {
  try {
    const rows = await telemetry.busy({ from, to, by: "lease", filter: {} });
    return new Map(
      rows.map(({ key, measuredMs, busyMs, idleMs, memoryPeakMiB }) => [
        key,
        { measuredMs, busyMs, idleMs, ...(memoryPeakMiB !== undefined && { memoryPeakMiB }) },
      ]),
    );
  } catch (error) {
    const middle = middleOf(from, to);
    if (!(error instanceof TelemetryTooWide) || middle === undefined) throw error;
    const activity = new Map(await activityBetween(telemetry, from, middle));
    addActivity(activity, await activityBetween(telemetry, middle, to));
    return activity;
  }
}

export function addActivity(activity: Map<string, LeaseActivity>, more: ReadonlyMap<string, LeaseActivity>): void {
  for (const [lease, told] of more) activity.set(lease, joined(activity.get(lease), told));
}

function joined(before: LeaseActivity | undefined, told: LeaseActivity): LeaseActivity {
  if (before === undefined) return told;
  const peaks = [before.memoryPeakMiB, told.memoryPeakMiB].filter((peak) => peak !== undefined);
  return {
    measuredMs: before.measuredMs + told.measuredMs,
    busyMs: before.busyMs + told.busyMs,
    idleMs: before.idleMs + told.idleMs,
    ...(peaks.length > 0 && { memoryPeakMiB: Math.max(...peaks) }),
  };
}

/** At a whole hour where there is one between, else at a whole minute: samples are kept by these. */
function middleOf(from: Instant, to: Instant): Instant | undefined {
  const half = (from + to) / 2;
  const between = (at: number) => at > from && at < to;
  return [Math.round(half / hour) * hour, Math.round(half / minute) * minute].find(between);
}
