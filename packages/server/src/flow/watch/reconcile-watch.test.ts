import assert from "node:assert/strict";
import { it } from "node:test";
import { hour, minute } from "@tessera/core";
import type { BusyRow, TelemetryRow } from "@tessera/telemetry";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { telemetryOf } from "../../testing/telemetry.ts";
import { Alarms } from "../alarms.ts";
import { ReconcileWatch } from "./reconcile-watch.ts";

const begin = Date.UTC(2100, 0, 1, 17);
const gpuHour = 21_000n * BigInt(hour);

async function watchOf(rows: TelemetryRow[], busy: BusyRow[] = []) {
  const control = await TestControl.start(undefined, fleetOf(1, 1));
  control.setTime(begin + 60_000);
  const alarms = new Alarms();
  const raised: string[] = [];
  alarms.follow(({ text }) => raised.push(text));
  const watch = new ReconcileWatch({
    ...{ control, alarms, clock: { now: () => control.now(), at: () => () => {} } },
    telemetry: telemetryOf({ rows, busy: () => busy }),
    leasedIn: async () => [{ job: "job_1", unitMs: String(gpuHour) }],
  });
  const until = async (minutes: number, put: (at: number) => void = () => {}) => {
    for (let at = control.now(); at <= begin + minutes * minute; at += 10_000) {
      control.setTime(at);
      put(at);
      await watch.look();
    }
  };
  const stray = (at: number) => {
    const of = { node: "local/n1", gpu: "GPU-1", model: "H100", share: 21_000, source: "nvml" as const };
    rows.splice(0, rows.length, { ...of, at, spanMs: 5_000, metrics: { smActive: 4_000 } });
  };
  return { watch, alarms, raised, until, stray };
}

it("raises an alarm once a GPU has worked without a lease for a minute, and ends it after an hour without", async () => {
  const { alarms, raised, until, stray, watch } = await watchOf([]);
  await until(1.5, stray);
  assert.deepEqual(alarms.list(), [], "not for what samples at the edges of leases show");
  await until(10, stray);
  assert.deepEqual(
    alarms.list().map(({ kind }) => kind),
    ["unleased"],
  );
  assert.match(
    raised[0]!,
    /^A GPU was busy without a lease between 17:00 and 17:0\d UTC: GPU-1 on local\/n1 \(1 min\)/,
  );
  assert.equal(raised.length, 1, "told once, not at every look");
  await until(62);
  assert.equal(watch.last?.busyNotLeased[0]?.gpu, "GPU-1");
  assert.equal(alarms.list().length, 1, "still there: the hour had it");
  await until(122);
  assert.deepEqual([watch.last?.busyNotLeased, alarms.list()], [[], []]);
});

it("compares the books with the samples of each whole hour", async () => {
  const row = { sampledMs: hour, leasedMs: hour, measuredMs: hour / 2, busyMs: 60_000, idleMs: hour / 2 };
  const { watch, until } = await watchOf([], [{ key: "job_1", ...row }]);
  await until(60);
  assert.equal(watch.last?.toAt, begin, "samples of the last seconds are waited for");
  await until(62);
  const { leasedUnitMs, measuredUnitMs, unmeasuredUnitMs, leasedNotBusy, toAt } = watch.last!;
  assert.deepEqual([leasedUnitMs, measuredUnitMs, unmeasuredUnitMs], [gpuHour, gpuHour / 2n, gpuHour / 2n]);
  assert.deepEqual([leasedNotBusy.map(({ job }) => job), toAt], [["job_1"], begin + hour]);
});
