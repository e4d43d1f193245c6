import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openUsage } from "../meter/stretch.ts";
import { readSnapshot, writeSnapshot } from "../state/snapshot/snapshot.ts";
import { nodeOf, World } from "../testing/world.ts";

const labels = { tier: "gold" };

function goldFleet(): World {
  const w = new World().account("lab");
  w.must({ kind: "node.register", nodes: [nodeOf("n0", "H100:1"), { ...nodeOf("n1", "H100:4"), labels }] });
  w.must({ kind: "pool.create", name: "gold", terms: { labels, perMille: 1500 } });
  return w;
}

function pricesOf(w: World): (readonly [string | undefined, number | undefined])[] {
  return openUsage(w.state, w.now).map(({ pool, poolPerMille }) => [pool, poolPerMille]);
}

describe("[P11] the price of a pool", () => {
  it("is that of the moment when a lease began, and stays when the pool changes", () => {
    const w = goldFleet();
    w.submit("a", "lab", { gpus: 1, where: labels });
    w.must({ kind: "pool.edit", name: "gold", terms: { labels, perMille: 2000 } });
    w.submit("b", "lab", { gpus: 1, where: labels });
    w.submit("c", "lab", { gpus: 1, where: { engine: "test" } });
    w.tick(1_000);
    assert.deepEqual(pricesOf(w), [
      ["gold", 1500],
      ["gold", 2000],
      [undefined, undefined],
    ]);
    assert.deepEqual(
      pricesOf(Object.assign(new World(readSnapshot(writeSnapshot(w.state))), { now: w.now })),
      pricesOf(w),
    );
  });

  it("is recorded for members that come later", () => {
    const w = goldFleet();
    w.submit("grows", "lab", { gpus: 1, members: "1..3", where: labels });
    w.tick(1_000);
    assert.deepEqual(
      pricesOf(w).map(([pool]) => pool),
      ["gold", "gold", "gold"],
    );
  });

  it("keeps a job with a max_price off pools that cost more than the list", () => {
    const w = goldFleet();
    w.submit("first", "lab", { gpus: 1, max_price: 5 });
    w.submit("second", "lab", { gpus: 1, max_price: 5 });
    assert.deepEqual([w.job("first").leases[0]?.pool, w.stateOf("second")], [undefined, "waiting"]);
    w.must({ kind: "pool.edit", name: "gold", terms: { labels, perMille: 900 } });
    assert.equal(w.job("second").leases[0]?.pool, "gold");
  });
});
