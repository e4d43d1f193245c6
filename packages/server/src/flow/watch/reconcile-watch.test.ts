import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { hour, minute } from "@tessera/core";
import type { BusyRow, TelemetryRow } from "@tessera/telemetry";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { telemetryOf } from "../../testing/telemetry.ts";
import type { UnleasedNote } from "../activity/unleased-notes.ts";
import { UnleasedFile } from "../activity/unleased-notes.ts";
import { Alarms } from "../alarms.ts";
import { ReconcileWatch } from "./reconcile-watch.ts";

const begin = Date.UTC(2100, 0, 1, 17);
const gpuHour = 21_000n * BigInt(hour);

/** Notes that outlast the watch. */
function notesInMemory() {
  let kept: string | undefined;
  return {
    read: (): UnleasedNote | undefined => (kept === undefined ? undefined : JSON.parse(kept)),
    write: (note: UnleasedNote) => {
      kept = JSON.stringify(note);
    },
  };
}

async function watchOf(rows: TelemetryRow[], busy: BusyRow[] = [], notes = notesInMemory(), startMs = 60_000) {
  const control = await TestControl.start(undefined, fleetOf(1, 1));
  control.setTime(begin + startMs);
  const alarms = new Alarms();
  const raised: string[] = [];
  alarms.follow(({ text }) => raised.push(text));
  const watch = new ReconcileWatch({
    ...{ control, alarms, notes, clock: { now: () => control.now(), at: () => () => {} } },
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

it("goes on counting after a restart, in the same hour and for the hour before it", async () => {
  const notes = notesInMemory();
  const first = await watchOf([], [], notes);
  await first.until(1.5, first.stray);
  assert.deepEqual(first.raised, []);
  const second = await watchOf([], [], notes, 100_000);
  await second.until(2.2, second.stray);
  assert.equal(second.raised.length, 1, "half a minute before the restart and half after it");
  const later = await watchOf([], [], notes, hour + minute);
  await later.until(61.5);
  assert.equal(later.watch.last?.busyNotLeased[0]?.gpu, "GPU-1");
});

it("reads back what was noted in a file, and nothing from a damaged one", () => {
  const folder = mkdtempSync(join(tmpdir(), "tessera-unleased-"));
  try {
    const file = () => new UnleasedFile(folder, assert.fail);
    assert.equal(file().read(), undefined);
    const note = { hourAt: begin, strays: [{ gpu: "GPU-1", node: "local/n1", busyMs: 5_000, lastAt: begin + 1 }] };
    file().write(note);
    assert.deepEqual(file().read(), note);
    for (const bad of ["{", "7", '{"hourAt":1,"strays":[{"gpu":7}]}']) {
      writeFileSync(join(folder, "unleased.json"), bad);
      assert.equal(file().read(), undefined, bad);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
