import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { second, unitsPerGpu } from "../model/units.ts";
import { jobId, nodeOf, World } from "../testing/world.ts";
import type { FleetBalance } from "./balance.ts";
import { balanceUntil, meterEvents } from "./replay.fixture.ts";

/** The parts of a balance that are not 0, in GPU-seconds. */
function shown(balance: FleetBalance): Record<string, number> {
  const gpuSecond = unitsPerGpu * second;
  const parts = Object.entries(balance).filter(([, amount]) => amount !== 0n);
  return Object.fromEntries(parts.map(([part, amount]) => [part, Number(amount) / gpuSecond]));
}

describe("the balance of the fleet", () => {
  it("[S10] capacity is what was leased and what was idle", () => {
    const w = new World().nodes(["n0", "H100:4"]).account("lab");
    w.tick(second);
    w.submit("a", "lab", { gpus: 3 });
    w.tick(2 * second);
    w.exit("a", 0);
    w.tick(second);
    assert.deepEqual(shown(balanceUntil(meterEvents(w.events), w.now)), { capacity: 16, leased: 6, idle: 10 });
  });

  it("[U1] [S10] parts of a GPU take their sevenths and leave the others idle", () => {
    const w = new World().account("lab");
    w.must({ kind: "node.register", nodes: [{ ...nodeOf("n0", "H100:1"), pool: "any" }] });
    for (const id of ["a", "b"]) w.submit(id, "lab", { gpus: "1g.10gb" });
    w.tick(7 * second);
    const { leased, reshape, idle, capacity, difference } = balanceUntil(meterEvents(w.events), w.now);
    assert.equal(leased + reshape, (capacity * 2n) / 7n);
    assert.deepEqual([idle, difference], [(capacity * 5n) / 7n, 0n]);
  });

  it("[U5] [S10] a GPU that is given out four times is leased once at most", () => {
    const w = new World();
    const labels = { tier: "shared" };
    w.must({ kind: "node.register", nodes: [{ ...nodeOf("n0", "H100:1"), labels }] });
    w.must({ kind: "pool.create", name: "slices", terms: { labels, perMille: 1000, mode: "timeslice", ratio: 4 } });
    for (const account of ["lab", "studio"]) w.account(account, { trustGroup: "ours" });
    for (let i = 0; i < 16; i++) w.submit(`j${i}`, i % 2 === 0 ? "lab" : "studio", { gpus: 0.25 });
    w.tick(7 * second);
    const { leased, idle, capacity, difference } = balanceUntil(meterEvents(w.events), w.now);
    const unheld = BigInt(unitsPerGpu % 16) * 7_000n;
    assert.deepEqual([leased, idle, difference], [capacity - unheld, unheld, 0n]);
  });

  it("[U1] [P1] members that are placed together on one GPU all take their part of it", () => {
    const w = new World().account("lab");
    w.must({ kind: "node.register", nodes: [{ ...nodeOf("n0", "H100:1"), pool: "any" }] });
    w.submit("gang", "lab", { gpus: "1g.10gb", members: 3 });
    w.tick(7 * second);
    const { idle, capacity, difference } = balanceUntil(meterEvents(w.events), w.now);
    assert.deepEqual([idle, difference], [(capacity * 4n) / 7n, 0n]);
  });

  it("[S10] free GPUs are stranded while others hold all cores of their node", () => {
    const w = new World().nodes(["n0", "H100:4"]).account("lab");
    w.submit("greedy", "lab", { gpus: 1, cpus: 64 });
    w.tick(3 * second);
    w.exit("greedy", 0);
    w.tick(second);
    const balance = balanceUntil(meterEvents(w.events), w.now);
    assert.deepEqual(shown(balance), { capacity: 16, leased: 3, stranded: 9, idle: 4 });
  });

  it("[S10] [S27] an end that is told late does not free GPUs of the node that were in use then", () => {
    const w = new World().nodes(["n0", "H100:4"]).account("lab");
    for (const id of ["a", "b"]) {
      w.submit(id, "lab", { gpus: 1, cpus: 32 });
      w.run(id);
    }
    w.tick(second);
    const at = w.now;
    w.tick(second);
    w.exit("a", 0);
    w.submit("c", "lab", { gpus: 0, cpus: 32 });
    w.report("b", { kind: "exited", ran: true, code: 0 }, 0, at);
    w.tick(second);
    const { difference, leased } = balanceUntil(meterEvents(w.events), w.now);
    assert.deepEqual([difference, leased], [0n, BigInt(3 * second * unitsPerGpu)]);
  });

  it("[S10] a node in maintenance and one that is down are neither idle nor leased", () => {
    const w = new World().nodes(["n0", "H100:2"], ["n1", "H100:2"]);
    w.must({ kind: "node.drain", node: "n0", reason: "" });
    w.must({ kind: "node.down", node: "n1", reason: "" });
    w.tick(3 * second);
    for (const node of ["n0", "n1"]) w.must({ kind: "node.up", node });
    w.tick(second);
    const balance = balanceUntil(meterEvents(w.events), w.now);
    assert.deepEqual(shown(balance), { capacity: 16, maintenance: 6, down: 6, idle: 4 });
  });

  it("[S10] a lost node ends leases, and all of it is down from then on", () => {
    const w = new World().nodes(["n0", "H100:2"]).account("lab");
    w.submit("a", "lab", { gpus: 1 });
    w.tick(second);
    w.must({ kind: "node.down", node: "n0", reason: "lost" });
    w.tick(second);
    const balance = balanceUntil(meterEvents(w.events), w.now);
    assert.deepEqual(shown(balance), { capacity: 4, leased: 1, idle: 1, down: 2 });
  });

  it("[T7] [S10] seats that a claim holds are held, not idle", () => {
    const w = new World().nodes(["n0", "H100:2"]).account("guest").account("owner", { guarantee: 2 });
    w.submit("lent", "guest", { gpus: 1 });
    w.run("lent");
    w.submit("own", "owner", { gpus: 2 });
    assert.ok(w.events.some(({ kind }) => kind === "job-claimed"));
    w.tick(second);
    w.exit("lent", 143);
    w.tick(second);
    const balance = balanceUntil(meterEvents(w.events), w.now);
    assert.deepEqual(shown(balance), { capacity: 4, leased: 3, held: 1 });
  });

  it("[U3] [S10] the rest of a dedicated node is the tenant's", () => {
    const w = new World().nodes(["n0", "H100:4"]).account("mill", { trust: "confidential" });
    w.submit("a", "mill", { gpus: 3 });
    w.tick(second);
    w.must({ kind: "node.cordon", node: "n0", reason: "" });
    w.tick(second);
    w.exit("a", 0);
    w.tick(second);
    const balance = balanceUntil(meterEvents(w.events), w.now);
    assert.deepEqual(shown(balance), { capacity: 12, leased: 6, dedicated: 2, idle: 4 });
  });

  describe("is a check, because its sides are made apart:", () => {
    const story = () => {
      const w = new World().nodes(["n0", "H100:2"]).account("lab");
      w.submit("a", "lab", { gpus: 1 });
      w.tick(second);
      w.run("a");
      w.tick(second);
      w.must({ kind: "job.cancel", job: jobId("a") });
      w.exit("a", 143);
      w.tick(second);
      return { replay: meterEvents(w.events), now: w.now };
    };
    const oneGpuSecond = BigInt(unitsPerGpu * second);

    it("[S10] a stretch that is missing or doubled is noticed", () => {
      const { replay, now } = story();
      assert.equal(balanceUntil(replay, now).difference, 0n);
      const missing = balanceUntil(replay, now, { stretches: (all) => all.slice(1) });
      assert.equal(missing.difference, oneGpuSecond);
      const doubled = balanceUntil(replay, now, { stretches: (all) => [all[0]!, ...all] });
      assert.equal(doubled.difference, -oneGpuSecond);
    });

    it("[S10] a stretch that ends a millisecond late is noticed", () => {
      const { replay, now } = story();
      const late = balanceUntil(replay, now, {
        stretches: ([first, ...others]) => [{ ...first!, toAt: first!.toAt + 1 }, ...others],
      });
      assert.equal(late.difference, BigInt(-unitsPerGpu));
    });

    it("[S10] a device that counts as free while a lease holds it is noticed", () => {
      const { replay, now } = story();
      const wrong = balanceUntil(replay, now, {
        devices: (all) => all.filter(({ freeUnits }) => freeUnits > 0),
      });
      assert.equal(wrong.difference, -2n * oneGpuSecond);
    });
  });
});
