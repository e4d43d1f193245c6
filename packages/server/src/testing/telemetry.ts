import type { BusyQuery, BusyRow, TelemetryRow, TelemetryStore } from "@tessera/telemetry";

/** A store of samples that holds what a test puts into it. */
export function telemetryOf(held: {
  readonly rows: readonly TelemetryRow[];
  readonly busy?: (query: BusyQuery) => BusyRow[];
}): TelemetryStore {
  return {
    write() {},
    latest: () => newestOf(held.rows),
    latestMembers: () => [],
    series: async ({ stepMs }) => ({ stepMs, times: [], lines: [], leftOut: 0 }),
    busy: async (query) => held.busy?.(query) ?? [],
    status: async () => ({
      bytes: 0,
      bytesMax: 0,
      memoryBytes: 0,
      cpuMs: 0,
      rowsWritten: held.rows.length,
      rowsDropped: 0,
      oldest: {},
    }),
    async flush() {},
    async close() {},
  };
}

function newestOf(rows: readonly TelemetryRow[]): TelemetryRow[] {
  return [...new Map(rows.map((row) => [`${row.node} ${row.gpu} ${row.instance} ${row.lease}`, row])).values()];
}
