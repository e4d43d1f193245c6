import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findNode } from "../fleet/find-node.ts";
import { isRefusal } from "../journal/refusal.ts";
import { plainTerms } from "../model/account.ts";
import { unitsPerGpu } from "../model/units.ts";
import { readSnapshot, writeSnapshot } from "../state/snapshot/snapshot.ts";
import { nodeOf, World } from "../testing/world.ts";

/** Two engines, each with a node n0 of 8 H100; `east` also has n1. */
function world(): World {
  return new World().nodes(["east/n0", "H100:8"], ["east/n1", "H100:8"], ["west/n0", "H100:8"]).account("lab");
}

function enginesOf(w: World, id: string): string[] {
  return [...new Set(w.job(id).leases.map(({ node }) => w.state.fleet.node(node).facts.engine))];
}

describe("nodes of several engines", () => {
  it("are named by engine and name, or by a bare name that only one engine has", () => {
    const w = world();
    const { fleet } = w.state;
    const engineOf = (text: string) => {
      const node = findNode(fleet, text);
      return isRefusal(node) ? node.hint : `${node.facts.engine} ${node.facts.name}`;
    };
    assert.equal(engineOf("west/n0"), "west n0");
    assert.equal(engineOf("n1"), "east n1");
    assert.equal(engineOf("n0"), "name one of them: east/n0, west/n0");
    assert.equal(engineOf("south/n0"), "see: tess node get");
    w.must({ kind: "node.cordon", node: "west/n0", reason: "fan" });
    assert.deepEqual(
      fleet.nodes.map((node) => node?.mode),
      ["up", "up", "cordoned"],
    );
    assert.ok(isRefusal(w.do({ kind: "node.cordon", node: "n0", reason: "" })));
  });

  it("leave with the inventory of their own engine, also when it reports none at all", () => {
    const w = world();
    w.must({ kind: "node.register", engine: "east", nodes: [] });
    assert.deepEqual([...w.state.fleet.nodeByName.keys()], ["west/n0"]);
    w.must({ kind: "node.register", engine: "east", nodes: [nodeOf("east/n0", "H100:8")] });
    assert.deepEqual([...w.state.fleet.nodeByName.keys()], ["west/n0", "east/n0"]);
  });

  it("[U2] count under one name in quotas, whichever engine has the GPUs", () => {
    const w = new World().nodes(["east/n0", "H100:8"], ["west/n0", "H100:8"]);
    const quota = { guarantee: { H100: 6 * unitsPerGpu }, max: { H100: 10 * unitsPerGpu }, weight: 1 };
    w.account("lab", { ...plainTerms, quota });
    for (const id of ["a", "b", "c"]) w.submit(id, "lab", { gpus: "H100:4" });
    assert.deepEqual(enginesOf(w, "b"), enginesOf(w, "a"));
    w.submit("d", "lab", { gpus: "H100:2" });
    assert.equal(w.job("a").class, "guaranteed");
    assert.equal(w.job("b").class, "burst");
    assert.equal(w.stateOf("c"), "waiting");
    assert.deepEqual(enginesOf(w, "d"), ["west"]);
    assert.equal(w.job("d").class, "burst");
    w.submit("e", "lab", { gpus: "H100:1" });
    assert.equal(w.stateOf("e"), "waiting");
  });

  it("keep their engines and the numbers of their models in a snapshot", () => {
    const w = world();
    w.must({ kind: "node.register", engine: "east", nodes: [] });
    const text = writeSnapshot(w.state);
    const { fleet } = readSnapshot(text);
    assert.deepEqual(fleet.engines, ["east", "west"]);
    assert.deepEqual(fleet.modelEngine, [0, 1]);
    assert.equal(writeSnapshot(readSnapshot(text)), text);
  });
});

describe("[P9] a gang", () => {
  it("waits rather than span two engines", () => {
    const w = world();
    w.submit("all", "lab", { gpus: "H100:8", nodes: 3 });
    assert.ok(!w.state.jobById.has("job_all" as never), "the empty fleet never holds it");
    w.submit("two", "lab", { gpus: "H100:8", nodes: 2 });
    assert.deepEqual(enginesOf(w, "two"), ["east"]);
  });

  it("without GPUs stays in one engine too", () => {
    const w = world();
    w.submit("cores", "lab", { gpus: 0, nodes: 2, cpus: 60 });
    assert.deepEqual(enginesOf(w, "cores"), ["east"]);
    w.submit("more", "lab", { gpus: 0, nodes: 2, cpus: 60 });
    assert.equal(w.stateOf("more"), "waiting");
    w.submit("one", "lab", { gpus: 0, cpus: 60 });
    assert.deepEqual(enginesOf(w, "one"), ["west"]);
  });
});
