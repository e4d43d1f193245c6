import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pricesOf } from "../bill/sample.fixture.ts";
import { second, unitsPerGpu } from "../model/units.ts";
import { playDay } from "../schedule/random-day.fixture.ts";
import { diceOf } from "../testing/dice.ts";
import { nodeOf, World } from "../testing/world.ts";
import { meterEvents, type Replay } from "./replay.fixture.ts";
import { stretchesUntil } from "./stretch.ts";
import { type MeasuredTime, type Waste, type WasteAmounts, type WasteFacts, wasteClasses, wasteOf } from "./waste.ts";
import { listValueOf, worthOf } from "./waste-money.ts";

const gpuSecond = BigInt(unitsPerGpu * second);

function factsOf({ state, stretches, devices, metered }: Replay, to: number): WasteFacts {
  const used = [...stretches, ...stretchesUntil(state, to)].flatMap(({ devices: gpus, ...stretch }) =>
    gpus.map(({ state: as }) => ({
      lease: stretch.lease,
      model: stretch.model,
      key: stretch.account,
      state: as,
      units: stretch.unitsEach,
      fromAt: stretch.fromAt,
      toAt: stretch.toAt,
    })),
  );
  const sorted = devices.toSorted((a, b) => (a.gpu === b.gpu ? a.at - b.at : a.gpu < b.gpu ? -1 : 1));
  return { devices: sorted.map((each) => ({ ...each, key: "" })), used, lost: metered.lost, measured: new Map() };
}

function wasteAt(w: World, measured: Record<string, MeasuredTime> = {}): Waste {
  const facts = factsOf(meterEvents(w.events), w.now);
  return wasteOf({ ...facts, measured: new Map(Object.entries(measured)) }, { from: 0, to: w.now });
}

/** The classes that are not empty, in GPU-seconds, by key. */
function shown({ cells }: Waste): Record<string, Record<string, number>> {
  const text = (amounts: WasteAmounts) =>
    Object.fromEntries(
      wasteClasses
        .filter((name) => amounts[name] > 0n)
        .map((name) => [name, Number(amounts[name]) / Number(gpuSecond)]),
    );
  return Object.fromEntries(cells.map(({ key, amounts }) => [key, text(amounts)]));
}

function total(waste: Waste): bigint {
  return waste.cells.flatMap(({ amounts }) => Object.values(amounts)).reduce((sum, amount) => sum + amount, 0n);
}

function leaseOf(w: World, id: string): string {
  return w.job(id).leases[0]!.id;
}

describe("waste", () => {
  it("[S10] [S35] a lease that runs is busy, idle or not measured; what telemetry does not know is never idle", () => {
    const w = new World().nodes(["n0", "H100:4"]).account("lab");
    for (const id of ["seen", "unseen"]) w.submit(id, "lab");
    w.tick(second);
    for (const id of ["seen", "unseen"]) w.run(id);
    w.tick(10 * second);
    const measured = { [leaseOf(w, "seen")]: { measuredMs: 8 * second, busyMs: 3 * second, idleMs: 4 * second } };
    assert.deepEqual(shown(wasteAt(w, measured)), {
      lab: { busy: 3, allocated_partly: 1, allocated_idle: 4, allocated_unmeasured: 12, setup: 2 },
      "": { unallocated_idle: 22 },
    });
  });

  it("telemetry that says more than the lease lasted counts up to that", () => {
    const w = new World().nodes(["n0", "H100:1"]).account("lab");
    w.submit("a", "lab");
    w.run("a");
    w.tick(4 * second);
    const measured = { [leaseOf(w, "a")]: { measuredMs: 9 * second, busyMs: 7 * second, idleMs: 9 * second } };
    assert.deepEqual(shown(wasteAt(w, measured)), { lab: { busy: 4 } });
  });

  it("[T1] work that a preemption or a lost node destroyed is lost, however busy it was", () => {
    const w = new World().nodes(["n0", "H100:2"]).account("guest").account("owner", { guarantee: 2 });
    w.submit("lent", "guest", { gpus: 2, checkpoint: { every: "10m" } });
    w.run("lent");
    const lease = leaseOf(w, "lent");
    w.tick(1_900 * second);
    w.submit("own", "owner", { gpus: 2 });
    w.exit("lent", 143);
    w.run("own");
    w.tick(50 * second);
    w.must({ kind: "node.down", node: "n0", reason: "lost" });
    w.tick(5 * second);
    const measured = { [lease]: { measuredMs: 3_800 * second, busyMs: 1_900 * second, idleMs: 1_900 * second } };
    assert.deepEqual(shown(wasteAt(w, measured)), {
      guest: { busy: 1_800, allocated_idle: 1_800, lost_preemption: 200 },
      owner: { lost_fault: 100 },
      "": { down: 10 },
    });
  });

  it("what is left of a shared GPU is fragmented; a cordoned node is not idle but out of service", () => {
    const w = new World().account("lab");
    w.must({ kind: "node.register", nodes: [{ ...nodeOf("n0", "H100:1"), pool: "any" }, nodeOf("n1", "H100:1")] });
    w.must({ kind: "node.cordon", node: "n1", reason: "" });
    w.submit("part", "lab", { gpus: "1g.10gb" });
    w.tick(7 * second);
    const { "": free } = shown(wasteAt(w));
    assert.deepEqual(free, { fragmented: 6, maintenance: 7 });
  });

  it("[S10] adds up to capacity exactly, in unit-milliseconds and in money, on random days with random telemetry", () => {
    const list = pricesOf({ gpus: [{ model: "*", reservedMicros: 1, burstMicros: 1_234_567 }] });
    for (let seed = 1; seed <= 25; seed++) {
      let world: World | undefined;
      playDay({ seed, waiting: 5, backfill: true, beforeStep: (now) => (world = now) });
      const replay = meterEvents(world!.events, { eventsPerRow: 7 });
      const roll = diceOf(seed);
      const facts = factsOf(replay, world!.now);
      const leases = new Set(facts.used.map(({ lease }) => lease));
      const measured = new Map(
        [...leases]
          .filter(() => roll(3) > 0)
          .map((lease) => [lease, { measuredMs: roll(9_000), busyMs: roll(9_000), idleMs: roll(9_000) }]),
      );
      const first = Math.min(...facts.devices.map(({ at }) => at));
      const span = { from: first + roll(2_000), to: world!.now - roll(2_000) };
      const waste = wasteOf({ ...facts, measured }, span);
      const capacity = [...waste.capacity.values()].reduce((sum, amount) => sum + amount, 0n);
      assert.equal(capacity, BigInt(12 * unitsPerGpu) * BigInt(span.to - span.from));
      assert.equal(total(waste), capacity, `seed ${seed}`);
      const worth = worthOf(waste.cells, list);
      const money = worth.flatMap((amounts) => Object.values(amounts)).reduce((sum, amount) => sum + amount, 0n);
      assert.equal(money, listValueOf(capacity, "H100", list), `seed ${seed}`);
      assert.ok(waste.cells.every(({ amounts }) => Object.values(amounts).every((amount) => amount >= 0n)));
    }
  });

  it("[S10] a stretch that is missing is noticed", () => {
    const w = new World().nodes(["n0", "H100:2"]).account("lab");
    w.submit("a", "lab");
    w.tick(second);
    const facts = factsOf(meterEvents(w.events), w.now);
    const waste = wasteOf({ ...facts, used: [] }, { from: 0, to: w.now });
    assert.equal(waste.capacity.get("H100")! - total(waste), gpuSecond);
  });
});
