import assert from "node:assert/strict";
import { it } from "node:test";
import { hour, minute } from "@tessera/core";
import { type BusyQuery, type BusyRow, TelemetryAway, TelemetryTooWide } from "@tessera/telemetry";
import { activityBetween } from "./activity.ts";

/** Two leases that are busy half of the time; one is there in the first hours only, with a peak that grows. */
function busyOf({ from, to }: BusyQuery): BusyRow[] {
  const row = (key: string, ms: number, memoryPeakMiB: number): BusyRow => ({
    ...{ key, memoryPeakMiB, sampledMs: ms, measuredMs: ms, leasedMs: ms, busyMs: ms / 2, idleMs: ms / 4 },
  });
  const early = Math.min(to, 5 * hour) - from;
  return [row("late", to - from, to / minute), ...(early > 0 ? [row("early", early, 7)] : [])];
}

it("asks for a span in halves where it is too wide for one answer, and adds them up", async () => {
  for (const mostMs of [24 * hour, 5 * hour, 20 * minute]) {
    const busy = async (query: BusyQuery) => {
      if (query.to - query.from > mostMs) throw new TelemetryTooWide("too wide");
      return busyOf(query);
    };
    const from = 17 * minute;
    const told = await activityBetween({ busy }, from, 24 * hour);
    const sums = (ms: number, memoryPeakMiB: number) => ({
      measuredMs: ms,
      busyMs: ms / 2,
      idleMs: ms / 4,
      memoryPeakMiB,
    });
    assert.deepEqual([...told].sort(), [
      ["early", sums(5 * hour - from, 7)],
      ["late", sums(24 * hour - from, 24 * 60)],
    ]);
  }
});

it("says so where even a minute is too wide, and where there is no answer at all", async () => {
  const failing = (error: Error) => ({ busy: () => Promise.reject(error) });
  await assert.rejects(activityBetween(failing(new TelemetryTooWide("wide")), 0, hour), TelemetryTooWide);
  await assert.rejects(activityBetween(failing(new TelemetryAway("away")), 0, hour), TelemetryAway);
});
