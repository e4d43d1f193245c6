import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { type SeriesQuery, TelemetryAway, type TelemetryStore } from "./port.ts";
import { readTelemetry } from "./reader.ts";
import type { TelemetryRow } from "./row.ts";
import { type TelemetrySettings, usualSettings } from "./settings.ts";
import { openTelemetry } from "./store.ts";
import { holder, hour, minute, row, rowsOver, second, start } from "./testing/rows.ts";

describe("a store of samples", () => {
  let dir: string;
  let store: TelemetryStore;
  const warnings: string[] = [];
  const open = (settings: Partial<TelemetrySettings> = {}) =>
    openTelemetry({ dir, settings: { ...usualSettings, ...settings }, warn: (text) => warnings.push(text) });
  const ask = (query: Partial<SeriesQuery>) =>
    store.series({
      ...{ metric: "activity", by: "none", from: start, to: start + minute, stepMs: 10 * second },
      ...{ filter: {}, linesMax: 50, ...query },
    });
  const valuesOf = async (query: Partial<SeriesQuery>) =>
    Object.fromEntries((await ask(query)).lines.map(({ key, values }) => [key, values]));
  beforeEach(() => {
    warnings.length = 0;
    dir = mkdtempSync(join(tmpdir(), "telemetry-"));
    store = open();
  });
  afterEach(async () => {
    await store.close();
    rmSync(dir, { recursive: true });
  });

  const [vision, speech] = [holder("1", "vision"), holder("2", "speech")];

  it("says what was measured, and null where nothing was", async () => {
    store.write([row(start + 10 * second, "a0", vision, { smActive: 5_000, powerMilliwatts: 300_000 })]);
    store.write([row(start + 30 * second, "a0", vision, { powerMilliwatts: 500_000 })]);
    assert.deepEqual((await valuesOf({}))[""], [50, null, null, null, null, null]);
    assert.deepEqual((await valuesOf({ metric: "power" }))[""], [300, null, 500, null, null, null]);
  });

  it("gives each account its own line, sums power over GPUs, and means activity", async () => {
    const at = start + 10 * second;
    store.write([
      row(at, "a0", vision, { smActive: 10_000, powerMilliwatts: 700_000 }),
      row(at, "a1", vision, { smActive: 0, powerMilliwatts: 100_000 }),
      row(at, "b0", speech, { smActive: 2_500, powerMilliwatts: 200_000 }),
      row(at, "b1", {}, { smActive: 0, powerMilliwatts: 50_000 }),
    ]);
    const first = async (query: Partial<SeriesQuery>) =>
      Object.fromEntries(Object.entries(await valuesOf(query)).map(([key, values]) => [key, values[0]]));
    assert.deepEqual(await first({ by: "account" }), { "": 0, acc_speech: 25, acc_vision: 50 });
    assert.deepEqual(await first({ by: "account", metric: "power" }), { "": 50, acc_speech: 200, acc_vision: 800 });
    assert.deepEqual(await first({ metric: "power" }), { "": 1050 });
    assert.deepEqual(await first({ by: "node", metric: "power" }), { "local/node-a": 800, "local/node-b": 250 });
    assert.deepEqual(await first({ by: "gpu", filter: { node: "local/node-b" } }), { "GPU-b0": 25, "GPU-b1": 0 });
    const own = { filter: { accounts: new Set([vision.account]) } };
    assert.deepEqual(await first({ by: "job", ...own }), { job_1: 50 });
    assert.deepEqual(await first({ by: "node", ...own }), { "local/node-a": 50 });
  });

  it("gives each of the leases on one GPU its share of the power and of the time", async () => {
    const at = start + 10 * second;
    const shared = (whose: typeof vision, share: number) => ({
      ...row(at, "a0", whose, { smActive: 8_000, powerMilliwatts: 400_000 }),
      share,
    });
    store.write([shared(vision, 5_250), shared(speech, 15_750)]);
    const power = await valuesOf({ by: "account", metric: "power" });
    assert.deepEqual([power.acc_vision?.[0], power.acc_speech?.[0]], [100, 300]);
    const [{ sampledMs, busyMs, idleMs }] = (await store.busy({
      ...{ from: start, to: start + minute, by: "account" },
      filter: { accounts: new Set([vision.account]) },
    })) as [never];
    assert.deepEqual({ sampledMs, busyMs, idleMs }, { sampledMs: 2_500, busyMs: 2_000, idleMs: 0 });
  });

  it("keeps the memory of an instance as it is", async () => {
    const instance: TelemetryRow = {
      ...row(start + 10 * second, "a0", vision, { memoryUsedMiB: 20 * 1024 }),
      ...{ instance: "MIG-1", share: 9_000, apart: true },
    };
    store.write([instance]);
    assert.equal(Math.round((await valuesOf({ metric: "memory_used" }))[""]![0]! * 100), 2_000);
    const [busy] = await store.busy({ from: start, to: start + minute, by: "job", filter: {} });
    assert.equal(busy?.memoryPeakMiB, 20 * 1024);
  });

  it("tells by rank, and adds cores and memory of members", async () => {
    const at = start + 10 * second;
    const ranks = [0, 1].map((rank) => holder("1", "vision", rank));
    store.write(
      ranks.map((whose, rank) => row(at, `a${rank}`, whose, { smActive: 1_000 * (rank + 1) })),
      ranks.map((whose) => ({
        ...{ ...whose, at, spanMs: 10 * second, node: "local/node-a", source: "nvml", model: "H100" },
        ...{ cpusMilli: 1_500, memoryMiB: 2_048 },
      })),
    );
    const own = { job: vision.job };
    assert.deepEqual(Object.keys(await valuesOf({ by: "rank", filter: own })), ["0", "1"]);
    assert.equal((await valuesOf({ metric: "cpu", filter: own }))[""]![0], 3);
    assert.equal((await valuesOf({ metric: "memory", filter: { node: "local/node-a" } }))[""]![0], 4);
    assert.equal((await valuesOf({ metric: "cpu", by: "account" })).acc_vision![0], 3);
  });

  it("has the same means and sums after minutes and hours were made, and after it was opened again", async () => {
    const end = start + 2 * hour;
    // Half the time each: who adds up leases that follow each other would find twice the power.
    const change = start + 90 * minute;
    for (let from = start; from < end; from += 10 * minute) {
      const whose = from < change ? vision : speech;
      store.write([...rowsOver(from, from + 10 * minute, "a0", whose, { smActive: 6_000, powerMilliwatts: 600_000 })]);
    }
    store.write([...rowsOver(end, end + 5 * minute, "a0", {}, { smActive: 0, powerMilliwatts: 60_000 })]);
    await store.close();
    store = open();
    const query = { from: start, to: end, stepMs: hour };
    assert.deepEqual((await valuesOf({ ...query, metric: "power" }))[""], [600, 600]);
    assert.deepEqual((await valuesOf({ ...query, metric: "power", by: "node" }))["local/node-a"], [600, 600]);
    assert.deepEqual((await valuesOf({ ...query, by: "job" })).job_2, [null, 60]);
    assert.deepEqual((await valuesOf({ ...query, metric: "energy" }))[""], [0.6, 0.6]);
    const busy = await store.busy({ from: start, to: end, by: "account", filter: {} });
    assert.deepEqual(
      busy.map(({ key, measuredMs, busyMs, energyMillijoules }) => [key, measuredMs, busyMs, energyMillijoules]),
      [
        ["acc_speech", 30 * minute, 18 * minute, 600 * 1_800 * 1_000],
        ["acc_vision", 90 * minute, 54 * minute, 600 * 5_400 * 1_000],
      ],
    );
    assert.deepEqual(Object.keys((await store.status()).oldest), ["raw", "minute", "hour"]);
    assert.deepEqual(await readTelemetry(dir).busy({ from: start, to: end, by: "account", filter: {} }), busy);
  });

  it("answers with longer steps where nothing finer is kept", async () => {
    await store.close();
    store = open({ rawMs: 10 * minute });
    store.write([...rowsOver(start, start + hour, "a0", vision, { smActive: 6_000 })]);
    await store.flush();
    const { stepMs, lines } = await ask({ from: start, to: start + hour, stepMs: 30 * second });
    assert.deepEqual([stepMs, lines[0]?.values.length, lines[0]?.values[30]], [minute, 60, 60]);
  });

  it("shows the largest lines and counts the others", async () => {
    const rows = Array.from({ length: 5 }, (_, index) =>
      row(start + 10 * second, `a${index}`, holder(`${index}`, "vision"), { smActive: 1_000 * (index + 1) }),
    );
    store.write(rows);
    const { lines, leftOut } = await ask({ by: "job", linesMax: 2 });
    assert.deepEqual([lines.map(({ key }) => key), leftOut], [["job_4", "job_3"], 3]);
  });

  it("shows the ranks that did most and least, the same in all charts and in their order: one that hangs is not left out", async () => {
    const at = start + 10 * second;
    const ranks = Array.from({ length: 13 }, (_, rank) => holder("1", "vision", rank));
    // Rank 11 hangs, though it draws most power; rank 12 is not measured; 0 and 10 do most.
    const activeOf = (rank: number) => (rank === 11 ? 0 : rank === 10 || rank === 0 ? 9_900 : 5_000 + rank);
    store.write(
      ranks.slice(0, 12).map((whose, rank) =>
        row(at, `a${rank}`, whose, {
          smActive: activeOf(rank),
          powerMilliwatts: rank === 11 ? 700_000 : 1_000 * rank,
        }),
      ),
      ranks.map((whose) => ({
        ...{ ...whose, at, spanMs: 10 * second, node: "local/node-a", source: "nvml", model: "H100" },
        ...{ cpusMilli: 1_500, memoryMiB: 2_048 },
      })),
    );
    for (const metric of ["activity", "power", "cpu"] as const) {
      const { lines, leftOut } = await ask({ metric, by: "rank", filter: { job: vision.job! }, linesMax: 4 });
      assert.deepEqual([lines.map(({ key }) => key), leftOut], [["0", "10", "11", "12"], 9], metric);
    }
    const all = await ask({ by: "rank", filter: { job: vision.job! } });
    assert.deepEqual(
      all.lines.map(({ key }) => Number(key)),
      ranks.map((_, rank) => rank),
    );
  });

  it("adds up what GPUs did to GPUs that are busy", async () => {
    const at = start + 10 * second;
    store.write([
      row(at, "a0", vision, { smActive: 10_000 }),
      row(at, "a1", vision, { smActive: 5_000 }),
      row(at, "b0", speech, { powerMilliwatts: 1_000 }),
    ]);
    assert.equal((await valuesOf({ metric: "busy" }))[""]![0], 1.5);
    assert.equal((await valuesOf({ metric: "busy", by: "account" })).acc_vision![0], 1.5);
  });

  it("stays within its size, and drops the oldest", async () => {
    await store.close();
    const bytesMax = 2 ** 20;
    store = open({ bytesMax });
    const noise = (seed: number) => Math.floor(Math.abs(Math.sin(seed + 1) * 43_758_545) % 10_000);
    for (let tick = 0; tick < 240; tick++) {
      const rows = Array.from({ length: 200 }, (_, gpu) =>
        row(start + (tick + 1) * 10 * second, `${gpu}`, vision, {
          smActive: noise(tick * 31 + gpu),
          memoryActive: noise(tick * 37 + gpu * 3),
          powerMilliwatts: noise(tick * 41 + gpu * 7) * 70,
          pcieSent: noise(tick * 43 + gpu * 11) * 1e6,
        }),
      );
      store.write(rows);
      if (tick % 30 === 29) await store.flush();
    }
    await store.flush();
    const onDisk = readdirSync(dir).reduce((sum, name) => sum + statSync(join(dir, name)).size, 0);
    assert.ok(onDisk <= bytesMax, `${onDisk} bytes`);
    const { oldest, rowsDropped } = await store.status();
    assert.ok(oldest.raw! > start + minute && rowsDropped === 0);
    const last = start + 40 * minute;
    const { lines } = await ask({ from: last - minute, to: last });
    assert.ok(lines[0]?.values.every((value) => value !== null));
  });

  it("knows the newest rows, and none that is out of date", () => {
    store.write([row(start, "a0", vision, { smActive: 1 }), row(start, "a1", speech, { smActive: 1 })]);
    store.write([row(start + 50 * second, "a0", vision, { smActive: 2 })]);
    assert.equal(store.latest().length, 2);
    assert.deepEqual(
      store.latest({ accounts: new Set([vision.account]) }).map(({ metrics }) => metrics.smActive),
      [2],
    );
    store.write([row(start + 61 * second, "a0", vision, { smActive: 3 })]);
    assert.deepEqual(
      store.latest().map(({ gpu }) => gpu),
      ["GPU-a0"],
    );
  });

  for (const [name, damage] of [
    ["cut off", (file: string) => truncateSync(file, 5_000)],
    ["not a database", (file: string) => writeFileSync(file, "no database at all, but long enough to look like one")],
  ] as const) {
    it(`puts a file aside that is ${name}, says so, and goes on`, async () => {
      store.write([...rowsOver(start, start + 10 * minute, "a0", vision, { smActive: 6_000 })]);
      await store.close();
      damage(join(dir, "telemetry.sqlite"));
      store = open();
      store.write([row(start + 20 * minute, "a0", vision, { smActive: 5_000 })]);
      await store.flush();
      const query = { from: start + 19 * minute, to: start + 20 * minute, stepMs: minute };
      assert.deepEqual((await valuesOf(query))[""], [50]);
      assert.match(warnings.join(), /cannot be read.*a new one begins/);
      assert.ok(readdirSync(dir).includes("telemetry.damaged"));
    });
  }

  it("says that a folder cannot be used, and loses nothing else", async () => {
    await store.close();
    rmSync(dir, { recursive: true });
    writeFileSync(dir, "a file where a folder should be");
    store = open();
    await assert.rejects(ask({}), /EEXIST|ENOTDIR/);
    await assert.rejects(readTelemetry(dir).busy({ from: 0, to: 1, by: "none", filter: {} }), TelemetryAway);
    assert.match(warnings.join(), /telemetry is not kept/);
    store.write([row(start, "a0", vision, { smActive: 1 })]);
    assert.equal(store.latest().length, 1);
    assert.equal((await store.status()).rowsDropped, 1);
  });
});
