import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { NodeFacts, NodeOffers } from "../model/node.ts";
import { nodeOf, World } from "../testing/world.ts";
import { alternativesFor } from "./alternatives.ts";
import { outlookOf } from "./outlook.ts";
import { reasonFor } from "./reason-for.ts";

const noImages: NodeOffers = {
  images: false,
  withoutImage: true,
  isolation: ["whole"],
  workdir: true,
  code: true,
  mounts: true,
};

function fleetOf(...nodes: NodeFacts[]): World {
  const w = new World();
  w.must({ kind: "node.register", nodes });
  return w.account("lab").account("guest");
}

const reasonOf = (w: World, id: string) => reasonFor(w.state, w.job(id), w.now);
const gold = { labels: { tier: "gold" } };

describe("why a job that may use some nodes only does not run", () => {
  it("names the label, with the nodes that lack it and those that have it", () => {
    const w = fleetOf(nodeOf("n0", "H100:2"), { ...nodeOf("n1", "H100:2"), ...gold });
    for (const id of ["a", "b"]) w.submit(id, "lab", { gpus: 2, where: { tier: "gold" } });
    assert.deepEqual(reasonOf(w, "b"), {
      kind: "shape",
      needed: 2,
      values: {
        cause: "left-out",
        free: { gpus: 2, model: "H100" },
        leftOut: { usable: 1, account: "lab", labels: [{ label: "tier=gold", nodes: 1 }] },
      },
    });
    const terms = { offers: () => true, mayRaise: false };
    const own = outlookOf(w.state, w.job("b"), w.now);
    const [found] = alternativesFor(w.state, w.job("b"), w.now, own, terms);
    assert.deepEqual([found?.field, found?.outlook.when], ["where", "now"]);
  });

  it("names the engine and what it lacks, and the engine that the job asks for", () => {
    const local = { ...nodeOf("n0", "H100:2"), engine: "local", offers: noImages };
    const east = { ...nodeOf("n1", "H100:2"), engine: "east" };
    const w = fleetOf(local, east);
    w.submit("a", "lab", { gpus: 2, image: "python" });
    w.submit("b", "lab", { gpus: 2, image: "python" });
    const byImage = reasonOf(w, "b");
    assert.deepEqual(byImage.kind === "shape" && byImage.values.cause === "left-out" && byImage.values.leftOut, {
      usable: 1,
      account: "lab",
      engines: [{ name: "local", nodes: 1, lacks: ["images"] }],
    });
    w.submit("c", "lab", { gpus: 2, engine: "east" });
    const byEngine = reasonOf(w, "c");
    assert.deepEqual(byEngine.kind === "shape" && byEngine.values.cause === "left-out" && byEngine.values.leftOut, {
      usable: 1,
      account: "lab",
      engine: { name: "east", nodes: 1 },
    });
  });

  it("names the pool that is closed to its account, and says never once no node is left", () => {
    const w = fleetOf(nodeOf("n0", "H100:2"), { ...nodeOf("n1", "H100:2"), ...gold });
    for (const id of ["a", "b"]) w.submit(id, "guest", { gpus: 2 });
    w.submit("c", "guest", { gpus: 2 });
    w.run("b").exit("b", 0);
    w.run("c");
    w.submit("d", "guest", { gpus: 2 });
    const terms = { ...gold, tenants: ["lab"], perMille: 1000 };
    w.must({ kind: "pool.create", name: "gold", terms });
    w.exit("c", 0);
    const reason = reasonOf(w, "d");
    const pools = [{ name: "gold", nodes: 1 }];
    assert.deepEqual(reason.kind === "shape" && reason.values.cause === "left-out" && reason.values.leftOut, {
      usable: 1,
      account: "guest",
      pools,
    });
    w.must({ kind: "pool.edit", name: "gold", terms: { ...terms, labels: { engine: "test" } } });
    assert.deepEqual(reasonOf(w, "d"), {
      kind: "never",
      values: { model: "*", leftOut: { usable: 0, account: "guest", pools: [{ name: "gold", nodes: 2 }] } },
    });
  });

  it("counts only what it may use as free", () => {
    const w = fleetOf(nodeOf("n0", "H100:1"), { ...nodeOf("n1", "H100:4"), ...gold });
    w.submit("a", "lab", { gpus: 3, where: { tier: "gold" } });
    w.submit("b", "lab", { gpus: 2, where: { tier: "gold" } });
    const reason = reasonOf(w, "b");
    assert.deepEqual([reason.kind, reason.needed, reason.free], ["capacity", 2, 1]);
  });
});
