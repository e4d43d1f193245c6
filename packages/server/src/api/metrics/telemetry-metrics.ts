import { unitsPerGpu } from "@tessera/core";
import type { TelemetryStatus } from "@tessera/telemetry";
import type { Reconciled } from "../../flow/activity/reconcile.ts";
import { MetricsText } from "./metrics-text.ts";

/** How the store of samples stands, and what came of comparing leased with busy time. */
export function telemetryMetrics(status: TelemetryStatus | undefined, reconciled: Reconciled | undefined): string {
  const out = new MetricsText();
  if (status !== undefined) {
    const { rowsWritten, rowsDropped, bytes, bytesMax } = status;
    out.counter("tessera_telemetry_rows_total", "Samples kept since start.", rowsWritten);
    out.counter("tessera_telemetry_dropped_rows_total", "Samples that could not be kept.", rowsDropped);
    out.gauge("tessera_telemetry_bytes", "Disk space that samples take.", bytes);
    out.gauge("tessera_telemetry_max_bytes", "Disk space that samples may take.", bytesMax);
  }
  out.family(
    "tessera_reconciled_gpu_seconds",
    "gauge",
    "GPU time of the last whole hour. Measured and unmeasured make up leased; busy is a part of measured.",
  );
  if (reconciled === undefined) return out.text;
  const { leasedUnitMs, measuredUnitMs, unmeasuredUnitMs, busyUnitMs } = reconciled;
  const parts = { leased: leasedUnitMs, measured: measuredUnitMs, unmeasured: unmeasuredUnitMs, busy: busyUnitMs };
  for (const [what, unitMs] of Object.entries(parts))
    out.value("tessera_reconciled_gpu_seconds", `what="${what}"`, Number(unitMs) / unitsPerGpu / 1_000);
  out.gauge(
    "tessera_reconciled_idle_jobs",
    "Jobs that left their GPUs idle in the last whole hour.",
    reconciled.leasedNotBusy.length,
  );
  out.gauge(
    "tessera_reconciled_unleased_gpus",
    "GPUs that worked without a lease for a minute or longer in the last whole hour.",
    reconciled.busyNotLeased.length,
  );
  return out.text;
}
