import type { AccountId, JobId, LeaseId, UserId } from "@tessera/core";
import type { GpuMetrics } from "@tessera/engine";
import type { Holder, TelemetryRow } from "../row.ts";

/** A whole hour, so that steps are easy to count. */
export const start = 1_800_000_000_000;
export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;

export function holder(job: string, account: string, rank = 0): Holder {
  const jobId = `job_${job}` as JobId;
  return {
    lease: `${jobId}-1-${rank}` as LeaseId,
    job: jobId,
    rank,
    account: `acc_${account}` as AccountId,
    user: `usr_${account}` as UserId,
  };
}

/** A whole GPU over ten seconds. */
export function row(at: number, gpu: string, whose: Partial<Holder>, metrics: GpuMetrics): TelemetryRow {
  return {
    ...{ at, spanMs: 10 * second, node: `local/node-${gpu[0]}`, gpu: `GPU-${gpu}`, model: "H100", share: 21_000 },
    ...{ source: "nvml", ...whose, metrics },
  };
}

/** One GPU over a stretch of time, a row every ten seconds. */
export function* rowsOver(
  from: number,
  to: number,
  gpu: string,
  whose: Partial<Holder>,
  metrics: GpuMetrics,
): Generator<TelemetryRow> {
  for (let at = from + 10 * second; at <= to; at += 10 * second) yield row(at, gpu, whose, metrics);
}
