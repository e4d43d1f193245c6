import assert from "node:assert/strict";
import { test } from "node:test";
import type { BusyReport, UsageReport } from "@tessera/wire";
import { StandIn } from "../../testing/stand-in.ts";
import { runTess } from "../../testing/terminal.ts";

const hour = 3_600_000;
const gpuHour = 21_000n * BigInt(hour);
const span = { from: "2026-11-15T00:00:00.000Z", to: "2026-11-15T10:00:00.000Z", by: "user" as const };
const rowOf = (key: string, hours: bigint) => ({
  ...{ key, unitMs: String(gpuHour * hours), byState: { running: String(gpuHour * hours) }, gpuHours: String(hours) },
});
const usage: UsageReport = {
  ...span,
  rows: [rowOf("ana", 3n), rowOf("bo", 2n), rowOf("cy", 1n)],
  total: String(gpuHour * 6n),
};
const busy: BusyReport = {
  ...span,
  rows: [
    { key: "ana", measuredMs: 2 * hour, busyMs: hour, idleMs: 0, memoryPeakMiB: 1_000 },
    { key: "cy", measuredMs: 2 * hour, busyMs: 0, idleMs: 2 * hour, simulated: true },
  ],
};

test("usage --busy parts leased time into measured, busy and not measured, which is never shown as idle", async (t) => {
  const server = await StandIn.start(t);
  server.on("readUsage", () => usage);
  server.on("readBusy", () => busy);
  const { out } = await runTess(["usage", "--by", "user", "--busy", "--from", "10h"], {
    env: { ...server.env, TZ: "UTC" },
  });
  assert.deepEqual(out.split("\n").slice(1), [
    "USER   GPU-HOURS  SHARE  MEASURED  BUSY  BUSY-SHARE  NOT-MEASURED  NOTE",
    "ana         3.00    50%      2.00  1.00       50.0%          1.00",
    "bo          2.00  33.3%         -     -           -          2.00",
    "cy          1.00  16.7%      1.00  0.00        0.0%          0.00  simulated",
    "total       6.00   100%      3.00  1.00       33.3%          3.00  simulated",
    "",
  ]);
  const { from, to } = usage;
  assert.deepEqual(server.requestsTo("readBusy")[0]?.query, { by: "user", from, to });
  const json = JSON.parse((await runTess(["usage", "--by", "user", "--busy", "--json"], { env: server.env })).out);
  assert.deepEqual(json, { ...usage, measured: busy.rows });
});
