import assert from "node:assert/strict";
import { test } from "node:test";
import type { WasteReport } from "@tessera/wire";
import { StandIn } from "../../testing/stand-in.ts";
import { runTess } from "../../testing/terminal.ts";

const hour = 21_000n * 3_600_000n;
const part = (hours: bigint, micros: bigint) => ({ unitMs: String(hour * hours), micros: String(micros * 1_000_000n) });
const classes = { busy: part(6n, 12n), allocated_idle: part(2n, 4n), unallocated_idle: part(8n, 16n) };

const report: WasteReport = {
  from: "2026-11-15T00:00:00.000Z",
  to: "2026-11-15T01:00:00.000Z",
  by: "account",
  currency: "EUR",
  rows: [
    { key: "", ...part(8n, 16n), gpuHours: "8", classes: { unallocated_idle: classes.unallocated_idle } },
    {
      key: "lab",
      ...part(8n, 16n),
      gpuHours: "8",
      classes: { busy: classes.busy, allocated_idle: classes.allocated_idle },
    },
  ],
  total: { ...part(16n, 32n), gpuHours: "16", classes },
  capacity: {
    ...part(16n, 32n),
    gpuHours: "16",
    exact: true,
    differenceUnitMs: "0",
    perCentMonthMicros: "230400000",
  },
  oversized: [
    {
      job: "job_0000000000000001",
      name: "tune",
      account: "lab",
      held: "H100:1",
      memoryHeldMiB: 81_920,
      memoryPeakMiB: 11 * 1024,
      activity: 12.5,
      smaller: "H100:1g.20gb",
      savesUnitMs: "1",
      savesMicros: "1700000",
    },
  ],
  free: [{ model: "H100", gpus: 8, whole: 8, nodes: { 2: 4 } }],
  unfit: [{ shape: "H100:4", jobs: 3, reason: "8 H100 are free, but at most 2 on one node." }],
};

test("waste shows the classes, the teams, what is oversized and what does not fit, and that it adds up", async (t) => {
  const server = await StandIn.start(t);
  server.on("readWaste", () => report);
  const { out } = await runTess(["waste", "--from", "1h"], { env: { ...server.env, TZ: "UTC" } });
  assert.deepEqual(server.requestsTo("readWaste")[0]?.query, { by: "account", from: "1h" });
  for (const line of [
    /^busy +6\.00 +37\.5% +12\.00 EUR/m,
    /^allocated, idle +2\.00 +12\.5% +4\.00 EUR/m,
    /^\(no lease\) +8\.00 +0\.00 +0\.00 +0\.00 +0\.00 +16\.00 EUR/m,
    /^lab +8\.00 +6\.00 +2\.00 +0\.00 +0\.00 +4\.00 EUR/m,
    /tune \(lab\): asked H100:1 with 80 GiB each, used 11 GiB and 12\.5% of it; H100:1g\.20gb would do and save 1\.70 EUR/,
    /H100:4 \(3 jobs\): 8 H100 are free, but at most 2 on one node\./,
    /8 H100 free now: 4 nodes with 2/,
    /Capacity: 16\.00 GPU-hours = the classes above {2}exact/,
    /One more per cent of it in use is worth 230\.40 EUR a month\./,
  ])
    assert.match(out, line);
  assert.deepEqual(JSON.parse((await runTess(["waste", "-o", "json"], { env: server.env })).out), report);
  const csv = await runTess(["waste", "-o", "csv"], { env: server.env });
  assert.match(csv.out, /^account,gpu-hours,busy,idle,unmeasured,lost,wasted,busy,/m);
  server.on("readWaste", () => ({ ...report, capacity: { ...report.capacity!, exact: false, differenceUnitMs: "9" } }));
  assert.match((await runTess(["waste"], { env: server.env })).out, /NOT exact: 9 unit-ms apart/);
});
