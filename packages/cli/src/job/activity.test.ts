import assert from "node:assert/strict";
import { test } from "node:test";
import type { BusyReport, SeriesView } from "@tessera/wire";
import { StandIn } from "../testing/stand-in.ts";
import { runTess } from "../testing/terminal.ts";
import { jobOf } from "../testing/things.ts";

const at = "2026-11-15T10:00:00.000Z";
const span = { from: at, to: "2026-11-15T10:15:00.000Z" };
const busyRow = { key: "job_1", measuredMs: 7_200_000, busyMs: 5_400_000, idleMs: 720_000, memoryPeakMiB: 41_984 };
const busy: BusyReport = { ...span, by: "job", rows: [busyRow] };
const series = (values: (number | null)[]): SeriesView => ({
  ...{ metric: "activity", unit: "%", by: "none", from: 0, to: 1, stepMs: 60_000, leftOut: 0 },
  times: values.map((_, n) => n),
  series: [{ key: "", label: "", values }],
});

test("describe shows what the GPUs of a job did, minute by minute and since its start", async (t) => {
  const server = await StandIn.start(t);
  server.on("getJob", () => jobOf({ startedAt: at, ...{ endedAt: span.to, state: "ended", outcome: "succeeded" } }));
  server.on("readBusy", () => busy);
  server.on("readSeries", () => series([0, 50, null, 99]));
  const { out } = await runTess(["describe", "job", "llama-ft"], { env: server.env });
  assert.match(out, /Final 15 min +▁▅·█ 99\.0 % {2}\(· not measured\)\n/);
  assert.match(out, /Since start +75\.0 % busy, 10\.0 % of the time idle, over 2\.00 measured GPU-hours\n/);
  assert.match(out, /Memory peak +41 GiB on one GPU\n/);
  assert.deepEqual(server.requestsTo("readBusy")[0]?.query, { by: "job", job: "job_1", ...span });
});

test("describe says that nothing was measured, and works where nothing can be asked", async (t) => {
  const server = await StandIn.start(t);
  server.on("getJob", () => jobOf({ startedAt: at }));
  server.on("readBusy", () => ({ ...busy, rows: [] }));
  server.on("readSeries", () => series([null, null]));
  const { out } = await runTess(["describe", "job", "llama-ft"], { env: server.env });
  assert.match(out, /Last 15 min +not measured\n +Since start +not measured\n/);
  server.on("readBusy", () => ({
    status: 503,
    body: { type: "x", title: "x", status: 503, detail: "x", code: "unavailable" },
  }));
  const without = await runTess(["describe", "job", "llama-ft"], { env: server.env });
  assert.equal(without.code, 0);
  assert.doesNotMatch(without.out, /Activity/);
});
