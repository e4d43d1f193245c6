import type { Instant, MeasuredTime } from "@tessera/core";

/** What telemetry knows of a lease in a span. */
export interface LeaseActivity extends MeasuredTime {
  readonly memoryPeakMiB?: number;
}

/** The leases that telemetry knows of, by id. */
export type ActivityBetween = (from: Instant, to: Instant) => Promise<ReadonlyMap<string, LeaseActivity>>;
