import { unitsPerGpu } from "@tessera/core";
import { idleBelow, type TelemetryRow } from "@tessera/telemetry";
import type { TopRow } from "@tessera/wire";
import { isSimulated } from "./holding.ts";

/** GPUs and instances at work that no lease holds. */
export function busyWithoutLease(rows: readonly TelemetryRow[]): TelemetryRow[] {
  return rows.filter(({ lease, metrics: { smActive } }) => lease === undefined && (smActive ?? 0) >= idleBelow);
}

/** The same as rows of the table by GPU. */
export function unleasedRows(rows: readonly TelemetryRow[]): TopRow[] {
  return busyWithoutLease(rows).map((row) => {
    const { smActive = 0, memoryUsedMiB, powerMilliwatts } = row.metrics;
    return {
      ...{ key: row.instance ?? row.gpu, node: row.node, model: row.model, state: "unleased" as const },
      ...{ gpus: row.share / unitsPerGpu, measuredGpus: row.share / unitsPerGpu, activity: smActive / 100 },
      ...(memoryUsedMiB !== undefined && { memoryUsedMiB }),
      ...(powerMilliwatts !== undefined && { powerWatts: powerMilliwatts / 1_000 }),
      ...(isSimulated(row) && { simulated: true as const }),
    };
  });
}
