import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Report } from "@tessera/core";
import type { LeaseOrder } from "@tessera/engine";
import { SimulatedClock } from "./clock.ts";
import { SimulatedEngine } from "./engine.ts";
import { type FleetOptions, SimulatedFleet } from "./fleet.ts";
import { declareNodes } from "./nodes.ts";
import { openSimulated } from "./open.ts";
import { orderOf } from "./testing/order.ts";

describe("simulated fleet", () => {
  it("has GPUs with the memory of their model", () => {
    const memoryOf = (model: string) => declareNodes({ count: 1, gpusEach: 1, model })[0]!.gpus[0]!.memoryMiB;
    assert.deepEqual(["H100", "H200", "L4", "L40S", "A100-40GB"].map(memoryOf), [
      ...[81_559, 143_771, 23_034, 46_068, 40_960],
    ]);
  });

  it("knows what really ran, where, on what, from when to when and how it ended", async () => {
    const { clock, fleet, engine } = open();
    const order = orderOf(1, { run: "sleep 10; exit 3" });
    const never = orderOf(2, { run: "sleep 10" });
    await engine.bind(order);
    await engine.bind(never);
    clock.advanceTo(100);
    await engine.release(order.lease);
    await engine.stop(never.lease, order.stop);
    clock.advanceTo(5_000);
    const { gpuUuids, lease, node } = order;
    assert.deepEqual(fleet.ran, [{ lease, node, gpuUuids, from: 105 }]);
    clock.advanceTo(20_000);
    assert.deepEqual(fleet.ran, [{ lease, node, gpuUuids, from: 105, to: 10_105, exit: 3 }]);
  });

  it("lets a simulator say how members behave", async () => {
    const { clock, fleet, engine } = open({
      behaviour: (order) =>
        order.jobName === "odd" ? { startMs: 1_000, runMs: 50, exitCode: 9, ignoresSignal: true } : undefined,
    });
    const odd = orderOf(1, { jobName: "odd", run: "whatever it is" });
    const plain = orderOf(2, { run: "sleep 1" });
    for (const order of [odd, plain]) {
      await engine.bind(order);
      clock.advanceTo(clock.now() + 5);
      await engine.release(order.lease);
    }
    clock.advanceTo(10_000);
    assert.deepEqual(
      fleet.ran.map(({ lease, from, to, exit }) => ({ lease, from, to, exit })),
      [
        { lease: plain.lease, from: 15, to: 1_015, exit: 0 },
        { lease: odd.lease, from: 1_005, to: 1_055, exit: 9 },
      ],
    );
  });

  it("[S17] loses what was on a lost node, and gives the node a new boot id when it is back", async () => {
    const { clock, fleet, engine, reports } = open();
    const lost = orderOf(1, { run: "sleep infinity" });
    const spared = orderOf(2, { run: "sleep infinity", node: "sim-2", gpuUuids: [] });
    for (const order of [lost, spared]) await start(clock, engine, order);
    const before = await bootIdOf(engine, "sim-1");
    fleet.loseNode("sim-1");
    clock.advanceTo(1_000);
    assert.deepEqual(kinds(reports, lost), ["prepared", "started", "lost"]);
    assert.deepEqual(kinds(reports, spared), ["prepared", "started"]);
    assert.equal(fleet.ran[0]?.exit, "lost");

    const early = orderOf(3, { run: "true" });
    await engine.bind(early);
    clock.advanceTo(2_000);
    assert.deepEqual(kinds(reports, early), ["refused"]);

    fleet.returnNode("sim-1");
    assert.notEqual(await bootIdOf(engine, "sim-1"), before);
    const again = orderOf(4, { run: "true" });
    await start(clock, engine, again);
    assert.equal(reports.at(-1)?.bootId, await bootIdOf(engine, "sim-1"));
    assert.equal(reports.find((report) => report.lease === lost.lease)?.bootId, before);
  });

  it("[S21] drops, delays and repeats reports on request, each lease's still in order, and loses none for good", async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const { clock, engine, reports } = open({
        faults: { seed, drop: 0.2, delay: 0.3, delayMsMax: 5_000, duplicate: 0.3 },
      });
      const orders = Array.from({ length: 20 }, (_, index) => orderOf(index, { run: "sleep 1", gpuUuids: [] }));
      for (const order of orders) {
        await engine.bind(order);
        clock.advanceTo(clock.now() + 5);
        await engine.release(order.lease);
      }
      clock.advanceTo(100_000);
      assert.ok(reports.length < 60 || new Set(reports).size < reports.length, "nothing went wrong at all");
      for (let looks = 0; looks < 3; looks++) {
        await engine.list();
        clock.advanceTo(clock.now() + 100_000);
      }
      for (const order of orders) {
        const sequences = reports.filter((report) => report.lease === order.lease).map((report) => report.sequence);
        const firsts = sequences.filter((sequence, index) => sequences.indexOf(sequence) === index);
        assert.deepEqual(firsts, [1, 2, 3], `seed ${seed}: ${sequences}`);
      }
    }
  });

  it("gives the same course of events for the same seed", async () => {
    const course = async (seed: number) => {
      const { clock, engine, reports } = open({
        faults: { seed, drop: 0, delay: 0.5, delayMsMax: 900, duplicate: 0.5 },
      });
      for (let index = 0; index < 30; index++)
        await start(clock, engine, orderOf(index, { run: "sleep 1", gpuUuids: [] }));
      clock.advanceTo(100_000);
      return reports.map((report) => `${report.lease} ${report.sequence}`);
    };
    assert.deepEqual(await course(7), await course(7));
    assert.notDeepEqual(await course(7), await course(8));
  });

  it("holds fifty thousand GPUs, all of them busy at once", async () => {
    const { clock, fleet, engine, reports } = open({
      nodes: declareNodes({ count: 6_250, gpusEach: 8, model: "H100" }),
    });
    const nodes = await engine.inventory();
    assert.equal(
      nodes.reduce((sum, node) => sum + node.gpus.length, 0),
      50_000,
    );
    const orders = nodes.map((node, index) =>
      orderOf(index, { run: "sleep 1h", node: node.name, gpuUuids: node.gpus.map((gpu) => gpu.uuid) }),
    );
    for (const order of orders) await engine.bind(order);
    clock.advanceTo(10);
    for (const order of orders) await engine.release(order.lease);
    clock.advanceTo(20);
    assert.equal((await engine.list()).filter((lease) => lease.state === "running").length, 6_250);
    clock.advanceTo(4_000_000);
    assert.equal(reports.length, 3 * 6_250);
    assert.ok(fleet.ran.every((ran) => ran.exit === 0));
  });
});

function open(options: Partial<FleetOptions> = {}) {
  const clock = new SimulatedClock();
  const nodes = declareNodes({ count: 2, gpusEach: 2, model: "H100" });
  const fleet = new SimulatedFleet({ clock, nodes, ...options });
  const engine = new SimulatedEngine(fleet);
  const reports: Report[] = [];
  engine.subscribe((report) => reports.push(report));
  return { clock, fleet, engine, reports };
}

async function start(clock: SimulatedClock, engine: SimulatedEngine, order: LeaseOrder): Promise<void> {
  await engine.bind(order);
  clock.advanceTo(clock.now() + 5);
  await engine.release(order.lease);
  clock.advanceTo(clock.now() + 5);
}

function kinds(reports: readonly Report[], order: LeaseOrder): string[] {
  return reports.filter((report) => report.lease === order.lease).map((report) => report.what.kind);
}

async function bootIdOf(engine: SimulatedEngine, name: string): Promise<string | undefined> {
  return (await engine.inventory()).find((node) => node.name === name)?.bootId;
}

it("declares nodes whose GPUs can be shared, also several kinds of one model, each under a name of its own", async () => {
  const engine = openSimulated([
    { nodes: 1, gpus: 2, model: "H100", mode: "mig" },
    { nodes: 1, gpus: 2, model: "H100" },
    { nodes: 1, gpus: 2, model: "H100" },
  ]);
  assert.deepEqual(
    (await engine.inventory()).map(({ name, pool }) => [name, pool]),
    [
      ["h100-mig-1", "mig"],
      ["h100-1", undefined],
      ["h100-3-1", undefined],
    ],
  );
});
