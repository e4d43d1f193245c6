import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRefusal, refusalText } from "../journal/refusal.ts";
import type { NodeFacts } from "../model/node.ts";
import type { PoolTerms } from "../model/pool.ts";
import { unitsPerGpu } from "../model/units.ts";
import { gpuOffers } from "../submit/sizing/offers.ts";
import { nodeOf, World } from "../testing/world.ts";

const labels = { tier: "shared" };
const offers = { images: true, withoutImage: true, workdir: true, code: true, mounts: true };

function worldOf(change: Partial<NodeFacts> = {}): World {
  const w = new World();
  w.must({ kind: "node.register", nodes: [{ ...nodeOf("n0", "H100-80GB:1"), labels, ...change }] });
  const group = { trust: "trusted", trustGroup: "ours" } as const;
  return w.account("lab", group).account("guest", { trust: "untrusted" });
}

function setPool(w: World, terms: Partial<PoolTerms>): void {
  const kind = w.state.pools.has("shared") ? "pool.edit" : "pool.create";
  w.must({ kind, name: "shared", terms: { labels, perMille: 1000, ...terms } });
}

function modeOf(w: World): string {
  return w.state.fleet.nodes[0]!.sharing.mode;
}

function partOf(w: World, id: string) {
  return w.job(id).leases[0]!.part!;
}

describe("[P11] the mode of a pool", () => {
  it("is in force on its nodes instead of their own, from the moment it is said until it is taken back", () => {
    const w = worldOf({ pool: "mps" });
    assert.equal(modeOf(w), "mps");
    setPool(w, { mode: "timeslice" });
    assert.equal(modeOf(w), "timeslice");
    w.submit("slice", "lab", { gpus: 0.5 });
    assert.equal(partOf(w, "slice").mode, "timeslice");
    setPool(w, {});
    assert.equal(modeOf(w), "mps");
    w.must({ kind: "pool.delete", name: "shared" });
    assert.equal(modeOf(w), "mps");
  });

  it("decides whether work that is sized by what it is may get parts", () => {
    const w = worldOf();
    const parts = () => gpuOffers(w.state.fleet).map((offer) => offer.parts);
    assert.deepEqual(parts(), [false]);
    setPool(w, { mode: "mps" });
    assert.deepEqual(parts(), [true]);
    setPool(w, { mode: "whole" });
    assert.deepEqual(parts(), [false]);
  });

  it("comes to a node with its labels, and leaves it with them", () => {
    const w = worldOf();
    setPool(w, { mode: "mps" });
    const other = { ...nodeOf("n1", "H100-80GB:1") };
    w.must({ kind: "node.register", nodes: [w.state.fleet.nodes[0]!.facts, other] });
    assert.equal(w.state.fleet.nodes[1]!.sharing.mode, "whole");
    w.must({ kind: "node.register", nodes: [w.state.fleet.nodes[0]!.facts, { ...other, labels }] });
    assert.equal(w.state.fleet.nodes[1]!.sharing.mode, "mps");
  });

  it("is limited to what the node offers", () => {
    const w = worldOf({ offers: { ...offers, isolation: ["whole", "timeslice"] } });
    setPool(w, { mode: "mig" });
    assert.equal(modeOf(w), "whole");
    setPool(w, { mode: "any" });
    w.submit("part", "lab", { gpus: 0.5 });
    assert.equal(partOf(w, "part").mode, "timeslice");
  });

  it("leaves parts of another mode where they are, and takes none beside them", () => {
    const w = worldOf();
    setPool(w, { mode: "mps" });
    w.submit("before", "lab", { gpus: 0.25 });
    setPool(w, { mode: "timeslice" });
    w.submit("after", "lab", { gpus: 0.25 });
    assert.deepEqual([w.stateOf("before"), w.stateOf("after")], ["starting", "waiting"]);
    w.run("before").exit("before", 0);
    assert.equal(partOf(w, "after").mode, "timeslice");
  });

  it("is made by a change of the GPU's partition where it was another", () => {
    const w = worldOf();
    w.must({ kind: "policy.set", policy: { ...w.state.policy, reshapeMs: 1_000 } });
    setPool(w, { mode: "mps" });
    w.submit("first", "lab", { gpus: 0.25 });
    assert.equal(w.job("first").leases[0]!.handover?.reshape?.length, 1);
    w.submit("second", "lab", { gpus: 0.25 });
    assert.equal(w.job("second").leases[0]!.handover, undefined);
  });
});

describe("[U5] time slices that are given out several times", () => {
  it("are shares of one GPU, which are never more than the GPU together", () => {
    const w = worldOf();
    setPool(w, { mode: "timeslice", ratio: 4 });
    for (let i = 0; i < 17; i++) w.submit(`j${i}`, "lab", { gpus: 0.25 });
    const placed = [...Array(17).keys()].filter((i) => w.stateOf(`j${i}`) === "starting");
    assert.equal(placed.length, 16);
    const { units, memoryUnits } = w.state.usage[w.state.accountByPath.get("lab")!.no]!;
    assert.ok(units <= unitsPerGpu && units > unitsPerGpu * 0.99, String(units));
    assert.equal(memoryUnits, units);
    assert.equal(partOf(w, "j0").compute, unitsPerGpu / 16 - 0.5);
  });

  it("hold memory that is asked for by its size once, however often the GPU is given out", () => {
    const w = worldOf();
    setPool(w, { mode: "timeslice", ratio: 4 });
    const { memoryMiB } = w.state.fleet.nodes[0]!.facts.gpus[0]!;
    const half = `${Math.floor(memoryMiB / 2)}MiB`;
    for (const id of ["a", "b", "c"]) w.submit(id, "lab", { gpus: undefined, gpu_compute: "40%", gpu_memory: half });
    assert.deepEqual(
      ["a", "b", "c"].map((id) => w.stateOf(id)),
      ["starting", "starting", "waiting"],
    );
    assert.equal(partOf(w, "a").compute, 2_100);
    assert.ok(partOf(w, "a").memory > unitsPerGpu * 0.49);
  });

  it("are counted as they were given out, also after the ratio is another", () => {
    const w = worldOf();
    setPool(w, { mode: "timeslice", ratio: 2 });
    w.submit("before", "lab", { gpus: 0.5 });
    setPool(w, { mode: "timeslice" });
    w.submit("after", "lab", { gpus: 0.5 });
    assert.deepEqual([partOf(w, "before").compute, partOf(w, "after").compute], [5_250, 10_500]);
  });
});

describe("[P11] the trust of a pool", () => {
  it("keeps parts of tenants that are trusted less away, and no whole GPUs", () => {
    const w = worldOf();
    setPool(w, { mode: "mig", trust: "trusted" });
    const refused = w.submit("part", "guest", { gpus: 0.25 });
    assert.ok(isRefusal(refused));
    assert.match(refusalText(refused), /takes parts of trusted tenants only/);
    w.submit("own", "lab", { gpus: 0.25 });
    assert.equal(w.stateOf("own"), "starting");
    w.run("own").exit("own", 0);
    w.submit("whole", "guest", { gpus: 1 });
    assert.equal(w.stateOf("whole"), "starting");
  });
});

describe("a part that no pool offers", () => {
  it("is refused with what the pools of its model offer", () => {
    const w = worldOf();
    const text = (raw: Parameters<World["submit"]>[2]) => {
      const refused = w.submit("job", "lab", raw);
      assert.ok(isRefusal(refused), JSON.stringify(refused));
      return refusalText(refused);
    };
    assert.match(text({ gpus: 0.25 }), /H100-80GB is given out in whole GPUs only/);
    setPool(w, { mode: "mps" });
    assert.match(text({ gpus: "1g.10gb" }), /H100-80GB is shared by mps/);
    assert.match(text({ gpus: 0.25, isolation: "mig" }), /H100-80GB is shared by mps/);
    setPool(w, { mode: "mig" });
    assert.match(text({ gpus: "1g.18gb" }), /H100-80GB is shared by mig, and its profiles are 1g.10gb, /);
  });
});
