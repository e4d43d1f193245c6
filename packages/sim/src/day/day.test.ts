import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { day } from "@tessera/core";
import { openSimulated, SimulatedClock } from "@tessera/engine-simulated";
import { openReader, openStretches, recover, runningFileIn, telemetryFolderIn, wasteReport } from "@tessera/server";
import { openTelemetry } from "@tessera/telemetry";
import { writeDay } from "./day.ts";

test("[S10] a simulated day opens as a store, and its waste adds up to capacity exactly", async (t) => {
  const data = mkdtempSync(join(tmpdir(), "tessera-day-"));
  t.after(() => rmSync(data, { recursive: true, force: true }));
  const untilAt = Date.UTC(2026, 0, 6);
  const figures = await writeDay({ data, gpus: 16, seed: 3, untilAt, progress: () => {} });
  assert.ok(figures.ended > 10 && figures.nodesLost === 1, JSON.stringify(figures));
  const reader = await openReader({ dir: join(data, "store") });
  const { state, head } = await recover(reader);
  assert.equal(figures.findings, 1);
  assert.deepEqual(
    [...state.health.values()].flatMap(({ findings }) => findings.map(({ source, code }) => `${source} ${code}`)),
    ["xid 31"],
  );
  assert.equal(state.books.budgets.size, 3);
  const telemetry = openTelemetry({ dir: telemetryFolderIn(data), warn: assert.fail });
  try {
    const ask = { by: "account", from: untilAt - day, to: untilAt, accounts: [""], fleet: true } as const;
    const told = await wasteReport(
      reader,
      state,
      openStretches(state, head.seq, untilAt),
      ask,
      async (from, to) =>
        new Map((await telemetry.busy({ from, to, by: "lease", filter: {} })).map((row) => [row.key, row])),
      { ofUser: (id) => id, ofLiveJob: () => undefined },
    );
    assert.equal(told.capacity?.exact, true);
    assert.equal(told.total.unitMs, String(16 * 21_000 * day));
    assert.equal(told.total.micros, told.capacity?.micros);
    const { busy, allocated_idle: idle, down } = told.total.classes;
    for (const part of [busy, idle, down]) assert.ok(BigInt(part?.unitMs ?? 0) > 0n, JSON.stringify(told.total));
  } finally {
    await telemetry.close();
    await reader.close();
  }
});

test("a server that opens a simulated day goes on with what ran", async (t) => {
  const data = mkdtempSync(join(tmpdir(), "tessera-day-"));
  t.after(() => rmSync(data, { recursive: true, force: true }));
  const figures = await writeDay({ data, gpus: 64, seed: 3, untilAt: Date.now(), progress: () => {} });
  assert.ok(figures.runningAtEnd > 3, JSON.stringify(figures));
  const reader = await openReader({ dir: join(data, "store") });
  const { state } = await recover(reader);
  await reader.close();
  const engine = openSimulated([{ nodes: 8, gpus: 8, model: "H100" }], {
    ...{ clock: new SimulatedClock(Date.now()), engine: "day", keptIn: runningFileIn(data, "day") },
  });
  const held = new Set((await engine.list()).map(({ lease }) => lease));
  const running = [...state.leases.values()].filter((lease) => lease.state === "running");
  assert.ok(running.length > 3);
  assert.deepEqual(
    running.filter(({ id }) => !held.has(id)),
    [],
  );
});

test("several days are one story, with the faults of each", async (t) => {
  const data = mkdtempSync(join(tmpdir(), "tessera-day-"));
  t.after(() => rmSync(data, { recursive: true, force: true }));
  const untilAt = Date.UTC(2026, 0, 6);
  const one = await writeDay({ data: join(data, "one"), gpus: 16, seed: 3, untilAt, progress: () => {} });
  const three = await writeDay({ data: join(data, "three"), gpus: 16, days: 3, seed: 3, untilAt, progress: () => {} });
  assert.deepEqual([three.from, three.to], [new Date(untilAt - 3 * day).toISOString(), one.to]);
  assert.deepEqual([three.nodesLost, three.samples], [3 * one.nodesLost, 3 * one.samples]);
  assert.ok(three.ended > 2 * one.ended, JSON.stringify([one, three]));
});
