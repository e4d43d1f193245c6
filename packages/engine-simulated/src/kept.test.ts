import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import type { Report } from "@tessera/core";
import { SimulatedClock } from "./clock.ts";
import { openSimulated } from "./open.ts";
import { orderOf } from "./testing/order.ts";

const group = [{ nodes: 2, gpus: 2, model: "H100" }];

describe("what runs on a simulated fleet while no process simulates it", () => {
  it("runs on, and ends when it would have ended", async (t) => {
    const { clock, keptIn } = ground(t);
    const first = openSimulated(group, { clock, keptIn });
    const order = orderOf(1, { node: "h100-1", gpuUuids: ["GPU-h100-1-0"], run: "sleep 60; exit 3" });
    await first.bind(order);
    clock.advanceTo(5);
    await first.release(order.lease);
    clock.advanceTo(10);
    for (const { lease, sequence } of await first.list()) await first.acknowledge(lease, sequence);
    await first.close();

    clock.advanceTo(30_000);
    const second = openSimulated(group, { clock, keptIn });
    const reports: Report[] = [];
    second.subscribe((report) => reports.push(report));
    assert.deepEqual(await second.list(), [{ lease: order.lease, state: "running", sequence: 2 }]);
    clock.advanceTo(60_009);
    assert.deepEqual(reports, []);
    clock.advanceTo(60_010);
    assert.deepEqual(
      reports.map(({ sequence, what }) => [sequence, what]),
      [[3, { kind: "exited", ran: true, code: 3 }]],
    );
  });

  it("is told once, and without secrets: a crash leaves nothing that ended long ago", async (t) => {
    const { clock, keptIn } = ground(t);
    const first = openSimulated(group, { clock, keptIn });
    const change = { node: "h100-2", gpuUuids: [], run: "sleep infinity", secrets: { KEY: "hush-hush" } };
    const order = orderOf(1, change);
    await first.bind(order);
    clock.advanceTo(5);
    await first.release(order.lease);
    clock.advanceTo(10);
    await first.close();
    assert.equal(readFileSync(keptIn).includes("hush-hush"), false);
    assert.equal((await openSimulated(group, { clock, keptIn }).list()).length, 1);
    assert.equal(existsSync(keptIn), false);
    assert.deepEqual(await openSimulated(group, { clock, keptIn }).list(), []);
  });

  it("leaves when its grace is over, if it was told to stop before", async (t) => {
    const { clock, keptIn } = ground(t);
    const first = openSimulated(group, { clock, keptIn });
    const order = orderOf(1, { node: "h100-1", gpuUuids: [], run: "trap '' TERM; sleep infinity" });
    await first.bind(order);
    clock.advanceTo(5);
    await first.release(order.lease);
    clock.advanceTo(10);
    await first.stop(order.lease, { signal: "SIGTERM", graceMs: 20_000 });
    await first.close();
    const second = openSimulated(group, { clock, keptIn });
    const ends: Report[] = [];
    second.subscribe((report) => void (report.what.kind === "exited" && ends.push(report)));
    clock.advanceTo(20_009);
    assert.deepEqual(ends, []);
    clock.advanceTo(20_010);
    assert.deepEqual(
      ends.map(({ what }) => what),
      [{ kind: "exited", ran: true, signal: "SIGKILL" }],
    );
  });

  it("is gone where its node is gone", async (t) => {
    const { clock, keptIn } = ground(t);
    const first = openSimulated(group, { clock, keptIn });
    const order = orderOf(1, { node: "h100-2", gpuUuids: ["GPU-h100-2-1"], run: "sleep infinity" });
    await first.bind(order);
    clock.advanceTo(5);
    await first.release(order.lease);
    clock.advanceTo(10);
    await first.close();
    assert.deepEqual(await openSimulated([{ ...group[0]!, nodes: 1 }], { clock, keptIn }).list(), []);
  });
});

function ground(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), "tessera-kept-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return { clock: new SimulatedClock(0), keptIn: join(folder, "engines", "play", "running") };
}
